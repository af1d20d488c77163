//! Lines that many records have are not carried to another record than their own.

use super::{LineMap, MAX_ALIKE, NONE};
use crate::records::{Known, Standing, are_apart, known_around, known_around_new};
use crate::text::Text;

/// How many lines beside those that were put in or taken out are asked which record they are of.
const MAX_FRINGE: usize = 64;

impl LineMap {
    /// Takes back what is said of lines that many have and that stand in another record now; they are of their own still, where that is
    /// carried and has them.
    pub(super) fn leave_other_records(&mut self, old: &Text, new: &Text) {
        let mut strangers: Vec<(usize, Option<Known>)> = Vec::new();
        for at in self.beside_gaps(old, new) {
            let Some(to) = self.to(at) else { continue };
            match Standing::of_line(old, new, at, to) {
                Standing::Other(known) => strangers.push((at, Some(known))),
                Standing::Open if self.crosses(old, new, at, to) => strangers.push((at, None)),
                Standing::Open | Standing::Same => {}
            }
        }
        for (at, _) in &strangers {
            if let Some(now) = self.to(*at) {
                self.carried[now] = false;
                self.to[*at] = NONE;
            }
        }
        for (at, own) in strangers {
            self.pair_within_its_record(old, new, at, own);
        }
    }

    /// Whether a record that is carried to its place has line `at` of the old text and not line `to` of the new one, or the other way
    /// round.
    pub(crate) fn crosses(&self, old: &Text, new: &Text, at: usize, to: usize) -> bool {
        let is_carried = |known: &Known| self.to(known.old) == Some(known.new);
        let mut here = known_around(old, new, at).into_iter();
        let mut there = known_around_new(old, new, to).into_iter();
        here.any(|known| is_carried(&known) && are_apart(new, known.new, to))
            || there.any(|known| is_carried(&known) && are_apart(old, known.old, at))
    }

    /// Pairs line `at` with the equal one that its record has where it is carried: the one that stands as far from `own`, or the only one.
    fn pair_within_its_record(&mut self, old: &Text, new: &Text, at: usize, own: Option<Known>) {
        let before = (0..at).rev().find_map(|at| self.to(at));
        let after = (at + 1..self.to.len()).find_map(|at| self.to(at));
        let is_open = |now: &usize| {
            before.is_none_or(|before| before < *now)
                && after.is_none_or(|after| *now < after)
                && !self.is_carried(*now)
        };
        let alike = new.lines_like(old.keys()[at]).iter().take(MAX_ALIKE);
        let mut open = alike.map(|now| *now as usize).filter(is_open);
        let found = match own.filter(|own| self.to(own.old) == Some(own.new)) {
            Some(own) => open.find(|now| own.beside(at) == Some(*now)),
            None => {
                let mut open = open.filter(|now| !self.crosses(old, new, at, *now));
                open.next().filter(|_| open.next().is_none())
            }
        };
        if let Some(now) = found {
            self.to[at] = now as u32;
            self.carried[now] = true;
        }
    }

    /// The carried lines that many have, from each end of a stretch of carried lines to the first that stands once in both texts.
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
