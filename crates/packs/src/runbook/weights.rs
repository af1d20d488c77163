//! Measures the parts of a view and divides the available room among them.
//!
//! Fairness comes first: each section gets an even share of the room, and whatever a section can't
//! use goes to those that need more. Within a section, a first view prefers many entries with a few
//! lines each over one complete entry. Pages do the opposite, since their reader has asked to see
//! everything.

use crate::runbook::allot::allot;

/// The shown amount of a section.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filled {
    /// Number of shown lines of each block, per entry.
    pub(crate) entries: Vec<Vec<usize>>,
    /// The same amount as a cursor stores it: the number of lines of each block, and the number of
    /// blocks with one line more.
    pub(crate) level: (usize, usize),
    /// Number of pieces of evidence, counted from the first, eligible for surrounding lines.
    /// They're added only where all the evidence's own lines are shown, and only in a first view.
    pub(crate) around: usize,
}

/// Number of lines each entry gets before further entries are shown.
pub(crate) const LEAD_LINES: usize = 3;

/// The sizes of a section's parts.
pub(crate) struct Weights {
    /// Size of each entry's head, and of each of its blocks.
    pub(crate) entries: Vec<(usize, Vec<BlockWeight>)>,
    /// True if entries are shown one after the other, each completely, as on a page. Otherwise we
    /// show as many entries as possible with their first lines.
    pub(crate) in_order: bool,
}

pub(crate) struct BlockWeight {
    pub(crate) open: usize,
    pub(crate) cut: usize,
    /// Size of the first line, of the first two lines, and so on.
    pub(crate) lines: Vec<usize>,
    /// True if the block goes on after these lines.
    pub(crate) goes_on: bool,
}

impl BlockWeight {
    /// Returns the weight of a line that is already counted in the entry's head.
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

    /// Returns the largest number of lines that fit into `room`.
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

    /// Returns the number of entries that fit into `room`, in order, with the first `lines` lines
    /// of each block.
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

    /// Returns the smallest amount that shows more than `used` and takes at most `left` more room,
    /// or `None` if nothing more fits.
    fn next_piece(&self, used: usize, left: usize) -> Option<(Filled, usize)> {
        let shows_more = |extra: usize| self.fill(used + extra).1 > used;
        if !shows_more(left) {
            return None;
        }
        // One more than the largest extra room that makes no difference.
        let extra = greatest(left - 1, |extra| !shows_more(extra)) + 1;
        let more = self.fill(used + extra);
        (more.1 <= used + left).then_some(more)
    }

    /// Adds complete entries one after the other, and part of the first entry that doesn't fit.
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

    /// Adds as many entries as `room` allows, in order and with their first lines, because a
    /// location without its text is of little use. Then grows all entries to the same number of
    /// lines, so that a long first entry doesn't starve the others. What remains goes to one more
    /// line for as many blocks as possible.
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

/// Returns the largest number up to `most` accepted by `fits`. We bisect, so `fits` must accept 0,
/// and must not accept any number above one it rejects.
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

/// Divides `room` among sections, then divides what they leave unused among those that need more.
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

/// Gives the remaining room to sections whose next piece fits, even beyond their fair share, since
/// no other section would use it. The section with the least room goes first, one piece at a time.
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
