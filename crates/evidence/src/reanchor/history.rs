//! Claims that rest on following the text commit by commit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{Pointer, Repair, RepairMethod, RepairOutcome, RepoPath, SourceHash, is_on};

use super::Search;
use super::compare::Comparing;
use super::homes::Home;
use super::own_lines::is_of_another_record;
use super::verdict::{Found, claim};
use crate::elsewhere::had_copies;
use crate::explain::Trace;
use crate::in_file::{Comparison, InFile};
use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::replay::{Located, Replays};
use crate::text::{Range, Text};

impl Search<'_> {
    /// Returns what became of the text, as a phrase and as a verdict, if history shows that the
    /// lines at its location are a copy.
    pub(crate) fn instead_of_a_twin(&self, trace: &mut Trace) -> Option<(&'static str, Repair)> {
        if !is_on("evidence.twin") {
            return None;
        }
        let hash = self.pointer.source_hash?;
        let old = OldText::of(self.snapshot, self.pointer, self.capture?);
        let old = old.inspect_err(|_| self.looked.lacks()).ok()?;
        let followed = self.followed(&self.pointer.file, &old, trace)?;
        let here = Place {
            file: self.pointer.file.clone(),
            lines: Range::of(self.pointer.span),
            kept: 100,
            method: RepairMethod::History,
        };
        let text = self.text_of(&self.pointer.file)?;
        if is_on("evidence.twin_record") && is_of_another_record(&old, &text, here.lines) {
            return self.instead_of_what_is_there(trace);
        }
        if !followed.denies(&here) {
            return None;
        }
        let comparison = Comparison::new(self.snapshot, &old, &text, &self.pointer.file);
        if let Some(moved) = self.whole_elsewhere(&old, &followed, hash) {
            // Among equal copies in its own file, we don't know which one was removed.
            let is_at_home = |to: &Pointer| {
                to.file == self.pointer.file
                    && !comparison.kept_its_neighbour(Range::of(to.span).start)
            };
            let is_open = moved.evidence.as_ref().is_some_and(is_at_home);
            return (!is_open).then_some(("moved", moved));
        }
        // The text left, but we can't show that the lines here are another copy. They have the
        // right hash, so the pointer remains fresh.
        if !comparison.is_another_copy(here.lines.start) || !self.was_there(&here, &followed) {
            return None;
        }
        self.instead_of_what_is_there(trace)
    }

    /// Searches for the text as if the lines at its location were not there.
    fn instead_of_what_is_there(&self, trace: &mut Trace) -> Option<(&'static str, Repair)> {
        let repair = self.run(trace).repair;
        let is_here = |claimed: &Pointer| {
            claimed.file == self.pointer.file && claimed.span == self.pointer.span
        };
        match repair.outcome {
            _ if repair.evidence.as_ref().is_some_and(is_here) => None,
            RepairOutcome::Gone => Some(("is gone", repair)),
            RepairOutcome::Moved => Some(("moved", repair)),
            RepairOutcome::Edited => Some(("was edited", repair)),
            RepairOutcome::Ambiguous | RepairOutcome::Unproven => {
                Some(("did not stay there", repair))
            }
        }
    }

    /// Returns the claim that the whole text is unchanged at the location it was followed to.
    fn whole_elsewhere(
        &self,
        old: &OldText,
        followed: &Located,
        hash: SourceHash,
    ) -> Option<Repair> {
        let place = followed.proven()?;
        let start = followed.whole_at?;
        let whole = Place {
            lines: Range::new(start, start + old.lines.len()),
            ..place.clone()
        };
        let text = self.text_of(&whole.file)?;
        if whole.lines.end > text.len() {
            return None;
        }
        let repair = claim(&whole, &text, hash);
        (repair.outcome == RepairOutcome::Moved).then_some(repair)
    }

    /// Follows the text of `file` commit by commit. Returns `None` if git lacks the commits.
    pub(super) fn followed(
        &self,
        file: &RepoPath,
        old: &OldText,
        trace: &mut Trace,
    ) -> Option<Located> {
        let replays = self.snapshot.kept::<Replays>();
        let followed = match replays.follow(self.snapshot, file, old) {
            Ok(followed) => followed,
            Err(reason) => {
                self.looked.lacks();
                trace.note("history", || reason);
                return None;
            }
        };
        self.looked.followed(followed.files.clone());
        let lines = followed.lines.iter();
        let files: BTreeSet<RepoPath> = lines
            .filter_map(|line| Some(line.at.as_ref()?.0.clone()))
            .collect();
        let texts: BTreeMap<RepoPath, Arc<Text>> = files
            .into_iter()
            .filter_map(|file| Some((file.clone(), self.text_of(&file)?)))
            .collect();
        let located = Located::of(old, followed, |file| texts.get(file).map(|text| &**text));
        trace.note("history", || located.said.clone());
        Some(located)
    }
}

