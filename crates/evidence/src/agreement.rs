//! Evidence of history for or against a place that was found by comparing the two ends.

use windlass_base::RepoPath;

use crate::place::Place;
use crate::replay::Located;
use crate::text::Range;

/// Share of a text that has to be followed unchanged for its place to be claimed on that alone, in percent.
pub(crate) const MIN_ALONE: u32 = 70;

/// The same for its place to be preferred to another that overlaps it.
const MIN_PREFERRED: u32 = 40;

/// Share of it that has to be followed, with its edits, for its ends to be known.
const MIN_NEARLY_ALL: u32 = 80;

/// Share of it that has to be followed to speak against another place.
const MIN_AGAINST: u32 = 10;

/// The least of it that has to be followed unchanged, and with its edits, where the place that it is followed to is also
/// the one most like it, by this much.
const MIN_SAME_TOGETHER: u32 = 20;
const MIN_EDITED_TOGETHER: u32 = 40;
const MIN_LIKE_TOGETHER: u32 = 55;

/// Number of lines beyond twice its own that the remainder may span then: more are of other texts.
const MAX_BETWEEN: usize = 2;

/// Share of it that may have left while nothing equal came in, for the same text to be it still, in percent.
const MAX_LEFT: u32 = 50;

/// Surplus of a wider place that may be chance, in percent.
const MAX_LOOSE: u32 = 5;

/// Share of it that has to be left, unchanged and with its edits, when the rest is known to be deleted; and how many letters and
/// digits of unchanged lines that its old file had only there.
const MIN_REMAINS: u32 = 10;
const MIN_REMAINS_EDITED: u32 = 20;
const MIN_PROOF: u32 = 12;

/// Evidence of history on a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// The text is there.
    For,
    /// It is there, and a part of it beside it: here.
    Rather(&'a Place),
    /// It is elsewhere, or nowhere.
    Against(Option<&'a Place>),
    /// No evidence for or against the location.
    Nothing,
}

impl Located {
    /// Evidence on `place`, found for a text that was captured in `home`.
    pub(crate) fn on(&self, place: &Place, home: &RepoPath) -> Word<'_> {
        let own = match &self.place {
            Some(own)
                if (self.same >= MIN_AGAINST || self.is_line_for_line)
                    && !self.is_among_copies() =>
            {
                own
            }
            // A text that was seen to leave is nowhere, even if some lines look like it; files that only look renamed prove nothing; and
            // of copies that were written beside it one may be left.
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
        // A place much wider than what was followed has lines in it that came in since.
        let is_nearly_all = own.kept >= MIN_NEARLY_ALL;
        match !self.torn && self.same >= MIN_PREFERRED {
            true if is_nearly_all || !own.lines.is_within(place.lines) => Word::Rather(own),
            _ if own.lines.is_within(place.lines) => Word::For,
            _ => Word::Against(Some(own)),
        }
    }

    /// True if this proves that the text is not at `place`, though the same bytes do: it is elsewhere, or it left.
    pub(crate) fn denies(&self, place: &Place) -> bool {
        let is_apart = |own: &Place| own.file != place.file || !own.lines.overlaps(place.lines);
        match (self.proven(), &self.place) {
            (Some(own), _) => is_apart(own),
            // Edited there, which is less than a proof of that place.
            (None, Some(own)) if self.same >= MIN_PREFERRED && self.is_seen() => {
                !self.torn && is_apart(own)
            }
            (None, _) => self.left_for_good() && !self.has_a_trace(),
        }
    }

    /// True if most of it left while nothing equal came in. It may have been brought back.
    pub(crate) fn left_for_good(&self) -> bool {
        self.is_seen() && self.rest.clean > MAX_LEFT
    }

    /// True if `own` is a part of `place`, and what `place` has beside it is not of the text.
    fn is_tighter(&self, own: &Place, place: &Place) -> bool {
        let says_as_much = own.kept + MAX_LOOSE >= place.kept;
        !self.torn && says_as_much && own.lines.is_within(place.lines)
    }

    /// The place that is proven by this alone.
    pub(crate) fn proven(&self) -> Option<&Place> {
        let place = self.place.as_ref();
        let is_enough = self.same >= MIN_ALONE || self.is_commented_out || self.is_line_for_line;
        place.filter(|_| !self.torn && is_enough)
    }

    /// The place of what is left of the text, where the rest is known to be deleted.
    pub(crate) fn remains(&self) -> Option<&Place> {
        let says_enough = self.same >= MIN_REMAINS && self.proof >= MIN_PROOF;
        let is_known = says_enough && !self.torn && self.is_all_that_is_left();
        let place = self.place.as_ref();
        place.filter(|place| is_known && place.kept >= MIN_REMAINS_EDITED)
    }

    /// The place that is proven by this together with `nearest`, the place that is most like the text in its file.
    pub(crate) fn joined(&self, nearest: &Place) -> Option<&Place> {
        let own = self.place.as_ref()?;
        // Lines that many texts have are left as well where one of them was deleted and another written in its place.
        let is_enough = (self.same >= MIN_PREFERRED && self.proof >= MIN_PROOF)
            || (self.same >= MIN_SAME_TOGETHER
                && own.kept >= MIN_EDITED_TOGETHER
                && nearest.kept >= MIN_LIKE_TOGETHER);
        let fits = nearest.file == own.file && is_about(own.lines, nearest.lines);
        let is_one = own.lines.len() <= self.followed.lines.len() * 2 + MAX_BETWEEN;
        // If most of its unique lines are gone, the rest is what others like it have.
        let says_it = self.proof >= self.lost;
        (is_enough && fits && is_one && says_it && !self.torn).then_some(own)
    }
}

/// True if two places share most of their lines.
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
        // The lines that could not be followed are beside it.
        let fuller = place(15, 45, 90);
        assert_eq!(followed.on(&fuller, &home), Word::For);
        assert_eq!(followed.on(&own, &home), Word::For);
        let shifted = place(12, 32, 76);
        assert_eq!(followed.on(&shifted, &home), Word::For);
    }
}
