//! Correction of a line map for lines that many records contain, such as `}` or `type: string`.
//!
//! A diff is free to pair such a line with any equal one, so it can end up in the record next to
//! its own. We look for these pairs beside the gaps of the map, and move or drop them. See
//! [`crate::records`] for what counts as a record here.

use super::{LineMap, NONE};
use crate::params;
use crate::records::{Known, Standing, are_apart, are_together, known_around, known_around_new};
use crate::text::Text;

impl LineMap {
    /// Removes pairs of common lines that connect different records.
    ///
    /// Such a line is then paired with the equal line of its own record, if there is one.
    pub(super) fn leave_other_records(&mut self, old: &Text, new: &Text) {
        let is_strange = |at: &usize| {
            let Some(to) = self.to(*at) else { return false };
            match Standing::of_line(old, new, *at, to) {
                Standing::Other(_) => true,
                Standing::Open => self.crosses(old, new, *at, to),
                Standing::Same => false,
            }
        };
        let mut strangers = self.beside_gaps(old, new);
        strangers.retain(is_strange);
        // All strangers are unpaired first, since one of them may hold the very line that another
        // one needs.
        for at in &strangers {
            if let Some(now) = self.to(*at) {
                self.carried[now] = false;
                self.to[*at] = NONE;
            }
        }
        for at in strangers {
            self.pair_within_its_record(old, new, at);
        }
    }

    /// Returns true if line `at` of the old text and line `to` of the new text are in different
    /// records, because a unique line in the record of one of them is paired with a line that is
    /// not in the record of the other.
    fn crosses(&self, old: &Text, new: &Text, at: usize, to: usize) -> bool {
        let is_carried = |known: &Known| self.to(known.old) == Some(known.new);
        let mut here = known_around(old, new, at).into_iter();
        let mut there = known_around_new(old, new, to).into_iter();
        here.any(|known| is_carried(&known) && are_apart(new, known.new, to))
            || there.any(|known| is_carried(&known) && are_apart(old, known.old, at))
    }

    /// Pairs line `at` with the equal line in its record: the one at the same distance from a
    /// unique line, or else the only one.
    fn pair_within_its_record(&mut self, old: &Text, new: &Text, at: usize) {
        let mut own = known_around(old, new, at);
        own.retain(|known| self.to(known.old) == Some(known.new));
        let before = (0..at).rev().find_map(|at| self.to(at));
        let after = (at + 1..self.to.len()).find_map(|at| self.to(at));
        // The pairs of a map are in the same order in both texts, so the new line has to lie
        // between the lines that are paired with our neighbors.
        let is_open = |now: &usize| {
            before.is_none_or(|before| before < *now)
                && after.is_none_or(|after| *now < after)
                && !self.is_carried(*now)
                && own.iter().any(|known| are_together(new, known.new, *now))
        };
        let alike = new
            .lines_like(old.keys()[at])
            .iter()
            .take(params::MAX_EQUAL_LINES);
        let open: Vec<usize> = alike.map(|now| *now as usize).filter(is_open).collect();
        // A short record often contains the same line twice, for example two closing braces. The
        // distance to a unique line tells them apart.
        let is_as_far = |now: &&usize| own.iter().any(|known| known.beside(at) == Some(**now));
        let found = match (open.iter().find(is_as_far), &open[..]) {
            (Some(now), _) | (None, [now]) => *now,
            _ => return,
        };
        self.to[at] = found as u32;
        self.carried[found] = true;
    }

    /// Returns the paired lines at both ends of each run of pairs, up to the first that is unique
    /// in both texts. Lines in the middle of a run are not suspicious.
    fn beside_gaps(&self, old: &Text, new: &Text) -> Vec<usize> {
        let mut found = Vec::new();
        for (run, _) in self.runs() {
            let is_open = |at: &usize| Known::of(old, *at, new).is_none();
            let forwards = run
                .clone()
                .take(params::MAX_EQUAL_LINES)
                .take_while(is_open);
            let backwards = run.rev().take(params::MAX_EQUAL_LINES).take_while(is_open);
            found.extend(forwards.chain(backwards));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
