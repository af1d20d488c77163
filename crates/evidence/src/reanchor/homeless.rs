//! Verdict on a text without a proven location in its own file.
//!
//! The text moved to another file or was deleted, or we can't tell.

use windlass_base::{Repair, RepairMethod, RepairOutcome, SourceHash, is_on};
use windlass_repo::LeftOut;

use super::Search;
use super::homes::Home;
use super::verdict::Found;
use crate::agreement::Word;
use crate::elsewhere::{Elsewhere, had_copies, had_variants};
use crate::explain::Trace;
use crate::in_file::InFile;
use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::replay::Located;
use crate::shared::text_of;

/// A text that has no proven location in its own file, with all that is known about it.
pub(super) struct Homeless<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) old: &'a OldText,
    pub(super) hash: SourceHash,
    pub(super) looks: &'a [(InFile, &'a Home)],
    pub(super) elsewhere: &'a Elsewhere,
    pub(super) followed: Option<&'a Located>,
}

impl Homeless<'_> {
    /// Returns the largest share of the text that one of its own files carries, in percent.
    fn left(&self) -> u32 {
        let carried = self.looks.iter().map(|(look, _)| look.carried);
        carried.max().unwrap_or(0)
    }

    fn in_homes(&self) -> impl Iterator<Item = &Place> {
        self.looks.iter().flat_map(|(look, _)| &look.candidates)
    }

    fn nearest(&self) -> impl Iterator<Item = &Place> {
        self.looks
            .iter()
            .filter_map(|(look, _)| look.nearest.as_ref())
    }

    /// Returns true if the text was followed to one of the most similar locations, edited too much
    /// to prove it. Two independent methods then agree, so something of the text is probably left.
    fn is_pointed_at_twice(&self) -> bool {
        let own = self.followed.and_then(|followed| followed.place.as_ref());
        own.is_some_and(|own| is_among(own, self.in_homes().chain(self.nearest())))
    }

    fn information(&self) -> u32 {
        self.old.text.information(self.old.lines)
    }

    /// Returns the verdict: moved to another file, deleted, or neither with the candidates that
    /// remain.
    pub(super) fn without_a_home(&self, trace: &mut Trace) -> Found {
        let elsewhere = self.elsewhere;
        let moved = elsewhere
            .places
            .first()
            .filter(|best| best.kept >= params::MIN_ALIKE);
        if let Some(best) = moved
            && let Some(found) = self.moved_to(best, trace)
        {
            return found;
        }
        // There are two ways to prove a deletion: nothing like the text exists, or else the commits
        // that removed the text added nothing like it.
        if (moved.is_none() && self.is_nowhere(trace)) || self.was_taken_out(trace) {
            if let why @ Some(_) = self.why_not_gone() {
                let repair = Repair::unproven();
                return Found { repair, why };
            }
            return Repair {
                outcome: RepairOutcome::Gone,
                method: Some(RepairMethod::NothingLikeIt),
                confidence: 100,
                ..Repair::unproven()
            }
            .into();
        }
        trace.note(
            "verdict",
            || "no location is proven, and the text is not known to be deleted",
        );
        // Another file has a similar location, but we can't claim it. Let the user choose.
        if moved.is_some() {
            let places = elsewhere.places.iter().chain(&elsewhere.grown);
            let mut places: Vec<Place> = places.chain(self.in_homes()).cloned().collect();
            places.sort_by_key(|place| std::cmp::Reverse(place.kept));
            return self.search.ambiguous_with(places);
        }
        // Otherwise, the candidates are whatever has more than a trace of the text, or where a
        // short text was followed to.
        let places = self.in_homes().chain(&elsewhere.places);
        let places = places.filter(|place| place.kept > params::MAX_TRACE);
        let mut places: Vec<Place> = places.cloned().collect();
        if places.is_empty() {
            places.extend(self.place_of_few());
        }
        let mut found = self.search.unproven_with(places);
        if found.repair.outcome == RepairOutcome::Unproven {
            found.why = self.why_not_gone();
        }
        found
    }

    /// The location that a short text was followed to. With so few lines, similarity proves
    /// nothing.
    fn place_of_few(&self) -> Option<Place> {
        let is_short = self.old.part().telling().count() <= params::MAX_SHORT_TEXT;
        let followed = self
            .followed
            .filter(|_| is_short && is_on("evidence.places_of_few"));
        followed?.place.clone()
    }

    /// Returns true if the checked-out commit or one of its ancestors had the text. Otherwise no
    /// commit can have deleted it.
    fn was_in_what_is_checked_out(&self) -> bool {
        let (old, file) = (self.old, &self.search.pointer.file);
        if self.followed.is_some() {
            return true;
        }
        let Ok(Some(common)) = self.search.snapshot.history().common_ancestor(&old.commit) else {
            return false;
        };
        let had_it = || {
            let then = self
                .search
                .snapshot
                .history()
                .file(&common, None, file)
                .ok();
            let then = then.and_then(|then| text_of(self.search.snapshot, &then));
            then.is_some_and(|then| !then.places_of(old.keys(), 1).is_empty())
        };
        common == old.commit || had_it()
    }

    /// Returns the reason why a text that is nowhere may still exist, if there is one.
    fn why_not_gone(&self) -> Option<String> {
        /// Characters of a commit id to show.
        const SHORT: usize = 12;
        if !self.was_in_what_is_checked_out() {
            let commit = &self.old.commit;
            return Some(format!(
                "it came with commits that are not checked out (it was captured in {}), so nothing took it out",
                commit.get(..SHORT).unwrap_or(commit)
            ));
        }
        if LeftOut::of(self.search.snapshot).is_empty() {
            return None;
        }
        // Files outside of the working tree are not part of the grounds, so the verdict must not be
        // stored.
        self.search.looked.lacks();
        Some("it may stand in a file that a sparse checkout leaves out".to_owned())
    }

    /// Claims that the text moved to `best`, a location in another file. Returns `None` if that is
    /// doubtful.
    fn moved_to(&self, best: &Place, trace: &mut Trace) -> Option<Found> {
        let elsewhere = self.elsewhere;
        let grown = elsewhere.grown.iter();
        let grown =
            grown.filter(|other| other.file != best.file || !other.lines.overlaps(best.lines));
        let others = elsewhere.places.iter().skip(1).chain(grown);
        let second = others.map(|other| other.kept).max().unwrap_or(0);
        let at_home = self.in_homes().map(|place| place.kept).max().unwrap_or(0);
        // The location has to be clearly better than all others, including those in the text's own
        // files.
        let stands_out = best.kept >= second.max(at_home) + params::MARGIN;
        let says_enough = self.information() >= params::MIN_INFORMATION_ELSEWHERE;
        if !elsewhere.complete || !says_enough || !stands_out || self.left() > params::NEGLIGIBLE {
            return None;
        }
        let (old, own) = (self.old, &self.search.pointer.file);
        // Without its history, we know less about the text, so check if other files had a variant
        // of it.
        let copies = match self.followed {
            Some(_) => had_copies(self.search.snapshot, old, own, params::HALF),
            None => had_variants(self.search.snapshot, old, own, params::HALF),
        };
        trace.note("other_files", || {
            let copies = match copies {
                Some(true) => "other files had it already",
                Some(false) => "no other file had it before",
                None => "nobody can say which files had it before",
            };
            format!("{best} has {} % of it; {copies}", best.kept)
        });
        // Following the text may have shown that it was deleted, or that it's somewhere else.
        let is_refuted = self.followed.is_some_and(|followed| {
            followed.is_taken_out()
                || matches!(
                    followed.on(best, &self.search.pointer.file),
                    Word::Against(_)
                )
        });
        if copies != Some(false) || is_refuted {
            return None;
        }
        let there = self.search.text_of(&best.file)?;
        Some(self.search.claim(best, &there, self.hash).into())
    }

    /// Returns true if the text was deleted and nothing similar exists.
    ///
    /// The lines around it are adjacent now, its file is gone, or it was followed to its removal.
    fn is_nowhere(&self, trace: &mut Trace) -> bool {
        let renamed = self.search.renamed(self.old, self.followed);
        // We have to see every file that may contain the text, or it could be in the one that we
        // couldn't read.
        let is_cut_out = self.looks.len() == self.search.expected_homes(renamed.as_ref())
            && self.looks.iter().all(|(look, _)| look.cut_out);
        let mut places = self.in_homes().chain(&self.elsewhere.places);
        let no_trace = places.all(|place| place.kept <= params::MAX_TRACE)
            && self.nearest().all(|place| place.kept <= params::MAX_TRACE)
            && self.followed.is_none_or(|followed| !followed.has_a_trace())
            && self.elsewhere.complete
            && self.elsewhere.most <= params::MAX_TRACE
            && self.left() == 0;
        let was_taken_out = self.followed.is_some_and(Located::is_taken_out);
        let is_proven = (is_cut_out && self.information() >= params::MIN_INFORMATION_SURE)
            || (was_taken_out && self.information() >= params::MIN_INFORMATION);
        let is_gone = no_trace && is_proven && self.has_no_successor(params::HALF, trace);
        if is_gone {
            trace.note(
                "verdict",
                || "its place is closed, or its file gone, and nothing like it came anywhere else",
            );
        }
        is_gone
    }

    /// Returns true if the commits that removed the text added nothing like it.
    ///
    /// Unlike [`Self::is_nowhere`], this allows existing lines to be somewhat similar.
    fn was_taken_out(&self, trace: &mut Trace) -> bool {
        if !is_on("evidence.taken_out") {
            return false;
        }
        let is_little = |place: &Place| place.kept < params::HALF;
        let at_home = self.in_homes().chain(self.nearest()).all(is_little);
        // The commit that removed the rest may be much newer than an edit, and what it added does
        // not show the edit.
        let is_followed = self.followed.is_some_and(Located::has_a_trace);
        // If comparing and following disagree about a line, it is one that many texts contain.
        let is_little_left = at_home
            && self.left() <= params::NEGLIGIBLE
            && !self.is_pointed_at_twice()
            && !is_followed;
        // If all of the text was added elsewhere, it may have moved there line by line.
        let is_whole_elsewhere = self.elsewhere.most >= params::NEARLY_ALL;
        if !is_little_left || is_whole_elsewhere || self.information() < params::MIN_INFORMATION {
            return false;
        }
        // The similar lines may come from other files, but only if these had them at capture.
        let is_elsewhere = !self.elsewhere.places.iter().all(is_little);
        if (is_elsewhere || !self.elsewhere.complete)
            && had_copies(
                self.search.snapshot,
                self.old,
                &self.search.pointer.file,
                params::HALF,
            ) != Some(true)
        {
            return false;
        }
        self.has_no_successor(params::MAX_UNRELATED, trace)
    }

    /// Returns true if the text was followed, and the commits that removed it added nothing that
    /// has more than `limit` percent of it.
    fn has_no_successor(&self, limit: u32, trace: &mut Trace) -> bool {
        let Some(followed) = self.followed else {
            return false;
        };
        let added = followed.added_again(self.search.snapshot, self.old, limit);
        trace.note("history", || match &added {
            Err(why) => why.clone(),
            Ok(most) => format!(
                "the commits that took it out put in nothing that has more than {} % of it, and {} % in its place",
                most.anywhere, most.in_place
            ),
        });
        added.is_ok()
    }
}

/// Returns true if `own` overlaps a location in `alike` that has more than a trace of the text.
fn is_among<'a>(own: &Place, alike: impl IntoIterator<Item = &'a Place>) -> bool {
    alike.into_iter().any(|place| {
        place.kept > params::MAX_TRACE && place.file == own.file && place.lines.overlaps(own.lines)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Range;

    fn place(file: &str, start: usize, end: usize, kept: u32) -> Place {
        Place {
            file: file.parse().unwrap(),
            lines: Range::new(start, end),
            kept,
            method: RepairMethod::History,
        }
    }

    #[test]
    fn two_hints_need_one_location() {
        let own = place("cli.rst", 484, 487, 11);
        assert!(is_among(&own, &[place("cli.rst", 481, 495, 30)]));
        assert!(!is_among(
            &own,
            &[place("cli.rst", 481, 495, params::MAX_TRACE)]
        ));
        assert!(!is_among(&own, &[place("cli.rst", 487, 495, 30)]));
        assert!(!is_among(&own, &[place("api.rst", 481, 495, 30)]));
    }
}
