//! Weights of the parts of a view, and sharing of room among them.

use crate::runbook::allot::allot;

/// Shown amount of one section.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filled {
    /// Number of lines of each block, for each entry.
    pub(crate) entries: Vec<Vec<usize>>,
    /// The same as a first view has it: each block up to so many lines, so many blocks with one more.
    pub(crate) level: (usize, usize),
    /// In a first view: how many pieces of evidence, from the first, are shown with the lines around them, where all
    /// of their own are.
    pub(crate) around: usize,
}

/// Number of lines that each entry is shown with before more entries are.
pub(crate) const LEAD_LINES: usize = 3;

/// Weights of the parts of one section.
pub(crate) struct Weights {
    /// Weight of the head of an entry, and of each block.
    pub(crate) entries: Vec<(usize, Vec<BlockWeight>)>,
    /// True if entries are shown whole, one after the other, as on a page; else as many as possible, each with its
    /// first lines.
    pub(crate) in_order: bool,
}

pub(crate) struct BlockWeight {
    pub(crate) open: usize,
    pub(crate) cut: usize,
    /// Cumulative weight of the first line, the first two, and so on.
    pub(crate) lines: Vec<usize>,
    /// True if there are more lines than these.
    pub(crate) goes_on: bool,
}

impl BlockWeight {
    /// Returns the weight of a line that was weighed already.
    pub(crate) fn free() -> Self {
        Self {
            open: 0,
            cut: 0,
            lines: vec![0],
            goes_on: false,
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

    /// Returns the maximum number of lines that fit into `room`.
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

    /// Returns the number of entries that fit into `room`, in order, each with the first `lines` lines of its blocks.
    pub(crate) fn fitting_entries(&self, room: usize, lines: usize) -> usize {
        let mut used = 0;
        let fits = |(head, blocks): &&(usize, Vec<BlockWeight>)| {
            let lead = |block: &BlockWeight| block.of(lines.min(block.lines.len()));
            used += head + blocks.iter().map(lead).sum::<usize>();
            used <= room
        };
        self.entries.iter().take_while(fits).count()
    }

    pub(crate) fn fill(&self, room: usize) -> (Filled, usize) {
        if self.in_order {
            self.fill_in_order(room)
        } else {
            self.fill_level(room)
        }
    }

    /// Returns the smallest step that shows more than `used`, within `left`; `None` if nothing more fits.
    fn next_piece(&self, used: usize, left: usize) -> Option<(Filled, usize)> {
        let shows_more = |extra: usize| self.fill(used + extra).1 > used;
        if !shows_more(left) {
            return None;
        }
        // The greatest room that shows no more, plus one unit.
        let extra = greatest(left - 1, |extra| !shows_more(extra)) + 1;
        let more = self.fill(used + extra);
        (more.1 <= used + left).then_some(more)
    }

    /// Fills whole entries one after the other, and a part of the first that does not fit.
    fn fill_in_order(&self, room: usize) -> (Filled, usize) {
        let (mut filled, mut used) = (Filled::default(), 0);
        for (head, blocks) in &self.entries {
            let Some(mut left) = room.checked_sub(used + head) else {
                break;
            };
            let (mut shown, mut whole) = (vec![0; blocks.len()], true);
            for (block, shown) in blocks.iter().zip(&mut shown) {
                *shown = if whole { block.fitting(left) } else { 0 };
                left -= block.of(*shown);
                whole &= *shown == block.lines.len() && !block.goes_on;
            }
            let any = shown.iter().any(|lines| *lines > 0);
            if whole || any || filled.entries.is_empty() {
                filled.entries.push(shown);
                used = room - left;
            }
            if !whole {
                break;
            }
        }
        (filled, used)
    }

    /// Fills as many entries as `room` allows, in order and with their first lines, because a location without its text
    /// is of little use. Then it fills all entries up to the same number of lines, so that a long first entry does not
    /// starve the others. The rest gives one more line to as many entries as possible.
    fn fill_level(&self, room: usize) -> (Filled, usize) {
        let shown = match self.fitting_entries(room, LEAD_LINES) {
            0 => self.fitting_entries(room, 0).min(1),
            shown => shown,
        };
        let entries = &self.entries[..shown];
        let heads: usize = entries.iter().map(|(head, _)| head).sum();
        let blocks: Vec<&BlockWeight> = entries.iter().flat_map(|(_, blocks)| blocks).collect();
        let lines = |block: &BlockWeight, nr: usize, (level, more): (usize, usize)| {
            (level + usize::from(nr < more)).min(block.lines.len())
        };
        let taken = |level: (usize, usize)| -> usize {
            let each = blocks.iter().enumerate();
            heads
                + each
                    .map(|(nr, block)| block.of(lines(block, nr, level)))
                    .sum::<usize>()
        };
        let most = blocks
            .iter()
            .map(|block| block.lines.len())
            .max()
            .unwrap_or(0);
        let level = greatest(most, |level| taken((level, 0)) <= room);
        let more = if level < most {
            greatest(blocks.len(), |more| taken((level, more)) <= room)
        } else {
            0
        };
        let mut nr = 0;
        let filled = entries.iter().map(|(_, blocks)| {
            let each = blocks.iter().map(|block| {
                nr += 1;
                lines(block, nr - 1, (level, more))
            });
            each.collect()
        });
        let filled = Filled {
            entries: filled.collect(),
            level: (level, more),
            around: 0,
        };
        (filled, taken((level, more)))
    }
}

/// The greatest number up to `most` for which `fits` holds, where it holds for 0 and, once it does not, no more.
fn greatest(most: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Shares `room` among sections, then the unused room among those that need more.
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
    let used: usize = filled.iter().map(|(_, used)| used).sum();
    give_whole_pieces(weights, &mut filled, room.saturating_sub(used));
    filled.into_iter().map(|(filled, _)| filled).collect()
}

/// Gives the remaining room to sections whose next piece fits, although it may exceed a fair share: otherwise no
/// section would use the room. The section with the least goes first, one piece at a time.
fn give_whole_pieces(weights: &[Weights], filled: &mut [(Filled, usize)], mut left: usize) {
    while left > 0 {
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|at| filled[*at].1);
        let next = order.into_iter().find_map(|at| {
            let more = weights[at].next_piece(filled[at].1, left)?;
            Some((at, more))
        });
        let Some((at, more)) = next else {
            return;
        };
        left -= more.1 - filled[at].1;
        filled[at] = more;
    }
}
