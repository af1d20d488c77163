//! Search for a text that is no longer at its captured location.
//!
//! A [`Search`] reads the text from git and locates it in two independent ways: by comparing its
//! old file with the current one, and by following its lines commit by commit. A location is
//! claimed only if one of them proves it and the other does not contradict it. If git does not have
//! the text, the context recorded by the capture is all there is.

mod compare;
mod copied;
mod history;
mod homeless;
mod homes;
mod own_lines;
mod quotation;
mod symbol;
mod verdict;

use std::sync::Arc;

use windlass_base::{
    Capture, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath, SourceHash,
};
use windlass_repo::{Snapshot, SourceFile};

use crate::agreement::Word;
use crate::alignment::Alignment;
use crate::capture::noted::{self, Noted};
use crate::capture::shift::find_unique;
use crate::explain::Trace;
use crate::information::proves_a_move;
use crate::line_map::LineMap;
use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::replay::Located;
use crate::shared::{map_between, text_of};
use crate::text::{Part, Range, Text};
use crate::verdicts::Looked;
use compare::Comparing;
pub(crate) use quotation::{is_quotation, unless_quoted};
use symbol::OwnSymbol;
pub(crate) use verdict::Found;
use verdict::{ambiguous, copies, moved};

pub(crate) struct Search<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) pointer: &'a Pointer,
    pub(crate) capture: Option<&'a Capture>,
    /// Current contents of the pointer's file, if it can be read.
    pub(crate) source: Option<Arc<SourceFile>>,
    /// Receives what the verdict depends on.
    pub(crate) looked: &'a Looked,
}

