//! Verdict on a text that its own file no longer contains.

use windlass_base::{Repair, RepairMethod, RepairOutcome, SourceHash, is_on};
use windlass_repo::LeftOut;

use super::Search;
use super::homes::Home;
use super::symbol::SymbolHint;
use super::verdict::Found;
use crate::agreement::Word;
use crate::elsewhere::{Elsewhere, MOST, NEARLY_ALL, had_copies, had_variants, is_common};
use crate::explain::Trace;
use crate::in_file::{InFile, MIN_INFORMATION};
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::{Located, MAX_FEW, Shares};
use crate::shared::text_of;
use crate::vestige::may_be_in;

/// Maximum share of a text that may remain in its own file if it is claimed in another, in percent.
const MAX_LEFT: u32 = 9;

/// Minimum similarity of a text to a location in another file that is claimed, in percent.
const MIN_ALIKE_ELSEWHERE: u32 = 75;

/// Minimum lead of a location in another file over the second best, in percentage points.
const MARGIN: u32 = 15;

/// Maximum similarity of a text that is reported as deleted to any existing lines, in percent.
const MAX_TRACE: u32 = 24;

/// Minimum number of letters and digits in a text that is searched for in other files. A shorter text is written again
/// too often.
pub(super) const MIN_INFORMATION_ELSEWHERE: u32 = 40;

/// Minimum number of letters and digits in a text that may be reported as deleted.
const MIN_INFORMATION_GONE: u32 = 20;

/// Maximum similarity of a text that is reported as deleted to existing lines, in percent, if the commits that removed
/// it added nothing similar.
const MAX_ALIKE_TAKEN_OUT: u32 = 49;

/// Maximum similarity of a text to the additions of the commits that removed it. Unrelated lines in the same language
/// have this many words in common.
const NOTHING_LIKE_IT: Shares = Shares {
    anywhere: 34,
    in_place: 34,
    words: 59,
};

/// The same limits if no existing lines are similar to the text.
const ONCE: Shares = Shares {
    anywhere: 59,
    in_place: 49,
    ..NOTHING_LIKE_IT
};

/// Text that has no proven location in its own file.
pub(super) struct Homeless<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) old: &'a OldText,
    pub(super) hash: SourceHash,
    pub(super) looks: &'a [(InFile, &'a Home)],
    pub(super) elsewhere: &'a Elsewhere,
    pub(super) followed: Option<&'a Located>,
}

