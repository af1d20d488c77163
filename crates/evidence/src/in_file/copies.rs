//! Texts that have copies in their own file.

use super::Comparison;
use crate::records::only_one;
use crate::text::Range;

/// Maximum distance between a text and a unique line that distinguishes it from its copies, in non-trivial lines.
const MAX_AWAY: usize = 4;

/// Maximum number of copies whose neighbours are inspected.
const MOST_COPIES: usize = 1_000;

/// Comparison of a text with the copies that it has or had in its file.
pub(crate) struct Copies<'a> {
    comparison: &'a Comparison<'a>,
}

impl<'a> Copies<'a> {
    pub(crate) fn of(comparison: &'a Comparison<'a>) -> Self {
        Self { comparison }
    }

    /// True if the text was deleted and its copies remained. The copies that start at `now` must be former copies. In
    /// addition, either the lines around the text are adjacent now and cannot belong to a copy, or a unique line next
    /// to the text was deleted with it while the copies still have theirs.
    pub(super) fn is_one_of_several_that_went(&self, now: &[usize]) -> bool {
        now.iter().all(|start| self.was_a_copy(*start))
            && (self.is_closed()
                || (self.went_with_its_neighbour() && self.others_kept_theirs(now)))
    }

    /// True if a unique line next to the text is no longer in the file.
    fn went_with_its_neighbour(&self) -> bool {
        let keys = self.comparison.old.text.keys();
        let mut single = self.single_neighbours(self.comparison.old.lines);
        single.any(|at| self.comparison.new.lines_like(keys[at]).is_empty())
    }

    /// True if each of the copies that start at `now` still has a unique line of the old file next to it.
    fn others_kept_theirs(&self, now: &[usize]) -> bool {
        let then = self
            .comparison
            .old
            .text
            .places_of(self.comparison.old.keys(), MOST_COPIES);
        let kept = |start: &usize| {
            let before = then
                .iter()
                .find(|at| self.comparison.map.to(**at) == Some(*start));
            before.is_some_and(|at| self.stays_beside_one(*at, *start))
        };
        now.iter().all(kept)
    }

    /// True if a text at `start` still has a unique line of the old file next to it.
    pub(crate) fn kept_its_neighbour(&self, start: usize) -> bool {
        self.stays_beside_one(self.comparison.old.lines.start, start)
    }

    /// True if a unique line next to the copy at `before` has the same distance from `now`.
    fn stays_beside_one(&self, before: usize, now: usize) -> bool {
        let lines = Range {
            start: before,
            end: before + self.comparison.old.lines.len(),
        };
        let mut single = self.single_neighbours(lines);
        single.any(|line| {
            let to = self.comparison.map.to(line);
            to.is_some_and(|to| to + before == line + now)
        })
    }

    /// True if the copy at `start` is not the text, because it was added later or still has its own unique line next to
    /// it.
    pub(crate) fn is_another_copy(&self, start: usize) -> bool {
        let mut lines = start..start + self.comparison.old.lines.len();
        let is_new = lines
            .all(|at| self.comparison.new.is_trivial(at) || !self.comparison.map.is_carried(at));
        is_new
            || (self.comparison.map.to(self.comparison.old.lines.start) != Some(start)
                && self.others_kept_theirs(&[start]))
    }

    /// Returns the unique lines of the old file that are close to `lines`.
    fn single_neighbours(&self, lines: Range) -> impl Iterator<Item = usize> {
        let text = &self.comparison.old.text;
        let telling = |at: &usize| !text.is_trivial(*at);
        let before = (0..lines.start).rev().filter(telling).take(MAX_AWAY);
        let after = (lines.end..text.len()).filter(telling).take(MAX_AWAY);
        let near: Vec<usize> = before.chain(after).collect();
        near.into_iter().filter(|at| text.alike(*at) == 1)
    }

    /// True if several copies of the text are between its nearest unchanged lines, so that each of them may be the
    /// text.
    ///
    /// If the text had no copies before, only lines that are unique in both states count as its neighbours, because
    /// others may belong to a copy.
    pub(super) fn has_a_copy_beside_it(&self) -> bool {
        let lines = self.comparison.old.lines;
        let stood_once = self
            .comparison
            .old
            .text
            .places_of(self.comparison.old.keys(), 2)
            .len()
            == 1;
        let telling = |at: &usize| match stood_once {
            true => only_one(&self.comparison.old.text, *at, self.comparison.new).is_some(),
            false => !self.comparison.old.text.is_trivial(*at),
        };
        let mut before = (0..lines.start).rev().filter(telling);
        let mut after = (lines.end..self.comparison.old.text.len()).filter(telling);
        let start = before
            .find_map(|at| self.comparison.map.to(at))
            .map_or(0, |to| to + 1);
        let end = after
            .find_map(|at| self.comparison.map.to(at))
            .unwrap_or(self.comparison.new.len());
        let there = self
            .comparison
            .new
            .places_of(self.comparison.old.keys(), MOST_COPIES)
            .into_iter();
        let beside = there.filter(|at| start <= *at && at + lines.len() <= end);
        beside.count() > 1
    }

    /// True if the lines at `start` in the new state were already a copy of the text at another location.
    fn was_a_copy(&self, start: usize) -> bool {
        let telling = |at: &usize| !self.comparison.new.is_trivial(*at);
        let mut lines = (start..start + self.comparison.old.lines.len()).filter(telling);
        lines.all(|at| self.comparison.map.is_carried(at) && !self.comparison.is_from_the_text(at))
    }

    /// True if the lines before and after the text are adjacent now, and cannot be the neighbours of a copy.
    fn is_closed(&self) -> bool {
        let lines = self.comparison.old.lines;
        let telling = |at: &usize| !self.comparison.old.text.is_trivial(*at);
        let before: Vec<usize> = (0..lines.start).rev().filter(telling).collect();
        let after: Vec<usize> = (lines.end..self.comparison.old.text.len())
            .filter(telling)
            .collect();
        let (Some(above), Some(below)) = (self.nearest(&before), self.nearest(&after)) else {
            return false;
        };
        let gap = Range {
            start: above.map_or(0, |to| to + 1),
            end: below.unwrap_or(self.comparison.new.len()),
        };
        (above.is_some() || below.is_some())
            && (gap.start..gap.end).all(|at| self.comparison.new.is_trivial(at))
    }

    /// Returns the current location of the first of `lines`, which are the neighbours on one side of the text. Returns
    /// `Some(None)` if the text has no neighbours there. Returns `None` if the location is unknown, or if no nearby
    /// line was unique in the old file.
    fn nearest(&self, lines: &[usize]) -> Option<Option<usize>> {
        let Some(first) = lines.first() else {
            return Some(None);
        };
        let is_single = |at: &&usize| self.comparison.old.text.alike(**at) == 1;
        let single = lines.iter().take(MAX_AWAY).find(is_single)?;
        let stays = |at: &&usize| self.comparison.map.to(**at).is_some();
        let between = lines.iter().take_while(|at| *at != single);
        (between.chain([single]).all(|at| stays(&at))).then(|| self.comparison.map.to(*first))
    }
}
