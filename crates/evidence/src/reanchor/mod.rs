//! Finding a text again that no longer stands where it was captured.

mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{Capture, Pointer, Repair, RepairMethod, RepairOutcome, RepoPath, SourceHash};
use windlass_repo::{Refusal, Snapshot, SourceFile};

use crate::agreement::Word;
use crate::alignment::{Alignment, Part};
use crate::elsewhere::{Elsewhere, had_copies, look_elsewhere};
use crate::explain::Trace;
use crate::in_file::{Comparison, InFile, MAX_COPIES, MIN_INFORMATION};
use crate::information::proves_a_move;
use crate::noted::{self, Noted};
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::{Located, Replays};
use crate::shared::text_of;
use crate::shift::find_unique;
use crate::text::{Range, Text};

pub(crate) use verdict::Found;
use verdict::{MAX_CANDIDATES, ambiguous, claim, copies, moved};

/// How much of a text may be left in its own file when it is said to be in another, in percent.
const MAX_LEFT: u32 = 9;

/// How much of a text has to be like a place in another file.
const MIN_ALIKE_ELSEWHERE: u32 = 75;

/// How much better than the second best a place in another file has to be.
const MARGIN: u32 = 15;

/// How little of a text may be found anywhere when it is said to be gone.
const MAX_TRACE: u32 = 24;

/// How much of a place that history names the text has to explain.
const MIN_EXPLAINED: u32 = 50;

/// The same where nearly all of the text stands there unchanged and in order, with other lines put in between.
const MIN_EXPLAINED_SPREAD: u32 = 15;

/// The same where the place is also the one most like the text.
const MIN_EXPLAINED_TOGETHER: u32 = 20;

/// The fewest letters and digits of a text that is looked for in other files: what says less is written anew
/// too often.
const MIN_INFORMATION_ELSEWHERE: u32 = 40;

/// The fewest letters and digits of a text that is said to be gone.
const MIN_INFORMATION_GONE: u32 = 20;

/// A file the text may have stayed in.
struct Home {
    file: RepoPath,
    text: Arc<Text>,
}

/// What is to be found, and what is known of it.
pub(crate) struct Search<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) pointer: &'a Pointer,
    pub(crate) capture: Option<&'a Capture>,
    /// Its file as it is now, where it is one that can be read.
    pub(crate) source: Option<Arc<SourceFile>>,
}

