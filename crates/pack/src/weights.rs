//! What the parts of a view weigh, and how a room is shared among them.

use crate::Measure;
use crate::allot::allot;

/// How much of one section is shown: for each entry, the lines of each of its blocks.
pub(crate) type Filled = Vec<Vec<usize>>;

/// Lines that an entry is shown with, where it has them, before more entries are.
pub(crate) const LEAD_LINES: usize = 3;

/// What the parts of one section weigh.
pub(crate) struct Weights {
    /// Head of an entry, and for each block: opening, lines.
    pub(crate) entries: Vec<(usize, Vec<BlockWeight>)>,
}

pub(crate) struct BlockWeight {
    pub(crate) open: usize,
    pub(crate) cut: usize,
    /// What the first line takes, the first two, and so on.
    pub(crate) lines: Vec<usize>,
}

impl BlockWeight {
    /// One line that was weighed already.
    pub(crate) fn free() -> Self {
        Self {
            open: 0,
            cut: 0,
            lines: vec![0],
        }
    }

    /// Lines with nothing around them; that some are missing was weighed already.
    pub(crate) fn bare(measure: Measure, lines: &[String]) -> Self {
        let lines = lines.iter().scan(0, |sum, line| {
            *sum += measure.weigh(line);
            Some(*sum)
        });
        Self {
            open: 0,
            cut: 0,
            lines: lines.collect(),
        }
    }

    pub(crate) fn of(&self, lines: usize) -> usize {
        let Some(last) = lines.checked_sub(1) else {
            return 0;
        };
        let cut = if lines < self.lines.len() {
            self.cut
        } else {
            0
        };
        self.open + cut + self.lines[last]
    }

    pub(crate) fn all(&self) -> usize {
        self.of(self.lines.len())
    }

    /// The most lines that fit into `room`.
    pub(crate) fn fitting(&self, room: usize) -> usize {
        (0..=self.lines.len())
            .rev()
            .find(|lines| self.of(*lines) <= room)
            .unwrap_or(0)
    }
}

impl Weights {
    pub(crate) fn all(&self) -> usize {
        self.entries
            .iter()
            .map(|(head, blocks)| head + blocks.iter().map(BlockWeight::all).sum::<usize>())
            .sum()
    }

    /// How many entries fit into `room`, in order, each with the first `lines` lines of its blocks.
    pub(crate) fn fitting_entries(&self, room: usize, lines: usize) -> usize {
        let mut used = 0;
        let fits = |(head, blocks): &&(usize, Vec<BlockWeight>)| {
            let lead = |block: &BlockWeight| block.of(lines.min(block.lines.len()));
            used += head + blocks.iter().map(lead).sum::<usize>();
            used <= room
        };
        self.entries.iter().take_while(fits).count()
    }

    /// Shows as many entries as `room` allows, in order and with their first lines (a place without its
    /// text says little), then shares what is left among their lines, so that a long first entry does not
    /// starve the rest.
    pub(crate) fn fill(&self, room: usize) -> (Filled, usize) {
        let shown = match self.fitting_entries(room, LEAD_LINES) {
            0 => self.fitting_entries(room, 0).min(1),
            shown => shown,
        };
        let mut used: usize = self.entries[..shown].iter().map(|(head, _)| head).sum();
        let blocks: Vec<&BlockWeight> = self.entries[..shown]
            .iter()
            .flat_map(|(_, blocks)| blocks)
            .collect();
        let demands: Vec<usize> = blocks.iter().map(|block| block.all()).collect();
        let shares = allot(room - used, &demands);
        let mut lines: Vec<usize> = blocks
            .iter()
            .zip(&shares)
            .map(|(block, share)| block.fitting(*share))
            .collect();
        used += blocks
            .iter()
            .zip(&lines)
            .map(|(block, lines)| block.of(*lines))
            .sum::<usize>();
        // What whole lines left over goes to the first that can use it.
        for (block, lines) in blocks.iter().zip(&mut lines) {
            let more = block.fitting(block.of(*lines) + (room - used));
            used += block.of(more) - block.of(*lines);
            *lines = more;
        }
        let mut lines = lines.into_iter();
        let filled = self.entries[..shown]
            .iter()
            .map(|(_, blocks)| lines.by_ref().take(blocks.len()).collect());
        (filled.collect(), used)
    }
}

/// Shares `room` among sections, then what they could not use among those that want more.
pub(crate) fn share(weights: &[Weights], room: usize) -> Vec<Filled> {
    let demands: Vec<usize> = weights.iter().map(Weights::all).collect();
    let mut shares = allot(room, &demands);
    let mut filled: Vec<(Filled, usize)> = weights
        .iter()
        .zip(&shares)
        .map(|(w, share)| w.fill(*share))
        .collect();
    for _ in 0..3 {
        let used: usize = filled.iter().map(|(_, used)| used).sum();
        let unmet: Vec<usize> = demands
            .iter()
            .zip(&filled)
            .map(|(demand, (_, used))| demand - used)
            .collect();
        let extra = allot(room.saturating_sub(used), &unmet);
        if extra.iter().all(|extra| *extra == 0) {
            break;
        }
        shares = filled
            .iter()
            .zip(&extra)
            .map(|((_, used), extra)| used + extra)
            .collect();
        filled = weights
            .iter()
            .zip(&shares)
            .map(|(w, share)| w.fill(*share))
            .collect();
    }
    filled.into_iter().map(|(filled, _)| filled).collect()
}
