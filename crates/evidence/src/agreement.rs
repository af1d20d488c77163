//! Evidence of history for or against a location that a comparison of both ends found.

use windlass_base::RepoPath;

use crate::place::Place;
use crate::replay::Located;
use crate::text::Range;

/// Minimum share of a text that has to be followed unchanged to claim its location without further evidence, in
/// percent.
pub(crate) const MIN_ALONE: u32 = 70;

/// The same limit for preferring its location to an overlapping one.
const MIN_PREFERRED: u32 = 40;

/// Minimum share that has to be followed, including edited lines, for the ends of the location to be known.
const MIN_NEARLY_ALL: u32 = 80;

/// Minimum share that has to be followed to contradict another location.
const MIN_AGAINST: u32 = 10;

/// Minimum shares that have to be followed unchanged, and including edited lines, if the location is also the most
/// similar one by this lead.
const MIN_SAME_TOGETHER: u32 = 20;
const MIN_EDITED_TOGETHER: u32 = 40;
const MIN_LIKE_TOGETHER: u32 = 55;

/// Maximum length of the remainder beyond twice its own lines: a longer range includes other texts.
const MAX_BETWEEN: usize = 2;

/// Maximum share that may have been removed without an equal line being added, for it to be still the same text, in
/// percent.
const MAX_LEFT: u32 = 50;

/// Surplus of a wider location that may be chance, in percent.
const MAX_LOOSE: u32 = 5;

/// Minimum shares left, unchanged and including edited lines, if the rest is known to be deleted; and minimum number of
/// letters and digits in unchanged unique lines.
const MIN_REMAINS: u32 = 10;
const MIN_REMAINS_EDITED: u32 = 20;
const MIN_PROOF: u32 = 12;

/// Evidence of history on a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// The text is at the location.
    For,
    /// The text is at the location and next to it: at this one.
    Rather(&'a Place),
    /// The text is elsewhere or deleted.
    Against(Option<&'a Place>),
    /// No evidence for or against the location.
    Nothing,
}

impl Located {
    /// Returns the evidence on `place`, a candidate for a text captured in `home`.
    pub(crate) fn on(&self, place: &Place, home: &RepoPath) -> Word<'_> {
        let own = match &self.place {
            Some(own)
                if (self.same >= MIN_AGAINST || self.is_line_for_line)
                    && !self.is_among_copies() =>
            {
                own
            }
            // A removed text has no location, even if some lines look like it. Files that only look renamed prove
            // nothing. Of copies inserted next to the text, one may be left.
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
        // A location much wider than the followed lines includes added lines.
        let is_nearly_all = own.kept >= MIN_NEARLY_ALL;
        match !self.torn && self.same >= MIN_PREFERRED {
            true if is_nearly_all || !own.lines.is_within(place.lines) => Word::Rather(own),
            _ if own.lines.is_within(place.lines) => Word::For,
            _ => Word::Against(Some(own)),
        }
    }

    /// True if history proves that equal bytes at `place` are not the text: it is elsewhere, or deleted.
    pub(crate) fn denies(&self, place: &Place) -> bool {
        let is_apart = |own: &Place| own.file != place.file || !own.lines.overlaps(place.lines);
        match (self.proven(), &self.place) {
            (Some(own), _) => is_apart(own),
            // The text was edited there, which is no proof of that location.
            (None, Some(own)) if self.same >= MIN_PREFERRED && self.is_seen() => {
                !self.torn && is_apart(own)
            }
            (None, _) => self.left_for_good() && !self.has_a_trace(),
        }
    }

    /// True if most of the text was removed while no equal line was added. It may have been restored.
    pub(crate) fn left_for_good(&self) -> bool {
        self.is_seen() && self.rest.clean > MAX_LEFT
    }

    /// True if `own` is a part of `place`, and the rest of `place` is not from the text.
    fn is_tighter(&self, own: &Place, place: &Place) -> bool {
        let says_as_much = own.kept + MAX_LOOSE >= place.kept;
        !self.torn && says_as_much && own.lines.is_within(place.lines)
    }

    /// Returns the location that history proves by itself.
    pub(crate) fn proven(&self) -> Option<&Place> {
        let place = self.place.as_ref();
        let is_enough = self.same >= MIN_ALONE || self.is_commented_out || self.is_line_for_line;
        place.filter(|_| !self.torn && is_enough)
    }

    /// Returns the location of the remainder, if the rest of the text is known to be deleted.
    pub(crate) fn remains(&self) -> Option<&Place> {
        let says_enough = self.same >= MIN_REMAINS && self.proof >= MIN_PROOF;
        let is_known = says_enough && !self.torn && self.is_all_that_is_left();
        let place = self.place.as_ref();
        place.filter(|place| is_known && place.kept >= MIN_REMAINS_EDITED)
    }

    /// Returns the location that history proves together with `nearest`, the most similar location in the file.
    pub(crate) fn joined(&self, nearest: &Place) -> Option<&Place> {
        let own = self.place.as_ref()?;
        // Lines that many texts have also remain if one text was deleted and another written in its place.
        let is_enough = (self.same >= MIN_PREFERRED && self.proof >= MIN_PROOF)
            || (self.same >= MIN_SAME_TOGETHER
                && own.kept >= MIN_EDITED_TOGETHER
                && nearest.kept >= MIN_LIKE_TOGETHER);
        let fits = nearest.file == own.file && is_about(own.lines, nearest.lines);
        let is_one = own.lines.len() <= self.followed.lines.len() * 2 + MAX_BETWEEN;
        // If most of the unique lines are removed, the rest may belong to a similar text.
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
        // Another text follows in it.
        let wide = place(15, 45, 78);
        assert_eq!(followed.on(&wide, &home), Word::Rather(&own));
        // The lines that could not be followed are next to it.
        let fuller = place(15, 45, 90);
        assert_eq!(followed.on(&fuller, &home), Word::For);
        assert_eq!(followed.on(&own, &home), Word::For);
        let shifted = place(12, 32, 76);
        assert_eq!(followed.on(&shifted, &home), Word::For);
    }
}
