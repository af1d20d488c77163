//! Lines that many records contain, such as `}` or `type: string`. A line must not be paired with an equal line of
//! another record.

use super::{LineMap, MAX_ALIKE, NONE};
use crate::records::{Known, Standing, are_apart, are_together, known_around, known_around_new};
use crate::text::Text;

/// Number of lines next to added or removed lines whose record is determined.
const MAX_FRINGE: usize = 64;

impl LineMap {
    /// Removes pairs of lines that many records contain if they connect different records. Such a line is paired with
    /// the equal line of its own record if there is one.
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

    /// True if line `at` of the old text and line `to` of the new text are in different records. The record of one of
    /// them is paired, and the other line is not in the paired record.
    pub(crate) fn crosses(&self, old: &Text, new: &Text, at: usize, to: usize) -> bool {
        let is_carried = |known: &Known| self.to(known.old) == Some(known.new);
        let mut here = known_around(old, new, at).into_iter();
        let mut there = known_around_new(old, new, to).into_iter();
        here.any(|known| is_carried(&known) && are_apart(new, known.new, to))
            || there.any(|known| is_carried(&known) && are_apart(old, known.old, at))
    }

    /// Pairs line `at` with the equal line in its record. This is the line at the same distance from the other lines,
    /// or the only equal one.
    fn pair_within_its_record(&mut self, old: &Text, new: &Text, at: usize) {
        let mut own = known_around(old, new, at);
        own.retain(|known| self.to(known.old) == Some(known.new));
        let before = (0..at).rev().find_map(|at| self.to(at));
        let after = (at + 1..self.to.len()).find_map(|at| self.to(at));
        let is_open = |now: &usize| {
            before.is_none_or(|before| before < *now)
                && after.is_none_or(|after| *now < after)
                && !self.is_carried(*now)
                && own.iter().any(|known| are_together(new, known.new, *now))
        };
        let alike = new.lines_like(old.keys()[at]).iter().take(MAX_ALIKE);
        let open: Vec<usize> = alike.map(|now| *now as usize).filter(is_open).collect();
        let is_as_far = |now: &&usize| own.iter().any(|known| known.beside(at) == Some(**now));
        let found = match (open.iter().find(is_as_far), &open[..]) {
            (Some(now), _) | (None, [now]) => *now,
            _ => return,
        };
        self.to[at] = found as u32;
        self.carried[found] = true;
    }

    /// Returns paired lines that many records contain, from each end of a range of paired lines up to the first line
    /// that is unique in both texts.
    fn beside_gaps(&self, old: &Text, new: &Text) -> Vec<usize> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < self.to.len() {
            let Some(first) = self.to(start) else {
                start += 1;
                continue;
            };
            let follows = |at: &usize| self.to(*at) == Some(first + (*at - start));
            let end = (start..self.to.len()).find(|at| !follows(at));
            let end = end.unwrap_or(self.to.len());
            let is_open = |at: &usize| Known::of(old, *at, new).is_none();
            let forwards = (start..end).take(MAX_FRINGE).take_while(is_open);
            let backwards = (start..end).rev().take(MAX_FRINGE).take_while(is_open);
            found.extend(forwards.chain(backwards));
            start = end;
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
