//! Search for a text that is no longer at its captured location.

mod compare;
mod copied;
mod doubled;
mod heirs;
mod history;
mod homeless;
mod homes;
mod own_lines;
mod quotation;
mod symbol;
mod verdict;
mod words;

use std::sync::Arc;

use windlass_base::{
    Capture, LineSpan, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath, SourceHash, is_on,
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
use crate::place::Place;
use crate::replay::Located;
use crate::shared::{map_between, text_of};
use crate::text::{Part, Range, Text};
use crate::verdicts::Looked;
use crate::windows::best_places;
use compare::Comparing;
use own_lines::OwnLinesCheck;
pub(crate) use quotation::{is_quotation, unless_quoted};
pub(crate) use symbol::SymbolHint;
pub(crate) use verdict::Found;
use verdict::{MAX_CANDIDATES, copies, moved};

/// Search for the text of one pointer.
pub(crate) struct Search<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) pointer: &'a Pointer,
    pub(crate) capture: Option<&'a Capture>,
    /// Current contents of the pointer's file. `None` if it cannot be read.
    pub(crate) source: Option<Arc<SourceFile>>,
    /// Records what the verdict depends on.
    pub(crate) looked: &'a Looked,
}

impl Search<'_> {
    /// True if the file differs from its contents in the commit of the capture. False if this is unknown.
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
            trace.note("verdict", || {
                "nothing was noted when it was captured".to_owned()
            });
            return Repair::unproven().into();
        };
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
                // The commit may become available later, which the verdict's recorded dependencies do not show. The
                // verdict must therefore not be stored.
                self.looked.lacks();
                if let Some(span) = unique {
                    return self.unless_it_came_elsewhere(span, hash, capture, trace);
                }
                let found = self.by_notes(hash, capture, why, trace);
                return SymbolHint::of(self).heard(found, None, trace);
            }
        };
        trace.note("old_text", || format!("read from commit {}", old.commit));
        let followed = self.followed(&self.pointer.file, &old, trace);
        let found = self.place_of(&old, hash, unique, followed.as_ref(), trace);
        let found = OwnLinesCheck::new(self, &old).unless_contradicted(found, trace);
        let mut found = SymbolHint::of(self).heard(found, Some(&old), trace);
        self.narrow_candidates(&mut found.repair, &old);
        found.why = found.why.or(why);
        let is_known = !matches!(
            found.repair.outcome,
            RepairOutcome::Ambiguous | RepairOutcome::Unproven
        );
        if is_known && !self.has_grown(&found, &old) {
            let commit = followed.and_then(|followed| followed.commit);
            found.repair.commit = commit.filter(|commit| !commit.is_empty());
        }
        found
    }

    /// Replaces candidates that are many times as long as the text of `old` by the part of them that is most similar. A
    /// candidate without such a part is dropped, because a whole file does not help.
    fn narrow_candidates(&self, repair: &mut Repair, old: &OldText) {
        if !is_on("evidence.narrow") {
            return;
        }
        let most = old.lines.len() * 3 + 8;
        let mut narrowed: Vec<Pointer> = Vec::new();
        for candidate in std::mem::take(&mut repair.candidates) {
            let candidate = match candidate.span.count() as usize > most {
                true => self.most_alike_in(&candidate, old),
                false => Some(candidate),
            };
            narrowed.extend(candidate.filter(|one| !narrowed.contains(one)));
        }
        if narrowed.is_empty() && repair.outcome == RepairOutcome::Ambiguous {
            repair.outcome = RepairOutcome::Unproven;
        }
        repair.candidates = narrowed;
    }

    /// Returns the part of `candidate` that is most similar to the text of `old`.
    fn most_alike_in(&self, candidate: &Pointer, old: &OldText) -> Option<Pointer> {
        let text = self.text_of(&candidate.file)?;
        let lines = Range::of(candidate.span);
        let open = |at: usize| lines.contains(at);
        let best = best_places(old.part(), &text, open, &candidate.file);
        best.first()?.pointer(&text)
    }

    /// True if lines were inserted at the claimed location between two lines that were adjacent. The commit that
    /// inserted them is unknown.
    fn has_grown(&self, found: &Found, old: &OldText) -> bool {
        let is_edited = found.repair.outcome == RepairOutcome::Edited;
        let Some((place, now)) = self.claimed_place(found).filter(|_| is_edited) else {
            return false;
        };
        let there = Part {
            text: &now,
            lines: place.lines,
        };
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

    /// Locates the text of `old`. `unique` is the location in its file at which the text is exactly once, as it was at
    /// capture.
    ///
    /// History can contradict this location: it may be that of a copy, while the text itself was edited or deleted.
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
        let about_there = |own: &Place| own.file == place.file && own.lines.overlaps(place.lines);
        let is_confirmed = match comparing.word_on(&place) {
            Word::For => true,
            // A part of the text stayed. The lines next to the rest are a copy of that part, so both locations are
            // candidates.
            Word::Rather(own)
                if is_on("evidence.own_beside")
                    && followed
                        .is_some_and(|followed| followed.has_its_own_beside(old, &place)) =>
            {
                return self.ambiguous_with(vec![place, own.clone()]);
            }
            Word::Rather(own) => about_there(own),
            Word::Against(_) | Word::Nothing => false,
        };
        let is_all_that_was_its_own = || {
            is_on("evidence.all_its_own")
                && followed.is_some_and(|followed| followed.has_all_its_own(old, &place))
        };
        if is_confirmed || is_all_that_was_its_own() {
            return moved(self.pointer, span).into();
        }
        let found = comparing.compare(trace);
        match found.place() {
            Some(claimed) if about_there(&claimed) => moved(self.pointer, span).into(),
            // A location that is only similar is doubtful if the exact text is elsewhere.
            Some(like_it) if found.repair.outcome == RepairOutcome::Edited => {
                self.ambiguous_with(vec![place, like_it])
            }
            _ => found,
        }
    }

    /// Claims `span`, unless another file contains the text now and did not contain it at capture. Without history,
    /// either one may be the copy.
    fn unless_it_came_elsewhere(
        &self,
        span: LineSpan,
        hash: SourceHash,
        capture: &Capture,
        trace: &mut Trace,
    ) -> Found {
        let file = &self.pointer.file;
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

    /// Searches for the text by its captured context alone.
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

    /// Returns the location that `found` claims, and the text of its file.
    pub(super) fn claimed_place(&self, found: &Found) -> Option<(Place, Arc<Text>)> {
        let place = found.place()?;
        let text = self.text_of(&place.file)?;
        Some((place, text))
    }

    /// True if the file of `place` already contained these lines when the text was removed from it. They are then a
    /// copy, or have become one, and the text was not restored there.
    pub(super) fn was_there(&self, place: &Place, followed: &Located) -> bool {
        let commit = followed.commit.as_deref();
        let Some((now, map)) = commit.and_then(|commit| self.since(&place.file, commit)) else {
            return false;
        };
        let mut lines = place.lines.start..place.lines.end.min(now.len());
        lines.any(|at| !now.is_trivial(at) && map.is_carried(at))
    }

    /// Returns the current text of `file`, and a line map that shows which of its lines existed in `commit`. If
    /// `commit` is empty, all current lines count as existing.
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

    /// Returns the globs of the files to search first.
    fn zone(&self) -> &[String] {
        self.capture.map_or(&[], |capture| &capture.zone)
    }

    fn text_of(&self, file: &RepoPath) -> Option<Arc<Text>> {
        text_of(self.snapshot, &self.snapshot.read(file).ok()?)
    }

    fn pointers(&self, places: Vec<Place>) -> Vec<Pointer> {
        let mut pointers: Vec<Pointer> = Vec::new();
        for place in places {
            if pointers.len() < MAX_CANDIDATES
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
        Repair {
            outcome: RepairOutcome::Ambiguous,
            candidates: self.pointers(places),
            ..Repair::unproven()
        }
        .into()
    }

    fn unproven_with(&self, places: Vec<Place>) -> Found {
        if places.is_empty() {
            return Repair::unproven().into();
        }
        self.ambiguous_with(places)
    }
}
