//! Correction of a line map for lines next to which a copy was inserted.

use super::{LineMap, NONE};
use crate::params;
use crate::text::Text;

impl LineMap {
    /// Removes the pairs of lines next to which a copy was inserted.
    ///
    /// Comparing two states cannot show which one is the copy, and both algorithms make the same
    /// choice because they begin at the same ends.
    pub(super) fn leave_copies_open(&mut self, old: &Text, new: &Text) {
        let pairs = (0..self.to.len()).filter_map(|at| Some((at, self.to(at)?)));
        let is_copied = |(at, now): &(usize, usize)| {
            !old.is_trivial(*at)
                && old.alike(*at) == 1
                && (2..=params::MAX_EQUAL_LINES).contains(&new.alike(*now))
        };
        let copied: Vec<(usize, usize)> = pairs.filter(is_copied).collect();
        let mut beside = Vec::new();
        let mut known = Runs::default();
        for (at, now) in copied {
            let own = known.around(old, new, at, now);
            let others = new.lines_like(old.keys()[at]).iter();
            let others = others.map(|other| *other as usize);
            let mut others = others.filter(|other| *other != now && !self.is_carried(*other));
            let is_beside = others.any(|other| {
                let around = known.around(old, new, at, other);
                around.reaches_beyond(own, old)
            });
            if is_beside {
                beside.push((at, now));
            }
        }
        for (at, now) in beside {
            self.to[at] = NONE;
            self.carried[now] = false;
            self.copied.push(at);
        }
    }
}

/// The longest run of equal lines around a pair of lines, as line numbers in the old text.
#[derive(Debug, Clone, Copy)]
struct Around {
    start: usize,
    end: usize,
    /// Line in the new text that is paired with `start`.
    new: usize,
}

impl Around {
    fn of(old: &Text, new: &Text, at: usize, now: usize) -> Self {
        let (a, b) = (old.keys(), new.keys());
        let pairs_before = a[..at].iter().rev().zip(b[..now].iter().rev());
        let before = pairs_before.take_while(|(a, b)| a == b).count();
        let after = a[at..].iter().zip(&b[now..]).take_while(|(a, b)| a == b);
        Self {
            start: at - before,
            end: at + after.count(),
            new: now - before,
        }
    }

    fn has(self, at: usize, now: usize) -> bool {
        self.start <= at && at < self.end && now + self.start == at + self.new
    }

    /// Returns true if the run has non-trivial lines that `other` does not have.
    fn reaches_beyond(self, other: Self, old: &Text) -> bool {
        let tells = |mut lines: std::ops::Range<usize>| lines.any(|at| !old.is_trivial(at));
        tells(self.start..other.start.min(self.end)) || tells(other.end.max(self.start)..self.end)
    }
}

/// Cache of runs, because adjacent lines are in the same one.
#[derive(Debug, Default)]
struct Runs(Vec<Around>);

impl Runs {
    /// Returns the run around a pair.
    ///
    /// Pairs must be queried in order, because runs that end before `at` are forgotten.
    fn around(&mut self, old: &Text, new: &Text, at: usize, now: usize) -> Around {
        self.0.retain(|run| at < run.end);
        if let Some(known) = self.0.iter().find(|run| run.has(at, now)) {
            return *known;
        }
        let around = Around::of(old, new, at, now);
        self.0.push(around);
        around
    }
}
