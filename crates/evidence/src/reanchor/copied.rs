//! Followed locations that are the end of a copy.
//!
//! If a text was first copied and later deleted, its last lines may be followed to the end of the
//! copy, because a diff cannot tell equal lines apart. The rest of the copy gives it away: it
//! already existed when the rest of the text was removed.

use std::collections::BTreeMap;

use super::compare::Comparing;
use crate::place::Place;
use crate::replay::{Leave, Line, Located};

impl Comparing<'_> {
    /// Returns true if `place` has more lines that existed when equal lines of the text were
    /// removed than lines to which the text was followed. Lines are compared by weight.
    pub(super) fn is_of_copies(&self, place: &Place, followed: &Located) -> bool {
        let old = self.old;
        let lines = || old.lines.iter().zip(&followed.followed.lines);
        let is_there = |line: &Line| {
            let at = line.at.as_ref();
            at.is_some_and(|(file, now)| *file == place.file && place.lines.contains(*now as usize))
        };
        let own = lines().filter(|(_, line)| is_there(line));
        let own: u32 = own.map(|(at, _)| old.text.weight(at)).sum();
        let mut taken_out: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let cleanly = lines().filter(|(_, line)| line.at.is_none() && line.left == Leave::Clean);
        for (at, line) in cleanly {
            taken_out.entry(line.when).or_default().push(at);
        }
        let copied = taken_out.iter().map(|(when, lines)| {
            let commit = followed.followed.commits.get(when);
            commit.map_or(0, |commit| self.stood_at(place, commit, lines))
        });
        copied.sum::<u32>() > own
    }

    /// Adds up the weight of those `lines` of the text that equal a line of `place` which already
    /// existed in `commit`.
    fn stood_at(&self, place: &Place, commit: &str, lines: &[usize]) -> u32 {
        let old = self.old;
        let Some((now, map)) = self.search.since(&place.file, commit) else {
            return 0;
        };
        let stood = |at: &&usize| {
            let equals = now.lines_like(old.text.keys()[**at]).iter();
            let mut equals = equals.map(|at| *at as usize);
            equals.any(|at| place.lines.contains(at) && map.is_carried(at))
        };
        lines
            .iter()
            .filter(stood)
            .map(|at| old.text.weight(*at))
            .sum()
    }
}