impl Homeless<'_> {
    /// Returns the share of the text that is carried in its own file.
    fn left(&self) -> u32 {
        let carried = self.looks.iter().map(|(look, _)| look.carried);
        carried.max().unwrap_or(0)
    }

    /// Returns the candidate locations in its own file.
    fn in_homes(&self) -> impl Iterator<Item = &Place> {
        self.looks.iter().flat_map(|(look, _)| &look.candidates)
    }

    /// Returns the most similar locations in its own file.
    fn nearest(&self) -> impl Iterator<Item = &Place> {
        self.looks
            .iter()
            .filter_map(|(look, _)| look.nearest.as_ref())
    }

    /// True if history follows the text, in edited form, to one of the most similar locations. Two independent methods
    /// then agree.
    fn is_pointed_at_twice(&self) -> bool {
        let own = self.followed.and_then(|followed| followed.place.as_ref());
        own.is_some_and(|own| is_among(own, self.in_homes().chain(self.nearest())))
    }

    fn information(&self) -> u32 {
        self.old.text.information(self.old.lines)
    }

    /// Returns the verdict on a text that its own file does not contain, as far as one can be proven.
    pub(super) fn without_a_home(&self, trace: &mut Trace) -> Found {
        let elsewhere = self.elsewhere;
        let moved = elsewhere
            .places
            .first()
            .filter(|best| best.kept >= MIN_ALIKE_ELSEWHERE);
        if let Some(best) = moved
            && let Some(found) = self.moved_to(best, trace)
        {
            return found;
        }
        if !self.may_be_hidden(self.old)
            && ((moved.is_none() && self.is_nowhere(trace)) || self.was_taken_out(trace))
            && !SymbolHint::of(self.search).came_in(self.old, self.followed, trace)
        {
            if !self.was_in_what_is_checked_out() {
                return self.of_other_commits(self.old, trace);
            }
            if let Some(places) = self.replaced_in_place(self.old, self.followed, trace) {
                trace.note("verdict", || {
                    "as many lines came in its place, and may be what became of it".to_owned()
                });
                return self.search.unproven_with(places);
            }
            if !LeftOut::of(self.search.snapshot).is_empty() {
                return self.of_what_is_left_out(trace);
            }
            return Repair {
                outcome: RepairOutcome::Gone,
                method: Some(RepairMethod::NothingLikeIt),
                confidence: 100,
                ..Repair::unproven()
            }
            .into();
        }
        trace.note("verdict", || "nothing is proven".to_owned());
        if moved.is_some() {
            let places = elsewhere.places.iter().chain(&elsewhere.grown);
            let mut places: Vec<Place> = places.chain(self.in_homes()).cloned().collect();
            places.sort_by_key(|place| std::cmp::Reverse(place.kept));
            return self.search.ambiguous_with(places);
        }
        let places = self.in_homes().chain(&elsewhere.places);
        let places = places.filter(|place| place.kept > MAX_TRACE);
        let mut places: Vec<Place> = places.cloned().collect();
        if places.is_empty() {
            places = self.places_of_few(trace);
        }
        self.search.unproven_with(places)
    }

    /// Returns the locations that history knows for a short text or for its replacement. Similarity proves nothing for
    /// so few lines.
    fn places_of_few(&self, trace: &mut Trace) -> Vec<Place> {
        let old = self.old;
        if !is_on("evidence.places_of_few") {
            return Vec::new();
        }
        let own = old.lines.start..old.lines.end;
        if own.filter(|at| !old.text.is_trivial(*at)).count() > MAX_FEW {
            return Vec::new();
        }
        match self.followed.and_then(|followed| followed.place.clone()) {
            Some(place) => vec![place],
            None => {
                let places = self.replaced_in_place(old, self.followed, trace);
                places.unwrap_or_default()
            }
        }
    }

    /// True if the checked-out commit or one of its ancestors contained the text. Otherwise no commit can have deleted
    /// it.
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

    /// Returns the verdict on a text that is missing because it belongs to another branch. No commit deleted it.
    fn of_other_commits(&self, old: &OldText, trace: &mut Trace) -> Found {
        /// Number of characters of a commit id to show.
        const SHORT: usize = 12;
        let why = format!(
            "it came with commits that are not checked out (it was captured in {}), so nothing took it out",
            old.commit.get(..SHORT).unwrap_or(&old.commit)
        );
        trace.note("verdict", || why.clone());
        Found {
            why: Some(why),
            ..Repair::unproven().into()
        }
    }

    /// Returns the verdict on a missing text that may be in files which a sparse checkout excludes.
    fn of_what_is_left_out(&self, trace: &mut Trace) -> Found {
        // Files outside of the working tree are not recorded as dependencies, so the verdict must not be stored.
        self.search.looked.lacks();
        let why = "it may stand in a file that a sparse checkout leaves out";
        trace.note("verdict", || why.to_owned());
        Found {
            why: Some(why.to_owned()),
            ..Repair::unproven().into()
        }
    }

    /// True if its own file contains the text with the line ends of another system, so that the lines cannot be
    /// compared.
    fn may_be_hidden(&self, old: &OldText) -> bool {
        is_on("evidence.hidden_line_ends")
            && self.search.source.as_ref().is_some_and(|source| {
                let is_bare = |at: usize| source.bytes().get(at + 1) != Some(&b'\n');
                memchr::memchr_iter(b'\r', source.bytes()).any(is_bare) && may_be_in(old, source)
            })
    }

    /// Returns the claim that the text is at `best` in another file. Returns `None` if the claim is doubtful.
    fn moved_to(&self, best: &Place, trace: &mut Trace) -> Option<Found> {
        let elsewhere = self.elsewhere;
        let grown = elsewhere.grown.iter();
        let grown =
            grown.filter(|other| other.file != best.file || !other.lines.overlaps(best.lines));
        let others = elsewhere.places.iter().skip(1).chain(grown);
        let second = others.map(|other| other.kept).max().unwrap_or(0);
        let at_home = self.in_homes().map(|place| place.kept).max().unwrap_or(0);
        let stands_out = best.kept >= second.max(at_home) + MARGIN;
        let says_enough = self.information() >= MIN_INFORMATION_ELSEWHERE;
        if !elsewhere.complete || !says_enough || !stands_out || self.left() > MAX_LEFT {
            return None;
        }
        let (old, own) = (self.old, &self.search.pointer.file);
        let copies = match self.followed {
            Some(_) => had_copies(self.search.snapshot, old, own, MOST),
            None => had_variants(self.search.snapshot, old, own, MOST),
        };
        trace.note("other_files", || {
            let copies = match copies {
                Some(true) => "other files had it already",
                Some(false) => "no other file had it before",
                None => "nobody can say which files had it before",
            };
            format!("{best} has {} % of it; {copies}", best.kept)
        });
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
        let found = self.search.claim(best, &there, self.hash);
        // A location that is only similar also has lines that do not come from the text.
        let is_common = || {
            is_common(
                self.search.snapshot,
                self.old,
                &self.search.pointer.file,
                best,
                &there,
            )
        };
        if is_on("evidence.common_lines")
            && found.outcome == RepairOutcome::Edited
            && is_common() != Some(false)
        {
            trace.note("other_files", || {
                "other files had all that stands there as it was".to_owned()
            });
            return None;
        }
        Some(found.into())
    }

    /// True if the lines around the text are adjacent now or its file was deleted, and no existing lines are similar to
    /// it.
    fn is_nowhere(&self, trace: &mut Trace) -> bool {
        let renamed = self.search.renamed(self.old, self.followed);
        let is_cut_out = self.looks.len() == self.search.expected_homes(renamed.as_ref())
            && self.looks.iter().all(|(look, _)| look.cut_out);
        let mut places = self.in_homes().chain(&self.elsewhere.places);
        let no_trace = places.all(|place| place.kept <= MAX_TRACE)
            && self.nearest().all(|place| place.kept <= MAX_TRACE)
            && self.followed.is_none_or(|followed| !followed.has_a_trace())
            && self.elsewhere.complete
            && self.elsewhere.most <= MAX_TRACE
            && self.left() == 0;
        let was_taken_out = self.followed.is_some_and(Located::is_taken_out);
        let is_proven = (is_cut_out && self.information() >= MIN_INFORMATION_GONE)
            || (was_taken_out && self.information() >= MIN_INFORMATION);
        let mut has_no_heir = || match self.has_no_heir(&ONCE, trace) {
            Some(has_none) => has_none,
            None => self.has_no_words_left(self.old, trace),
        };
        let is_gone = no_trace && is_proven && has_no_heir();
        if is_gone {
            trace.note("verdict", || {
                "its place is closed, or its file gone, and nothing like it came anywhere else"
                    .to_owned()
            });
        }
        is_gone
    }

    /// True if the commits that removed the text added nothing similar. Some existing lines may still be slightly
    /// similar.
    fn was_taken_out(&self, trace: &mut Trace) -> bool {
        if !is_on("evidence.taken_out") {
            return false;
        }
        let is_little = |place: &Place| place.kept <= MAX_ALIKE_TAKEN_OUT;
        let at_home = self.in_homes().chain(self.nearest()).all(is_little);
        // The commit that removed the rest may be much newer than an edit, and its additions do not show the edit.
        let is_followed = self.followed.is_some_and(Located::has_a_trace);
        // If the two comparisons disagree about a line, it is one that many texts contain.
        let is_little_left =
            at_home && self.left() <= MAX_LEFT && !self.is_pointed_at_twice() && !is_followed;
        // If all of the text was added elsewhere, it may have been moved line by line.
        let is_whole_elsewhere = self.elsewhere.most >= NEARLY_ALL;
        if !is_little_left || is_whole_elsewhere || self.information() < MIN_INFORMATION {
            return false;
        }
        // Lines that other files also contained may come from there.
        let is_elsewhere = !self.elsewhere.places.iter().all(is_little);
        if (is_elsewhere || !self.elsewhere.complete)
            && had_copies(
                self.search.snapshot,
                self.old,
                &self.search.pointer.file,
                MOST,
            ) != Some(true)
        {
            return false;
        }
        self.has_no_heir(&NOTHING_LIKE_IT, trace) == Some(true)
    }
}

/// True if `own` overlaps one of the locations in `alike` that have more than a trace of the text.
fn is_among<'a>(own: &Place, alike: impl IntoIterator<Item = &'a Place>) -> bool {
    alike.into_iter().any(|place| {
        place.kept > MAX_TRACE && place.file == own.file && place.lines.overlaps(own.lines)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Range;

    fn place(file: &str, start: usize, end: usize, kept: u32) -> Place {
        Place {
            file: file.parse().unwrap(),
            lines: Range { start, end },
            kept,
            method: RepairMethod::History,
        }
    }

    #[test]
    fn two_hints_need_one_location() {
        let own = place("cli.rst", 484, 487, 11);
        assert!(is_among(&own, &[place("cli.rst", 481, 495, 30)]));
        assert!(!is_among(&own, &[place("cli.rst", 481, 495, MAX_TRACE)]));
        assert!(!is_among(&own, &[place("cli.rst", 487, 495, 30)]));
        assert!(!is_among(&own, &[place("api.rst", 481, 495, 30)]));
    }
}