impl Comparing<'_> {
    /// Claims the location that following the text proves, either alone or together with a similar
    /// location.
    pub(super) fn by_history(&self, looks: &[(InFile, &Home)], trace: &mut Trace) -> Option<Found> {
        let (old, hash) = (self.old, self.hash);
        let followed = self.followed?;
        let mut nearest = looks.iter().filter_map(|(look, _)| look.nearest.as_ref());
        let mut joined = || {
            let joined = nearest.find_map(|place| followed.joined(place));
            joined.filter(|_| is_on("evidence.joined"))
        };
        // Other text may have been inserted at the location. `needed` is the share of it that has
        // to come from the captured text.
        let (place, needed) = match (followed.proven(), joined()) {
            (Some(place), _) if followed.is_spread => (place, params::MIN_AGREED),
            (Some(place), _) => (place, params::HALF),
            (None, Some(place)) => (place, params::MIN_AGREED),
            (None, None) => (self.remains(looks, followed)?, params::MIN_PREFERRED),
        };
        let text = self.search.text_of(&place.file)?;
        let is_at_home = looks.iter().any(|(_, home)| home.file == place.file);
        let least = match followed.whole_at {
            Some(_) => params::NEARLY_ALL,
            None => params::HALF,
        };
        let file = &self.search.pointer.file;
        if !is_at_home && had_copies(self.search.snapshot, old, file, least) != Some(false) {
            trace.note(
                "history",
                || "other files had the text as well, so a new file with it proves nothing",
            );
            return None;
        }
        let copies = |text: &Text| text.places_of(old.keys(), params::MAX_LOCATIONS).len();
        if is_on("evidence.copies_came") && copies(&text) > copies(&old.text).max(1) {
            trace.note(
                "history",
                || "copies of it came into the file, and may be it as well",
            );
            return None;
        }
        let explained = old.explains(&text, place.lines);
        let says_enough = old.text.information(old.lines) >= params::MIN_INFORMATION;
        (says_enough && explained >= needed).then(|| self.search.claim(place, &text, hash).into())
    }

    /// Returns the location of what is left of the text, unless there is another candidate. A
    /// single line has to be between its former neighbors.
    fn remains<'f>(&self, looks: &[(InFile, &Home)], followed: &'f Located) -> Option<&'f Place> {
        if !is_on("evidence.remains") {
            return None;
        }
        let old = self.old;
        let place = followed.remains()?;
        let (look, home) = looks.iter().find(|(_, home)| home.file == place.file)?;
        let is_rival =
            |other: &Place| other.file != place.file || !other.lines.overlaps(place.lines);
        if look.candidates.iter().any(is_rival) {
            return None;
        }
        let is_proven = || {
            followed.own_lines > 1
                || Comparison::new(self.search.snapshot, old, &home.text, &home.file)
                    .stands_between(place.lines)
        };
        is_proven().then_some(place)
    }
}
