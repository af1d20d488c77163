//! Measures the parts of a view, and divides the room among them.
//!
//! Fairness comes first: every section gets an even share, and the room that a section can't use
//! goes to those that need more. Within a section, a first view prefers many entries with a few
//! lines each to a single whole entry. Pages do the opposite, since their readers want to see
//! everything.

use crate::runbook::allot::allot;

#[derive(Debug, Clone, Default)]
pub(crate) struct Filled {
    /// Number of lines of each block, by entry.
    pub(crate) entries: Vec<Vec<usize>>,
    /// The same in the form that a cursor stores: the number of lines of each block, and the number
    /// of blocks that have one more line.
    pub(crate) level: (usize, usize),
    /// Number of pieces of evidence that may get the lines around them, starting with the first. In
    /// a first view, such a piece only gets them if all of its own lines are shown.
    pub(crate) around: usize,
}

/// Number of lines that each entry gets before we show more entries.
pub(crate) const LEAD_LINES: usize = 3;

pub(crate) struct Weights {
    pub(crate) entries: Vec<(usize, Vec<BlockWeight>)>,
    /// True to show each entry as a whole before the next one, as on a page. If this is false, we
    /// show the first lines of as many entries as possible.
    pub(crate) in_order: bool,
}

pub(crate) struct BlockWeight {
    pub(crate) open: usize,
    pub(crate) cut: usize,
    /// The total size of the first line, of the first two lines, and so on.
    pub(crate) lines: Vec<usize>,
    /// True if the block has more lines than can be shown at once.
    pub(crate) goes_on: bool,
}

impl BlockWeight {
    /// A line that has already been counted as a part of the entry's head.
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

    /// The largest number of lines that fits into `room`.
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

    /// The number of entries, in order, that fit into `room` with the first `lines` lines of each
    /// block.
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

    /// Finds the next piece to show on top of `used`, which takes `left` at most.
    fn next_piece(&self, used: usize, left: usize) -> Option<(Filled, usize)> {
        let shows_more = |extra: usize| self.fill(used + extra).1 > used;
        if !shows_more(left) {
            return None;
        }
        // The piece becomes visible with one unit more than the largest amount that makes no
        // difference.
        let extra = greatest(left - 1, |extra| !shows_more(extra)) + 1;
        let more = self.fill(used + extra);
        (more.1 <= used + left).then_some(more)
    }

    /// Adds one whole entry after another, and then a part of the first one that doesn't fit.
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
            // A page must show something, or the reader would never get past it. So the first entry
            // is there even without any lines.
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

    /// Adds as many entries as fit with their first lines, since a location without any text isn't
    /// of much use.
    ///
    /// After that, all blocks get the same number of lines, so that a long first entry doesn't
    /// starve the others. In the end, as many blocks as possible get one more line.
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

/// Finds the largest number up to `most` that fits.
///
/// This bisects, so `fits` must accept 0, and if it rejects a number, it must reject all larger
/// ones as well.
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

/// Divides `room` among sections. The room that some don't use goes to those that need more.
pub(crate) fn share(weights: &[Weights], room: usize) -> Vec<Filled> {
    let demands: Vec<usize> = weights.iter().map(Weights::all).collect();
    let mut shares = allot(room, &demands);
    let mut filled: Vec<(Filled, usize)> = weights
        .iter()
        .zip(&shares)
        .map(|(w, share)| w.fill(*share))
        .collect();
    // A share that is too small for a section's next piece isn't used. Hand it out again, which
    // usually settles within three rounds.
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

/// Gives the remaining room to sections whose next piece fits.
///
/// They may exceed their share here, since no other section would use the room. The section with
/// the least room goes first, and each gets one piece at a time.
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