impl Search<'_> {
    pub(crate) fn run(&self, trace: &mut Trace) -> Found {
        let (Some(capture), Some(hash @ SourceHash::Span(_))) =
            (self.capture, self.pointer.source_hash)
        else {
            trace.note("verdict", || {
                "nothing was noted when it was captured".to_owned()
            });
            return Repair::unproven().into();
        };
        let mut why = None;
        if let Some(source) = &self.source
            && let Some(span) = find_unique(source, hash, capture)
        {
            if proves_a_move(source, span) {
                trace.note("same_file", || {
                    format!("the text was unique and is unique, at {span}")
                });
                return moved(self.pointer, span).into();
            }
            let lines = if span.count() == 1 { "line" } else { "lines" };
            why = Some(format!(
                "the same text stands at {lines} {span}, but has too few letters and digits to prove that it moved"
            ));
        } else if let Some(source) = &self.source {
            why = copies(source, hash, capture);
        }
        trace.note("same_file", || {
            let other = "the captured text is not in its file once as it was".to_owned();
            why.clone().unwrap_or(other)
        });
        let old = match OldText::of(self.snapshot, self.pointer, capture) {
            Ok(old) => old,
            Err(reason) => {
                trace.note("old_text", || reason);
                return self.by_notes(hash, capture, why, trace);
            }
        };
        trace.note("old_text", || format!("read from commit {}", old.commit));
        let followed = self.followed(&old, trace);
        let mut found = self.compare(&old, hash, followed.as_ref(), trace);
        found.why = found.why.or(why);
        let is_known = !matches!(
            found.repair.outcome,
            RepairOutcome::Ambiguous | RepairOutcome::Unproven
        );
        if is_known {
            let commit = followed.and_then(|followed| followed.commit);
            found.repair.commit = commit.filter(|commit| !commit.is_empty());
        }
        found
    }

    /// What became of the text as far as what was noted of it tells.
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
                text.map_or_else(Repair::unproven, |text| claim(&place, &text, hash))
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

    /// Where history proves the text to stand as a whole and as it was, if that is not where it was captured.
    pub(crate) fn followed_elsewhere(&self, trace: &mut Trace) -> Option<Repair> {
        let hash = self.pointer.source_hash?;
        let old = OldText::of(self.snapshot, self.pointer, self.capture?).ok()?;
        let followed = self.followed(&old, trace)?;
        let place = followed.proven()?;
        let start = followed.whole_at?;
        let whole = Place {
            lines: Range {
                start,
                end: start + old.lines.len(),
            },
            ..place.clone()
        };
        let is_here =
            whole.file == self.pointer.file && whole.lines.overlaps(Range::of(self.pointer.span));
        if is_here {
            return None;
        }
        let text = self.text_of(&whole.file)?;
        if whole.lines.end > text.len() {
            return None;
        }
        let repair = claim(&whole, &text, hash);
        (repair.outcome == RepairOutcome::Moved).then_some(repair)
    }

    /// What became of the text commit by commit, where the commits are there.
    fn followed(&self, old: &OldText, trace: &mut Trace) -> Option<Located> {
        let replays = self.snapshot.kept::<Replays>();
        let (lines, commits) = match replays.follow(self.snapshot, &self.pointer.file, old) {
            Ok(followed) => followed,
            Err(reason) => {
                trace.note("history", || reason);
                return None;
            }
        };
        let files: BTreeSet<&RepoPath> = lines
            .iter()
            .filter_map(|line| Some(&line.at.as_ref()?.0))
            .collect();
        let texts: BTreeMap<&RepoPath, Arc<Text>> = files
            .into_iter()
            .filter_map(|file| Some((file, self.text_of(file)?)))
            .collect();
        let located = Located::of(old, &lines, &commits, |file| {
            texts.get(file).map(|text| &**text)
        });
        trace.note("history", || located.said.clone());
        Some(located)
    }

    fn compare(
        &self,
        old: &OldText,
        hash: SourceHash,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Found {
        let homes = self.homes(old, trace);
        let mut looks: Vec<(InFile, &Home)> = Vec::new();
        for home in &homes {
            let look = Comparison::new(self.snapshot, old, &home.text, &home.file).look();
            trace.note("comparison", || format!("{}: {}", home.file, look.said));
            looks.push((look, home));
        }
        let claims: Vec<(&Place, &Home)> = looks
            .iter()
            .filter_map(|(look, home)| Some((look.place.as_ref()?, *home)))
            .collect();
        match &claims[..] {
            [(place, home)] => {
                match followed.map_or(Word::Nothing, |f| f.on(place, &self.pointer.file)) {
                    Word::For => return claim(place, &home.text, hash).into(),
                    Word::Rather(other) => return claim(other, &home.text, hash).into(),
                    Word::Against(other) => {
                        let places = std::iter::once(*place).chain(other);
                        return self.ambiguous_with(places.cloned().collect());
                    }
                    Word::Nothing if place.kept >= 70 => {
                        return claim(place, &home.text, hash).into();
                    }
                    Word::Nothing => {}
                }
            }
            [] => {
                if let Some(found) = self.by_history(old, hash, &looks, followed, trace) {
                    return found;
                }
            }
            several => {
                let places = several.iter().map(|(place, home)| (*place, &home.text));
                return ambiguous(places);
            }
        }
        let own: Vec<RepoPath> = homes.iter().map(|home| home.file.clone()).collect();
        let elsewhere = look_elsewhere(self.snapshot, old, &own);
        trace.note("other_files", || elsewhere.said.clone());
        let whole = elsewhere.places.first().filter(|best| best.kept == 100);
        if let [(place, home)] = &claims[..] {
            // Most of it is somewhere else, and what stayed is a stub.
            return match whole {
                Some(other) => self.ambiguous_with(vec![(*place).clone(), other.clone()]),
                None => claim(place, &home.text, hash).into(),
            };
        }
        self.without_a_home(old, hash, &looks, &elsewhere, followed, trace)
    }

    /// The claim that history proves, alone or together with a place that is like the text.
    fn by_history(
        &self,
        old: &OldText,
        hash: SourceHash,
        looks: &[(InFile, &Home)],
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Option<Found> {
        let followed = followed?;
        let mut nearest = looks.iter().filter_map(|(look, _)| look.nearest.as_ref());
        let mut joined = || nearest.find_map(|place| followed.joined(place));
        let (place, needed) = match (followed.proven(), joined()) {
            (Some(place), _) if followed.is_spread => (place, MIN_EXPLAINED_SPREAD),
            (Some(place), _) => (place, MIN_EXPLAINED),
            (None, Some(place)) => (place, MIN_EXPLAINED_TOGETHER),
            (None, None) => (self.remains(old, looks, followed)?, MIN_EXPLAINED),
        };
        let tears = |look: &InFile| look.reach.is_some_and(|reach| place.is_torn_by(reach));
        let at_home = looks.iter().filter(|(_, home)| home.file == place.file);
        if !followed.is_spread && at_home.clone().any(|(look, _)| tears(look)) {
            trace.note("history", || {
                "both comparisons carry lines of it far from there".to_owned()
            });
            return None;
        }
        let text = self.text_of(&place.file)?;
        let is_at_home = at_home.count() > 0;
        if !is_at_home && had_copies(self.snapshot, old, &self.pointer.file) != Some(false) {
            trace.note("history", || {
                "other files had the text as well, so a new file with it proves nothing".to_owned()
            });
            return None;
        }
        let copies = |text: &Text| text.places_of(old.keys(), MAX_COPIES).len();
        if copies(&text) > copies(&old.text).max(1) {
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
        (says_enough && explained >= needed).then(|| claim(place, &text, hash).into())
    }

    /// What is left of the text, between the lines that stood around it; if no other place may be it as well.
    fn remains<'f>(
        &self,
        old: &OldText,
        looks: &[(InFile, &Home)],
        followed: &'f Located,
    ) -> Option<&'f Place> {
        let place = followed.remains()?;
        let (look, home) = looks.iter().find(|(_, home)| home.file == place.file)?;
        let is_rival =
            |other: &Place| other.file != place.file || !other.lines.overlaps(place.lines);
        if look.candidates.iter().any(is_rival) {
            return None;
        }
        let comparison = Comparison::new(self.snapshot, old, &home.text, &home.file);
        comparison.stands_between(place.lines).then_some(place)
    }

    /// The verdict on a text that its own file does not have, as far as can be proven.
    fn without_a_home(
        &self,
        old: &OldText,
        hash: SourceHash,
        looks: &[(InFile, &Home)],
        elsewhere: &Elsewhere,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Found {
        let left = looks
            .iter()
            .map(|(look, _)| look.carried)
            .max()
            .unwrap_or(0);
        let in_homes = || looks.iter().flat_map(|(look, _)| look.candidates.clone());
        let says_enough = old.text.information(old.lines) >= MIN_INFORMATION_ELSEWHERE;
        if let Some(best) = elsewhere.places.first()
            && best.kept >= MIN_ALIKE_ELSEWHERE
        {
            let second = elsewhere.places.get(1).map_or(0, |second| second.kept);
            let at_home = in_homes().map(|place| place.kept).max().unwrap_or(0);
            let stands_out = best.kept >= second.max(at_home) + MARGIN;
            if elsewhere.complete && says_enough && stands_out && left <= MAX_LEFT {
                let copies = had_copies(self.snapshot, old, &self.pointer.file);
                trace.note("other_files", || {
                    let copies = match copies {
                        Some(true) => "other files had it already",
                        Some(false) => "no other file had it before",
                        None => "nobody can say which files had it before",
                    };
                    format!("{best} has {} % of it; {copies}", best.kept)
                });
                let is_refuted = followed.is_some_and(|followed| {
                    followed.is_taken_out()
                        || matches!(followed.on(best, &self.pointer.file), Word::Against(_))
                });
                if copies == Some(false)
                    && !is_refuted
                    && let Some(text) = self.text_of(&best.file)
                {
                    return claim(best, &text, hash).into();
                }
            }
            return self
                .ambiguous_with(elsewhere.places.iter().cloned().chain(in_homes()).collect());
        }
        let candidates: Vec<Place> = in_homes()
            .chain(elsewhere.places.iter().cloned())
            .filter(|place| place.kept > MAX_TRACE)
            .collect();
        let is_cut_out =
            looks.len() == self.expected_homes(old) && looks.iter().all(|(look, _)| look.cut_out);
        let mut nearest = looks.iter().filter_map(|(look, _)| look.nearest.as_ref());
        let is_like_nothing = nearest.all(|place| place.kept <= MAX_TRACE)
            && followed.is_none_or(|followed| !followed.has_a_trace());
        let no_trace = candidates.is_empty() && is_like_nothing && elsewhere.complete && left == 0;
        let information = old.text.information(old.lines);
        let was_taken_out = followed.is_some_and(Located::is_taken_out);
        let is_proven = (is_cut_out && information >= MIN_INFORMATION_GONE)
            || (was_taken_out && information >= MIN_INFORMATION);
        if no_trace && is_proven {
            trace.note("verdict", || {
                "its place is closed, or its file gone, and nothing like it came anywhere else"
                    .to_owned()
            });
            return Repair {
                outcome: RepairOutcome::Gone,
                method: Some(RepairMethod::NothingLikeIt),
                confidence: 100,
                ..Repair::unproven()
            }
            .into();
        }
        trace.note("verdict", || "nothing is proven".to_owned());
        self.unproven_with(candidates)
    }

    /// The files the text belongs to: its own, or what that was renamed to.
    fn homes(&self, old: &OldText, trace: &mut Trace) -> Vec<Home> {
        let mut homes = Vec::new();
        if let Some(source) = self.source.clone()
            && let Some(text) = text_of(self.snapshot, source)
        {
            let file = self.pointer.file.clone();
            homes.push(Home { file, text });
        }
        let names = self.snapshot.renamed_since(&old.commit, &self.pointer.file);
        if let Some(file) = names
            .last()
            .filter(|file| **file != self.pointer.file)
            .cloned()
            && let Some(text) = self.text_of(&file)
        {
            trace.note("old_text", || format!("its file was renamed to {file}"));
            homes.push(Home { file, text });
        }
        homes
    }

    /// How many files the text may have stayed in; more than [`Self::homes`] gives where one cannot be compared.
    fn expected_homes(&self, old: &OldText) -> usize {
        let names = self.snapshot.renamed_since(&old.commit, &self.pointer.file);
        let there = |file: &RepoPath| !matches!(self.snapshot.read(file), Err(Refusal::Missing));
        let last = names.last().filter(|file| **file != self.pointer.file);
        usize::from(there(&self.pointer.file)) + usize::from(last.is_some_and(there))
    }

    fn text_of(&self, file: &RepoPath) -> Option<Arc<Text>> {
        text_of(self.snapshot, self.snapshot.read(file).ok()?)
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
