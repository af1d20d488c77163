//! Evidence from history on a location that a comparison of the old and the current file has found. History follows
//! each line of a text commit by commit.

use windlass_base::{RepoPath, is_on};

use crate::place::Place;
use crate::replay::Located;
use crate::text::Range;

/// Minimum share of a text, in percent, that history has to follow unchanged for its location to be claimed without
/// further evidence.
pub(crate) const MIN_ALONE: u32 = 70;

/// Minimum share that history has to follow unchanged for its location to be preferred to one that overlaps it.
const MIN_PREFERRED: u32 = 40;

/// Minimum share that history has to follow, including edited lines, for the ends of the location to be known.
const MIN_NEARLY_ALL: u32 = 80;

/// Minimum share that history has to follow to contradict another location.
const MIN_AGAINST: u32 = 10;

/// Minimum shares for a location that is also the most similar one: the unchanged share, the share with edited lines,
/// and the similarity.
const MIN_SAME_TOGETHER: u32 = 20;
const MIN_EDITED_TOGETHER: u32 = 40;
const MIN_LIKE_TOGETHER: u32 = 55;

/// Number of lines by which the range at a location may exceed twice the length of the text. A longer range includes
/// other texts.
const MAX_BETWEEN: usize = 2;

/// Maximum share of a text, in percent, that may have been removed without an equal line being added. If more was
/// removed, what remains is not the same text.
const MAX_LEFT: u32 = 50;

/// Surplus of a wider location that may be due to chance, in percent.
const MAX_LOOSE: u32 = 5;

/// Minimum shares that have to remain if the rest of the text is known to be deleted: the unchanged share, and the
/// share with edited lines. The last value is the minimum number of letters and digits in unchanged unique lines.
const MIN_REMAINS: u32 = 10;
const MIN_REMAINS_EDITED: u32 = 20;
const MIN_PROOF: u32 = 12;

