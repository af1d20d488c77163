//! Slides: a block of lines that was removed or added next to similar lines may as well begin a few
//! lines earlier or later.

use super::{LineMap, NONE};
use crate::params;
use crate::text::Text;

impl LineMap {
    /// Moves removed and added blocks to their most plausible start.
    ///
    /// Both algorithms begin at the same ends, so their agreement does not settle where a block
    /// starts. If two starts are equally plausible, the lines between them are uncertain and lose
    /// their pairs.
    pub(super) fn settle_slides(&mut self, old: &Text, new: &Text) {
        for (start, end) in gaps(old.len(), |at| self.to(at).is_some()) {
            let before = start
                .checked_sub(1)
                .map_or(Some(0), |at| Some(self.to(at)? + 1));
            let after = match end == old.len() {
                true => Some(new.len()),
                false => self.to(end),
            };
            if before.is_some() && before == after {
                self.settle_taken_out(old, start, end);
            }
        }
        let mut from: Vec<u32> = vec![NONE; new.len()];
        for at in 0..old.len() {
            if let Some(now) = self.to(at) {
                from[now] = at as u32;
            }
        }
        for (start, end) in gaps(new.len(), |at| from[at] != NONE) {
            let before = start.checked_sub(1).map_or(0, |at| from[at] as usize + 1);
            let after = from.get(end).map_or(old.len(), |at| *at as usize);
            if before == after {
                self.settle_put_in(new, &mut from, start, end);
            }
        }
        self.copied.sort_unstable();
        self.copied.dedup();
    }

    /// Settles the block from `start` to `end` in the old text, which was removed without a
    /// replacement.
    fn settle_taken_out(&mut self, old: &Text, start: usize, end: usize) {
        let Some(slide) = Slide::of(old, start, end) else {
            return;
        };
        let length = end - start;
        for (kept, gone) in slide.moved(length) {
            if slide.is_settled {
                self.to[gone] = std::mem::replace(&mut self.to[kept], NONE);
                continue;
            }
            for line in [kept, gone] {
                if let Some(now) = self.to(line) {
                    self.carried[now] = false;
                    self.to[line] = NONE;
                }
                self.copied.push(line);
            }
        }
    }

    /// Settles the block from `start` to `end` in the new text, which was inserted between adjacent
    /// lines. `from` has the old line for each new line.
    fn settle_put_in(&mut self, new: &Text, from: &mut [u32], start: usize, end: usize) {
        let Some(slide) = Slide::of(new, start, end) else {
            return;
        };
        let length = end - start;
        for (kept, came) in slide.moved(length) {
            if slide.is_settled {
                let was = std::mem::replace(&mut from[kept], NONE);
                (self.carried[kept], self.carried[came]) = (false, was != NONE);
                from[came] = was;
                if was != NONE {
                    self.to[was as usize] = came as u32;
                }
                continue;
            }
            for line in [kept, came] {
                let was = std::mem::replace(&mut from[line], NONE);
                self.carried[line] = false;
                if was != NONE {
                    self.to[was as usize] = NONE;
                    self.copied.push(was as usize);
                }
            }
        }
    }
}

/// Most plausible start of a block, if it differs from the present one or is not the only one.
#[derive(Debug, Clone, Copy)]
struct Slide {
    start: usize,
    to: usize,
    /// False if other starts are as plausible. All lines between `start` and `to` are then
    /// uncertain.
    is_settled: bool,
}

impl Slide {
    /// Finds the most plausible start for the block from `start` to `end`. `None` if the block
    /// already begins there or should not be touched.
    fn of(text: &Text, start: usize, end: usize) -> Option<Self> {
        let (keys, length) = (text.keys(), end - start);
        let earlier = (0..start).rev().take(params::MAX_SLIDE);
        let earlier = earlier.take_while(|at| keys[*at] == keys[*at + length]);
        let later = (end..text.len()).take(params::MAX_SLIDE);
        let later = later.take_while(|at| keys[*at] == keys[*at - length]);
        let (earlier, later) = (earlier.count(), later.count());
        let beside = (start - earlier..start).chain(end..end + later);
        let letters: u32 = beside.map(|at| text.letters(at)).sum();
        let places = start - earlier..=start + later;
        // The beginning of a file counts as a blank line.
        let is_at_the_top = *places.start() == 0;
        let beginning = |at: usize| Beginning {
            follows_text: !is_at_the_top && Beginning::of(text, at).follows_text,
            ..Beginning::of(text, at)
        };
        let best = places.clone().map(beginning).min()?;
        let mut best = places.filter(|at| beginning(*at) == best);
        let (first, last) = (best.next()?, best.next_back());
        match last {
            None if first == start => None,
            None => Some(Self {
                start,
                to: first,
                is_settled: true,
            }),
            Some(_) if letters < params::MIN_INFORMATION_SURE => None,
            // The two starts are equally plausible, so everything between them is uncertain.
            Some(last) => Some(Self {
                start: first.min(start),
                to: last.max(start),
                is_settled: false,
            }),
        }
    }

    /// Returns the lines that the block gains by moving, each with the line that it gives up.
    fn moved(self, length: usize) -> impl Iterator<Item = (usize, usize)> {
        let (start, to) = (self.start, self.to);
        let earlier = (to..start).rev().map(move |at| (at, at + length));
        let later = (start..to).map(move |at| (at + length, at));
        earlier.chain(later)
    }
}

/// Rank of a line as the start of a block; the smallest is the most plausible.
///
/// Non-blank lines are better than blank ones, then lines that do not close a block, then lines
/// with little indentation, then lines after a blank line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Beginning {
    is_blank: bool,
    closes: bool,
    indent: usize,
    follows_text: bool,
}

impl Beginning {
    fn of(text: &Text, at: usize) -> Self {
        let blank = |line: &[u8]| line.iter().all(u8::is_ascii_whitespace);
        let line = match at < text.len() {
            true => text.bytes(at),
            false => Vec::new(),
        };
        let width = |byte: &u8| if *byte == b'\t' { 8 } else { 1 };
        let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace());
        Self {
            is_blank: blank(&line),
            closes: matches!(line.trim_ascii_start(), [b'}' | b')' | b']', ..]),
            indent: indent.map(width).sum(),
            follows_text: at.checked_sub(1).is_some_and(|at| !blank(&text.bytes(at))),
        }
    }
}

/// Returns the ranges of adjacent lines that are not `paired`. Ends are exclusive.
fn gaps(lines: usize, paired: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    for at in (0..lines).filter(|at| !paired(*at)) {
        match gaps.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => gaps.push((at, at + 1)),
        }
    }
    gaps
}
