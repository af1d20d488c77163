//! Agreement between the two ways of locating a text.
//!
//! We compare its old file with the current one, and we also follow it commit by commit. The
//! methods here state how the result of following it ([`Located`]) fits a location that was found
//! by comparison.

use windlass_base::{RepoPath, is_on};

use crate::params;
use crate::place::Place;
use crate::replay::Located;
use crate::text::Range;

/// Opinion of a text's history on a location that was found by comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// The text is at this location.
    For,
    /// The text is at another location, which overlaps this one and is preferred.
    Rather(&'a Place),
    /// The text is elsewhere (at the given location, if there is one) or was deleted.
    Against(Option<&'a Place>),
    /// The history does not tell.
    Nothing,
}

impl Located {
    /// Judges `place`, a candidate location for a text that was captured in `home`.
    pub(crate) fn on(&self, place: &Place, home: &RepoPath) -> Word<'_> {
        let own = match &self.place {
            Some(own)
                if (self.same >= params::NEGLIGIBLE || self.is_line_for_line)
                    && !self.is_among_copies() =>
            {
                own
            }
            // A removed text has no location, even if some lines look like it. If the file differs
            // from `home`, git may have guessed the rename, and that proves nothing. If copies were
            // inserted next to the text, any of them may be the one that is left.
            _ if (self.is_seen() && place.kept < 100)
                || place.file != *home
                || self.is_among_copies() =>
            {
                return Word::Against(None);
            }
            _ => return Word::Nothing,
        };
        // Without a unique unchanged line, the followed lines may belong to a similar text.
        let is_apart = own.file != place.file || !own.lines.overlaps(place.lines);
        if is_apart || (self.is_common && place.kept < 100) {
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
        // A location that is much wider than the followed lines also contains lines that were added
        // since.
        let is_nearly_all = own.kept >= params::NEARLY_ALL;
        match !self.torn && self.same >= params::MIN_PREFERRED {
            true if is_nearly_all || !own.lines.is_within(place.lines) => Word::Rather(own),
            _ if own.lines.is_within(place.lines) => Word::For,
            _ => Word::Against(Some(own)),
        }
    }

    /// Returns true if equal lines at `place` cannot be the text, because it was followed elsewhere
    /// or was deleted.
    pub(crate) fn denies(&self, place: &Place) -> bool {
        let is_apart = |own: &Place| own.file != place.file || !own.lines.overlaps(place.lines);
        match (self.proven(), &self.place) {
            (Some(own), _) => is_apart(own),
            // The text was followed to a location of its own and edited there. That is too little
            // to claim this location, but enough to contradict another.
            (None, Some(own)) if self.same >= params::MIN_PREFERRED && self.is_seen() => {
                !self.torn && is_apart(own)
            }
            (None, _) => self.left_for_good() && !self.has_a_trace(),
        }
    }

    /// Returns true if most of the text was removed by commits that added no equal line. Later
    /// commits may have restored it.
    pub(crate) fn left_for_good(&self) -> bool {
        self.is_seen() && self.rest.clean > params::HALF
    }

    /// Returns true if `own` is the part of `place` that comes from the text, and the rest of
    /// `place` comes from elsewhere.
    fn is_tighter(&self, own: &Place, place: &Place) -> bool {
        let says_as_much = own.kept + params::MAX_LOOSE >= place.kept;
        !self.torn && says_as_much && own.lines.is_within(place.lines)
    }

    /// Returns the followed location if history alone proves it. See also [`Self::joined`].
    pub(crate) fn proven(&self) -> Option<&Place> {
        let place = self.place.as_ref();
        let is_enough = self.same >= params::MIN_ALIKE || self.is_line_for_line;
        place.filter(|_| !self.torn && is_enough && !self.is_common)
    }

    /// Returns the location of what is left of the text if the rest of it is known to be deleted.
    pub(crate) fn remains(&self) -> Option<&Place> {
        let says_enough = self.same >= params::NEGLIGIBLE && self.proof >= params::MIN_INFORMATION;
        let is_known = says_enough && !self.torn && self.is_all_that_is_left();
        let place = self.place.as_ref();
        place.filter(|place| is_known && place.kept >= params::MIN_AGREED)
    }

    /// Returns the followed location if history proves it together with `nearest`, the most similar
    /// location in the file.
    pub(crate) fn joined(&self, nearest: &Place) -> Option<&Place> {
        let own = self.place.as_ref()?;
        // Lines that many texts contain also remain when one text is deleted and another is written
        // in its place. Without similarity to support them, we need unique lines.
        let is_enough = (self.same >= params::MIN_PREFERRED
            && self.proof >= params::MIN_INFORMATION)
            || (is_on("evidence.joined_similar")
                && self.same >= params::MIN_AGREED
                && own.kept >= params::MIN_PREFERRED
                && nearest.kept >= params::HALF);
        let fits = nearest.file == own.file && is_about(own.lines, nearest.lines);
        let is_one = own.lines.len() <= self.followed.lines.len() * 2 + params::MAX_BETWEEN;
        // If most of the unique lines were removed, the others may belong to a similar text.
        let says_it = self.proof >= self.lost;
        (is_enough && fits && is_one && says_it && !self.torn).then_some(own)
    }
}

/// Returns true if the locations share at least half of the lines they cover together.
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
            lines: Range::new(start, end),
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
        // Wider, but hardly more similar: the surplus is another text.
        let wide = place(15, 45, 78);
        assert_eq!(followed.on(&wide, &home), Word::Rather(&own));
        // Clearly more similar: the surplus is the lines that could not be followed.
        let fuller = place(15, 45, 90);
        assert_eq!(followed.on(&fuller, &home), Word::For);
        assert_eq!(followed.on(&own, &home), Word::For);
        let shifted = place(12, 32, 76);
        assert_eq!(followed.on(&shifted, &home), Word::For);
    }
}
