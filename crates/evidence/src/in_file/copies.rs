//! Texts that have copies in their own file. Unique lines near a copy show which copy it is.

use super::Comparison;
use crate::params;
use crate::text::Range;

impl Comparison<'_> {
    /// Returns true if a unique line near the text is carried and as far from line `start` as it
    /// was from the text. The copy at `start` is then the text.
    pub(crate) fn kept_its_neighbour(&self, start: usize) -> bool {
        self.stays_beside_one(self.old.lines.start, start)
    }

    /// Returns true if the copy at `start` is not the text, because it was added later or was
    /// already near a unique line of its own.
    pub(crate) fn is_another_copy(&self, start: usize) -> bool {
        let mut lines = start..start + self.old.lines.len();
        let is_new = lines.all(|at| self.new.is_trivial(at) || !self.map.is_carried(at));
        let then = || {
            self.old
                .text
                .places_of(self.old.keys(), params::MAX_COPIES_COUNTED)
        };
        let kept_its_own = || {
            let before = then()
                .into_iter()
                .find(|at| self.map.to(*at) == Some(start));
            before.is_some_and(|before| self.stays_beside_one(before, start))
        };
        is_new || (self.map.to(self.old.lines.start) != Some(start) && kept_its_own())
    }

    /// Returns true if a unique line near the copy at `before` is carried and as far from line
    /// `now` as it was from that copy.
    fn stays_beside_one(&self, before: usize, now: usize) -> bool {
        let (text, copy) = (
            &self.old.text,
            Range::new(before, before + self.old.lines.len()),
        );
        let above = text.telling_above(copy.start).take(params::MAX_DISTANCE);
        let near = above.chain(text.telling_below(copy.end).take(params::MAX_DISTANCE));
        let mut single = near.filter(|at| text.alike(*at) == 1);
        single.any(|line| {
            self.map
                .to(line)
                .is_some_and(|to| to + before == line + now)
        })
    }
}