impl Search<'_> {
    /// Returns true if the file is known to differ from its contents in the commit of the capture.
    pub(crate) fn is_file_changed(&self) -> bool {
        let (Some(source), Some(capture)) = (&self.source, self.capture) else {
            return false;
        };
        let Some(commit) = &capture.commit else {
            return false;
        };
        let blob = capture.blob.as_deref();
        let then = self
            .snapshot
            .history()
            .file(commit, blob, &self.pointer.file);
        then.is_ok_and(|then| then.bytes() != source.bytes())
    }

    pub(crate) fn run(&self, trace: &mut Trace) -> Found {
        let (Some(capture), Some(hash @ SourceHash::Span(_))) =
            (self.capture, self.pointer.source_hash)
        else {
            trace.note("verdict", || "nothing was noted when it was captured");
            return Repair::unproven().into();
        };
        // First look for the exact text in its file. This needs nothing but the hashes of the
        // capture.
        let (mut why, mut unique) = (None, None);
        if let Some(source) = &self.source
            && let Some(span) = find_unique(source, hash, capture)
        {
            if proves_a_move(source, span) {
                unique = Some(span);
            } else {
                let lines = if span.count() == 1 { "line" } else { "lines" };
                why = Some(format!(
                    "the same text stands at {lines} {span}, but has too few letters and digits to prove that it moved"
                ));
            }
        } else if let Some(source) = &self.source {
            why = copies(source, hash, capture);
        }
        trace.note("same_file", || {
            let other = match unique {
                Some(span) => format!("the text was unique and is unique, at {span}"),
                None => "the captured text is not in its file once as it was".to_owned(),
            };
            why.clone().unwrap_or(other)
        });
        let old = match OldText::of(self.snapshot, self.pointer, capture) {
            Ok(old) => old,
            Err(reason) => {
                trace.note("old_text", || reason);
                // The commit may become available later, and nothing in the grounds of the verdict
                // would show it. The verdict must not be stored.
                self.looked.lacks();
                // Without the old file, being unique in the current one is the best evidence there
                // is.
                if let Some(span) = unique {
                    return self.unless_it_came_elsewhere(span, hash, capture, trace);
                }
                let found = self.by_notes(hash, capture, why, trace);
                return OwnSymbol(self).unless_in_symbol(found, None, trace);
            }
        };
        trace.note("old_text", || format!("read from commit {}", old.commit));
        let followed = self.followed(&self.pointer.file, &old, trace);
        let found = self.place_of(&old, hash, unique, followed.as_ref(), trace);
        let found = self.unless_contradicted(found, &old, trace);
        let mut found = OwnSymbol(self).unless_in_symbol(found, Some(&old), trace);
        self.narrow_candidates(&mut found.repair, &old);
        found.why = found.why.or(why);
        // We only name the commit that changed the text if we know what became of the text.
        let is_known = !matches!(
            found.repair.outcome,
            RepairOutcome::Ambiguous | RepairOutcome::Unproven
        );
        if is_known && !self.has_grown(&found, &old) {
            let commit = followed.and_then(|followed| followed.commit);
            // The id is empty if the change isn't committed yet.
            found.repair.commit = commit.filter(|commit| !commit.is_empty());
        }
        found
    }

    /// Drops candidates that are many times as long as the text. A candidate as large as a file
    /// doesn't help to find the text.
    fn narrow_candidates(&self, repair: &mut Repair, old: &OldText) {
        let most = old.lines.len() * 3 + params::MAX_DISTANCE;
        repair
            .candidates
            .retain(|candidate| candidate.span.count() as usize <= most);
        if repair.candidates.is_empty() && repair.outcome == RepairOutcome::Ambiguous {
            repair.outcome = RepairOutcome::Unproven;
        }
    }

    /// Returns true if lines were inserted at the claimed location, between two lines that were
    /// adjacent. It is then not known which commit made the text what it is now.
    fn has_grown(&self, found: &Found, old: &OldText) -> bool {
        let is_edited = found.repair.outcome == RepairOutcome::Edited;
        let Some((place, now)) = self.claimed_place(found).filter(|_| is_edited) else {
            return false;
        };
        let there = Part::new(&now, place.lines);
        let pairs = Alignment::of(old.part(), there, |_| true).pairs;
        let telling =
            |text: &Text, mut lines: std::ops::Range<usize>| lines.any(|at| !text.is_trivial(at));
        pairs.windows(2).any(|pair| {
            let [(above, to, _), (below, from, _)] = pair else {
                return false;
            };
            !telling(&old.text, above + 1..*below) && telling(&now, to + 1..*from)
        })
    }

    /// Locates the text of `old`.
    ///
    /// `unique` is where its file has the exact text once, if it also had it once at capture.
    ///
    /// That is strong evidence but no proof: a copy may be there, while the text itself was edited
    /// or deleted. The two other ways can therefore contradict it.
    fn place_of(
        &self,
        old: &OldText,
        hash: SourceHash,
        unique: Option<LineSpan>,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Found {
        let comparing = Comparing {
            search: self,
            old,
            hash,
            followed,
        };
        let Some(span) = unique else {
            return comparing.compare(trace);
        };
        let place = Place {
            file: self.pointer.file.clone(),
            lines: Range::of(span),
            kept: 100,
            method: RepairMethod::UniqueInFile,
        };
        // The followed lines may have slightly different borders, so an overlap is enough.
        let about_there = |own: &Place| own.file == place.file && own.lines.overlaps(place.lines);
        let is_confirmed = match comparing.word_on(&place) {
            Word::For => true,
            Word::Rather(own) => about_there(own),
            Word::Against(_) | Word::Nothing => false,
        };
        if is_confirmed {
            return moved(self.pointer, span).into();
        }
        let found = comparing.compare(trace);
        match found.place() {
            Some(claimed) if about_there(&claimed) => moved(self.pointer, span).into(),
            // If the exact text is at one location, a location that is only similar is doubtful.
            Some(like_it) if found.repair.outcome == RepairOutcome::Edited => {
                self.ambiguous_with(vec![place, like_it])
            }
            _ => found,
        }
    }

    /// Claims `span`, unless another file has the text now that did not have it at capture. Without
    /// history, either one may be the copy.
    fn unless_it_came_elsewhere(
        &self,
        span: LineSpan,
        hash: SourceHash,
        capture: &Capture,
        trace: &mut Trace,
    ) -> Found {
        let file = &self.pointer.file;
        // If another file already had the text at capture, finding it there now means nothing.
        let others = match capture.copies_elsewhere {
            Some(0) => noted::other_places(self.snapshot, file, hash, capture),
            _ => Vec::new(),
        };
        if others.is_empty() {
            return moved(self.pointer, span).into();
        }
        trace.note("noted", || {
            format!("{} has the text now as well, and had not", others[0])
        });
        let own = Place {
            file: file.clone(),
            lines: Range::of(span),
            kept: 100,
            method: RepairMethod::UniqueInFile,
        };
        self.ambiguous_with(std::iter::once(own).chain(others).collect())
    }

    /// Searches for a text that git does not have, by the context recorded at its capture.
    fn by_notes(
        &self,
        hash: SourceHash,
        capture: &Capture,
        why: Option<String>,
        trace: &mut Trace,
    ) -> Found {
        let (file, source) = (&self.pointer.file, self.source.as_deref());
        let found = match noted::look(self.snapshot, file, source, hash, capture) {
            Noted::Place(place) => {
                trace.note("noted", || {
                    format!("{place} has {} % of its lines", place.kept)
                });
                let text = self.text_of(&place.file);
                text.map_or_else(Repair::unproven, |text| self.claim(&place, &text, hash))
                    .into()
            }
            Noted::Several(places) => {
                trace.note("noted", || {
                    format!(
                        "{} places in other files have the text, which is no proof",
                        places.len()
                    )
                });
                self.ambiguous_with(places)
            }
            Noted::Nothing(reason) => {
                trace.note("noted", || reason.to_owned());
                Repair::unproven().into()
            }
        };
        Found {
            why: found.why.or(why),
            ..found
        }
    }

    /// Returns the location that `found` claims, and the contents of its file.
    pub(super) fn claimed_place(&self, found: &Found) -> Option<(Place, Arc<Text>)> {
        let place = found.place()?;
        let text = self.text_of(&place.file)?;
        Some((place, text))
    }

    /// Returns true if the file of `place` already had some of these lines when the text was
    /// removed. They are then a copy, or became one; in any case the text was not put back there.
    pub(super) fn was_there(&self, place: &Place, followed: &Located) -> bool {
        let commit = followed.commit.as_deref();
        let Some((now, map)) = commit.and_then(|commit| self.since(&place.file, commit)) else {
            return false;
        };
        let mut lines = place.lines.start..place.lines.end.min(now.len());
        lines.any(|at| !now.is_trivial(at) && map.is_carried(at))
    }

    /// Returns the current contents of `file`, and a line map from its contents in `commit`. An
    /// empty `commit` stands for the working tree, so that all lines are carried.
    pub(super) fn since(&self, file: &RepoPath, commit: &str) -> Option<(Arc<Text>, Arc<LineMap>)> {
        let now = self.text_of(file)?;
        let then = match commit.is_empty() {
            true => Arc::clone(&now),
            false => {
                let then = self.snapshot.history().file(commit, None, file).ok()?;
                text_of(self.snapshot, &then)?
            }
        };
        let map = map_between(self.snapshot, &then, &now);
        Some((now, map))
    }

    /// Returns the globs of the files to search first if there are too many.
    fn zone(&self) -> &[String] {
        self.capture.map_or(&[], |capture| &capture.zone)
    }

    fn text_of(&self, file: &RepoPath) -> Option<Arc<Text>> {
        text_of(self.snapshot, &self.snapshot.read(file).ok()?)
    }

    fn pointers(&self, places: Vec<Place>) -> Vec<Pointer> {
        let mut pointers: Vec<Pointer> = Vec::new();
        for place in places {
            if pointers.len() < params::MAX_CANDIDATES
                && let Some(text) = self.text_of(&place.file)
                && let Some(pointer) = place.pointer(&text)
                && !pointers.contains(&pointer)
            {
                pointers.push(pointer);
            }
        }
        pointers
    }

    fn ambiguous_with(&self, places: Vec<Place>) -> Found {
        ambiguous(self.pointers(places)).into()
    }

    fn unproven_with(&self, places: Vec<Place>) -> Found {
        if places.is_empty() {
            return Repair::unproven().into();
        }
        self.ambiguous_with(places)
    }
}
