//! Lines of a place that are copies of lines of the text.
//!
//! Where a text was copied first and taken out later, its last lines may be followed to the end of the copy: a comparison cannot tell
//! which of two equal lines stayed. The rest of the copy was there when the rest of the text left.

use std::collections::BTreeMap;

use super::compare::Comparing;
use crate::place::Place;
use crate::replay::{Leave, Line, Located};

impl Comparing<'_> {
    /// True if more of `place` is lines that were there already when equal ones of the text were taken out, than lines of it
    /// that were followed to it.
    pub(super) fn is_of_copies(&self, place: &Place, followed: &Located) -> bool {
        let old = self.old;
        let lines = || (old.lines.start..old.lines.end).zip(&followed.followed.lines);
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

    /// Weight of `lines` of the text of which `place` has equals that were in its file in `commit`.
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
