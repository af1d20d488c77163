//! Verdicts that history proves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{Pointer, Repair, RepairMethod, RepairOutcome, RepoPath, SourceHash, is_on};

use super::Search;
use super::compare::Comparing;
use super::homes::Home;
use super::own_lines::is_of_another_record;
use super::verdict::{Found, claim};
use crate::agreement::MIN_ALONE;
use crate::alignment::Alignment;
use crate::elsewhere::{MOST, NEARLY_ALL, had_copies};
use crate::explain::Trace;
use crate::in_file::{Comparison, Copies, InFile, MAX_COPIES, MIN_INFORMATION};
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::{Located, Replays};
use crate::shared::map_between;
use crate::text::{Part, Range, Text};

/// Minimum share of a location proven by history, in percent, that the text has to explain.
const MIN_EXPLAINED: u32 = 50;

/// The same share if nearly all of the text is unchanged and in order, with lines inserted between.
const MIN_EXPLAINED_SPREAD: u32 = 15;

/// The same share if the rest of the text is known to be deleted.
const MIN_EXPLAINED_LEFT: u32 = 40;

/// The same share if the location is also the most similar one.
const MIN_EXPLAINED_TOGETHER: u32 = 20;

/// Minimum lead of the line that an edited line became over any other line, in permille of similarity.
const RIVAL: u32 = 100;

impl Search<'_> {
    /// Returns what happened to the text, as a phrase and as a verdict, if history proves that a copy of it is at its
    /// former location.
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
            // If all lines are equal, it is unknown which of them was removed.
            let is_at_home = |to: &Pointer| {
                to.file == self.pointer.file
                    && !Copies::of(&comparison).kept_its_neighbour(Range::of(to.span).start)
            };
            let is_open = moved.evidence.as_ref().is_some_and(is_at_home);
            return (!is_open).then_some(("moved", moved));
        }
        if !Copies::of(&comparison).is_another_copy(here.lines.start)
            || !self.was_there(&here, &followed)
        {
            return None;
        }
        self.instead_of_what_is_there(trace)
    }

    /// Returns what happened to a text that is not at its former location.
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

    /// Returns the location at which history proves that the whole text is unchanged.
    fn whole_elsewhere(
        &self,
        old: &OldText,
        followed: &Located,
        hash: SourceHash,
    ) -> Option<Repair> {
        let place = followed.proven()?;
        let start = followed.whole_at?;
        let whole = Place {
            lines: Range {
                start,
                end: start + old.lines.len(),
            },
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
    /// Returns the claim that history proves, either alone or together with a similar location.
    pub(super) fn by_history(&self, looks: &[(InFile, &Home)], trace: &mut Trace) -> Option<Found> {
        let (old, hash) = (self.old, self.hash);
        let followed = self.followed?;
        let mut nearest = looks.iter().filter_map(|(look, _)| look.nearest.as_ref());
        let mut joined = || {
            let joined = nearest.find_map(|place| followed.joined(place));
            joined.filter(|_| is_on("evidence.joined"))
        };
        let (place, needed) = match (followed.proven(), joined()) {
            (Some(place), _) if followed.is_spread => (place, MIN_EXPLAINED_SPREAD),
            (Some(place), _) => (place, MIN_EXPLAINED),
            (None, Some(place)) => (place, MIN_EXPLAINED_TOGETHER),
            (None, None) => (self.remains(looks, followed)?, MIN_EXPLAINED_LEFT),
        };
        let tears = |look: &InFile| look.reach.is_some_and(|reach| place.is_torn_by(reach));
        let at_home = looks.iter().filter(|(_, home)| home.file == place.file);
        if is_on("evidence.torn_history")
            && !followed.is_spread
            && at_home.clone().any(|(look, _)| tears(look))
        {
            trace.note("history", || {
                "both comparisons carry lines of it far from there".to_owned()
            });
            return None;
        }
        let text = self.search.text_of(&place.file)?;
        if is_on("evidence.rival")
            && followed.same < MIN_ALONE
            && followed.is_line_for_line
            && self.has_rival(&text, place)
        {
            trace.note("history", || {
                "other lines are as much like an edited line of it".to_owned()
            });
            return None;
        }
        let is_at_home = at_home.count() > 0;
        let least = match followed.whole_at {
            Some(_) => NEARLY_ALL,
            None => MOST,
        };
        let file = &self.search.pointer.file;
        if !is_at_home && had_copies(self.search.snapshot, old, file, least) != Some(false) {
            trace.note("history", || {
                "other files had the text as well, so a new file with it proves nothing".to_owned()
            });
            return None;
        }
        let copies = |text: &Text| text.places_of(old.keys(), MAX_COPIES).len();
        if is_on("evidence.copies_came") && copies(&text) > copies(&old.text).max(1) {
            trace.note("history", || {
                "copies of it came into the file, and may be it as well".to_owned()
            });
            return None;
        }
        let there = Part {
            text: &text,
            lines: place.lines,
        };
        let explained = Alignment::of(old.part(), there, |_| true).share_of_other(there);
        let says_enough = old.text.information(old.lines) >= MIN_INFORMATION;
        (says_enough && explained >= needed).then(|| self.search.claim(place, &text, hash).into())
    }

    /// True if the edited lines of `old` cannot be distinguished from others. Either another line equals one of them,
    /// or the line that one became is about as similar to another line that was added or removed.
    fn has_rival(&self, now: &Arc<Text>, place: &Place) -> bool {
        let old = self.old;
        let map = map_between(self.search.snapshot, &old.text, now);
        let one = |text, at| Part {
            text,
            lines: Range {
                start: at,
                end: at + 1,
            },
        };
        let all = |text| Part {
            text,
            lines: Range {
                start: 0,
                end: Text::len(text),
            },
        };
        let alike = |found: Alignment| found.pairs.first().map_or(0, |(.., alike)| *alike);
        let lines = old.lines.start..old.lines.end;
        let mut edited = lines.filter(|at| !old.text.is_trivial(*at) && map.to(*at).is_none());
        edited.any(|at| {
            let there = Part {
                text: now,
                lines: place.lines,
            };
            let found = Alignment::of(one(&old.text, at), there, |_| true).pairs;
            let Some((_, to, own)) = found.first().copied() else {
                return true;
            };
            let came = |line: usize| line != to && !map.is_carried(line);
            let left = |line: usize| line != at && map.to(line).is_none();
            old.text.alike(at) > 1
                || !now.lines_like(old.text.keys()[at]).is_empty()
                || alike(Alignment::of(one(&old.text, at), all(now), came)) + RIVAL > own
                || alike(Alignment::of(one(now, to), all(&old.text), left)) + RIVAL > own
        })
    }

    /// Returns the location of the remainder of the text if there is no other candidate. A single remaining line has to
    /// be between its former neighbours.
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