/// What history says about a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// The text is at the location.
    For,
    /// The text is at this location, which overlaps the one in question.
    Rather(&'a Place),
    /// The text is elsewhere or deleted.
    Against(Option<&'a Place>),
    /// History neither supports nor contradicts the location.
    Nothing,
}

impl Located {
    /// Returns what history says about `place`, which is a candidate for a text captured in `home`.
    pub(crate) fn on(&self, place: &Place, home: &RepoPath) -> Word<'_> {
        let own = match &self.place {
            Some(own)
                if (self.same >= MIN_AGAINST || self.is_line_for_line)
                    && !self.is_among_copies() =>
            {
                own
            }
            // A removed text has no location, even if some lines look like it. Files that only look renamed prove
            // nothing. If copies were inserted next to the text, any of them may be the one that is left.
            _ if (self.is_seen() && place.kept < 100)
                || place.file != *home
                || self.is_among_copies() =>
            {
                return Word::Against(None);
            }
            _ => return Word::Nothing,
        };
        if own.file != place.file || !own.lines.overlaps(place.lines) {
            return Word::Against(Some(own));
        }
        if self.reach.is_some_and(|reach| place.is_torn_by(reach)) {
            return match self.is_spread && !self.torn {
                true => Word::Rather(own),
                false => Word::Against(Some(own)),
            };
        }
        if is_about(own.lines, place.lines) {
            return match own.lines != place.lines && self.is_tighter(own, place) {
                true => Word::Rather(own),
                false => Word::For,
            };
        }
        // If a location is much wider than the followed lines, it includes lines that were added.
        let is_nearly_all = own.kept >= MIN_NEARLY_ALL;
        match !self.torn && self.same >= MIN_PREFERRED {
            true if is_nearly_all || !own.lines.is_within(place.lines) => Word::Rather(own),
            _ if own.lines.is_within(place.lines) => Word::For,
            _ => Word::Against(Some(own)),
        }
    }

    /// True if history proves that the equal lines at `place` are not the text, because it is elsewhere or was deleted.
    pub(crate) fn denies(&self, place: &Place) -> bool {
        let is_apart = |own: &Place| own.file != place.file || !own.lines.overlaps(place.lines);
        match (self.proven(), &self.place) {
            (Some(own), _) => is_apart(own),
            // The text was edited at its own location. That is not enough to claim it, but enough to contradict another
            // one.
            (None, Some(own)) if self.same >= MIN_PREFERRED && self.is_seen() => {
                !self.torn && is_apart(own)
            }
            (None, _) => self.left_for_good() && !self.has_a_trace(),
        }
    }

    /// True if most of the text was removed and no equal line was added by the same commits. It may have been restored
    /// later.
    pub(crate) fn left_for_good(&self) -> bool {
        self.is_seen() && self.rest.clean > MAX_LEFT
    }

    /// True if `own` is a part of `place`, and the rest of `place` does not come from the text.
    fn is_tighter(&self, own: &Place, place: &Place) -> bool {
        let says_as_much = own.kept + MAX_LOOSE >= place.kept;
        !self.torn && says_as_much && own.lines.is_within(place.lines)
    }

    /// Returns the location that history alone proves. Returns `None` if it proves none.
    pub(crate) fn proven(&self) -> Option<&Place> {
        let place = self.place.as_ref();
        let is_enough = self.same >= MIN_ALONE || self.is_commented_out || self.is_line_for_line;
        place.filter(|_| !self.torn && is_enough)
    }

    /// Returns the location of the remainder of the text if the rest is known to be deleted.
    pub(crate) fn remains(&self) -> Option<&Place> {
        let says_enough = self.same >= MIN_REMAINS && self.proof >= MIN_PROOF;
        let is_known = says_enough && !self.torn && self.is_all_that_is_left();
        let place = self.place.as_ref();
        place.filter(|place| is_known && place.kept >= MIN_REMAINS_EDITED)
    }

    /// Returns the location that history proves together with the similarity of `nearest`, which is the most similar
    /// location in the file.
    pub(crate) fn joined(&self, nearest: &Place) -> Option<&Place> {
        let own = self.place.as_ref()?;
        // Lines that many texts contain also remain if one text was deleted and another was written in its place, so
        // unique lines are required.
        let is_enough = (self.same >= MIN_PREFERRED && self.proof >= MIN_PROOF)
            || (is_on("evidence.joined_similar")
                && self.same >= MIN_SAME_TOGETHER
                && own.kept >= MIN_EDITED_TOGETHER
                && nearest.kept >= MIN_LIKE_TOGETHER);
        let fits = nearest.file == own.file && is_about(own.lines, nearest.lines);
        let is_one = own.lines.len() <= self.followed.lines.len() * 2 + MAX_BETWEEN;
        // If most of the unique lines were removed, the rest may belong to a similar text.
        let says_it = self.proof >= self.lost;
        (is_enough && fits && is_one && says_it && !self.torn).then_some(own)
    }
}

/// True if two locations share most of their lines.
fn is_about(one: Range, other: Range) -> bool {
    let shared = one
        .end
        .min(other.end)
        .saturating_sub(one.start.max(other.start));
    let all = one.end.max(other.end) - one.start.min(other.start);
    shared * 2 >= all
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_base::RepairMethod;

    fn place(start: usize, end: usize, kept: u32) -> Place {
        Place {
            file: "a.rs".parse().unwrap(),
            lines: Range { start, end },
            kept,
            method: RepairMethod::History,
        }
    }

    #[test]
    fn equal_locations_narrower_wins() {
        let home: RepoPath = "a.rs".parse().unwrap();
        let own = place(15, 33, 76);
        let followed = Located {
            place: Some(own.clone()),
            same: 31,
            ..Located::default()
        };
        // The location also contains another text.
        let wide = place(15, 45, 78);
        assert_eq!(followed.on(&wide, &home), Word::Rather(&own));
        // The lines that could not be followed are next to the location.
        let fuller = place(15, 45, 90);
        assert_eq!(followed.on(&fuller, &home), Word::For);
        assert_eq!(followed.on(&own, &home), Word::For);
        let shifted = place(12, 32, 76);
        assert_eq!(followed.on(&shifted, &home), Word::For);
    }
}
