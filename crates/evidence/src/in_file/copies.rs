//! Texts that stood in their file several times.

use super::Comparison;
use crate::text::Range;

/// How far from a text a line that its file has once may stand to tell it from its copies, in lines that say something.
const MAX_AWAY: usize = 4;

impl Comparison<'_> {
    /// Whether the text went and its copies stayed: those that stand there `now`, as first lines, are where they were, and its
    /// own place is closed between lines that tell it from the others.
    pub(super) fn is_one_of_several_that_went(&self, now: &[usize]) -> bool {
        now.iter().all(|start| self.was_a_copy(*start)) && self.is_closed()
    }

    /// Whether the lines at `start` of the new state were another place with the text before.
    fn was_a_copy(&self, start: usize) -> bool {
        let telling = |at: &usize| !self.new.is_trivial(*at);
        let mut lines = (start..start + self.old.lines.len()).filter(telling);
        lines.all(|at| self.map.is_carried(at) && !self.is_from_the_text(at))
    }

    /// Whether the lines before and after the text stand next to each other now, and could not be those around a copy.
    fn is_closed(&self) -> bool {
        let lines = self.old.lines;
        let telling = |at: &usize| !self.old.text.is_trivial(*at);
        let before: Vec<usize> = (0..lines.start).rev().filter(telling).collect();
        let after: Vec<usize> = (lines.end..self.old.text.len()).filter(telling).collect();
        let (Some(above), Some(below)) = (self.nearest(&before), self.nearest(&after)) else {
            return false;
        };
        let gap = Range {
            start: above.map_or(0, |to| to + 1),
            end: below.unwrap_or(self.new.len()),
        };
        (above.is_some() || below.is_some())
            && (gap.start..gap.end).all(|at| self.new.is_trivial(at))
    }

    /// Where the first of the `lines` beside the text stands now, `None` in it where there is none; nothing where that is not
    /// known, or where one of the lines next to it is not one that the file had once.
    fn nearest(&self, lines: &[usize]) -> Option<Option<usize>> {
        let Some(first) = lines.first() else {
            return Some(None);
        };
        let is_single =
            |at: &&usize| self.old.text.lines_like(self.old.text.keys()[**at]).len() == 1;
        let single = lines.iter().take(MAX_AWAY).find(is_single)?;
        let stays = |at: &&usize| self.map.to(**at).is_some();
        let between = lines.iter().take_while(|at| *at != single);
        (between.chain([single]).all(|at| stays(&at))).then(|| self.map.to(*first))
    }
}
