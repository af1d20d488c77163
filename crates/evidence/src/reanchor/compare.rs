//! Comparing the old file with what became of it, and what history says to that.

use std::sync::Arc;

use windlass_base::{Pointer, RepairOutcome, RepoPath, SourceHash};

use super::Search;
use super::homeless::{Homeless, MIN_INFORMATION_ELSEWHERE};
use super::homes::Home;
use super::verdict::{Found, ambiguous};
use crate::agreement::Word;
use crate::elsewhere::{NEARLY_ALL, had_copies, look_elsewhere, whole_in};
use crate::explain::Trace;
use crate::in_file::{Comparison, InFile};
use crate::line_map::LineMap;
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::Located;
use crate::shared::{map_between, text_of};
use crate::text::{Range, Text};

/// How much of a text has to stand unchanged, in percent, for it to be claimed where it is only alike without a look at other files.
const MIN_STAYED: u32 = 50;

/// The same where lines equal to it came in elsewhere when they left, and where history says nothing.
const MIN_MOSTLY_STAYED: u32 = 70;

/// The same where there is no history, since it was rewritten, and neither a neighbour of the text nor its symbol is there: what is
/// only like it may be what was written beside it.
const MIN_ALIKE_WITHOUT_HISTORY: u32 = 80;

/// The fewest letters and digits of a text that is taken for put back wherever it stands: less is an idiom, and written anew.
const MIN_INFORMATION_PUT_BACK: u32 = 120;

impl Search<'_> {
    /// The verdict on the text of `old`, of which history knows what `followed` says.
    pub(super) fn compare(
        &self,
        old: &OldText,
        hash: SourceHash,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Found {
        let renamed = self.renamed(old, followed);
        let homes = self.homes(renamed.as_ref(), trace);
        let own: Vec<RepoPath> = homes.iter().map(|home| home.file.clone()).collect();
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
        // It may have gone to another file, and be a copy here.
        let came_back = || followed.is_some_and(Located::left_as_a_whole);
        // Without history it may be what was written beside it.
        let is_only_like = |place: &Place| {
            followed.is_none()
                && place.kept < MIN_ALIKE_WITHOUT_HISTORY
                && !self.is_where_it_was(place, old)
        };
        match &claims[..] {
            [(place, home)] => match self.word_on(place, old, followed) {
                Word::For => {
                    let found = self.claim(place, &home.text, hash).into();
                    return self.unless_it_left(found, old, &own, followed, trace);
                }
                Word::Rather(other) => {
                    let found = self.claim(other, &home.text, hash).into();
                    return self.unless_it_left(found, old, &own, followed, trace);
                }
                Word::Against(other) => {
                    let places = std::iter::once(*place).chain(other);
                    return self.ambiguous_with(places.cloned().collect());
                }
                Word::Nothing
                    if place.kept >= MIN_MOSTLY_STAYED && !came_back() && !is_only_like(place) =>
                {
                    let found = self.claim(place, &home.text, hash).into();
                    return self.unless_it_left(found, old, &own, followed, trace);
                }
                Word::Nothing => {}
            },
            [] => {
                if let Some(found) = self.by_history(old, hash, &looks, followed, trace) {
                    return self.unless_it_left(found, old, &own, followed, trace);
                }
            }
            several => {
                let places = several.iter().map(|(place, home)| (*place, &home.text));
                return ambiguous(places);
            }
        }
        let elsewhere = look_elsewhere(self.snapshot, old, &own, self.zone());
        trace.note("other_files", || elsewhere.said.clone());
        if let [(place, home)] = &claims[..] {
            // Most of it is somewhere else, and what stayed is a stub.
            return match &elsewhere.whole {
                Some(other) => self.ambiguous_with(vec![(*place).clone(), other.clone()]),
                None if is_only_like(place) => self.ambiguous_with(vec![(*place).clone()]),
                None => self.claim(place, &home.text, hash).into(),
            };
        }
        let text = Homeless {
            old,
            hash,
            looks: &looks,
            elsewhere: &elsewhere,
            followed,
        };
        self.without_a_home(&text, trace)
    }

    /// What history says to `place`, which has the text of `old` or is like it.
    pub(super) fn word_on<'f>(
        &self,
        place: &Place,
        old: &OldText,
        followed: Option<&'f Located>,
    ) -> Word<'f> {
        let Some(followed) = followed else {
            return Word::Nothing;
        };
        let may_be_a_copy = || self.had_copies_elsewhere(old) || self.was_there(place, followed);
        match followed.on(place, &self.pointer.file) {
            Word::Nothing
                if followed.left_for_good()
                    && (may_be_a_copy() || !self.is_known_again(place, old)) =>
            {
                Word::Against(None)
            }
            Word::For if followed.left_for_good() && self.is_of_copies(place, old, followed) => {
                Word::Against(None)
            }
            Word::Nothing | Word::For
                if place.kept == 100
                    && followed.proven().is_none()
                    && followed.was_lost_beside_a_copy(self.snapshot, old) =>
            {
                Word::Against(None)
            }
            word => word,
        }
    }

    /// Whether other files had the text when it was captured, or may have had.
    fn had_copies_elsewhere(&self, old: &OldText) -> bool {
        match self.capture.and_then(|capture| capture.copies_elsewhere) {
            Some(copies) => copies > 0,
            // Of what was captured in a commit that is over nobody noted it.
            None => had_copies(self.snapshot, old, &self.pointer.file, NEARLY_ALL) != Some(false),
        }
    }

    /// Whether `place`, which has the text of `old` after that was taken out, is where it was put back: beside a line that it had for a
    /// neighbour, within its symbol, or with so much in it that nobody writes that twice.
    fn is_known_again(&self, place: &Place, old: &OldText) -> bool {
        old.text.information(old.lines) >= MIN_INFORMATION_PUT_BACK
            || self.is_where_it_was(place, old)
    }

    /// Whether `place` is beside a line that the text of `old` had for a neighbour, or within its symbol.
    fn is_where_it_was(&self, place: &Place, old: &OldText) -> bool {
        let is_within = |symbol: Pointer| place.lines.is_within(Range::of(symbol.span));
        let keeps_a_neighbour = || {
            self.text_of(&place.file).is_some_and(|text| {
                let comparison = Comparison::new(self.snapshot, old, &text, &place.file);
                comparison.kept_its_neighbour(place.lines.start)
            })
        };
        keeps_a_neighbour() || self.symbol_in(&place.file).is_some_and(is_within)
    }

    /// Whether lines of `place` stood in its file when the text had been taken out of it: then they are a copy of it, or became
    /// one, and the text was not brought back there.
    pub(super) fn was_there(&self, place: &Place, followed: &Located) -> bool {
        let commit = followed.commit.as_deref();
        let Some((now, map)) = commit.and_then(|commit| self.since(&place.file, commit)) else {
            return false;
        };
        let mut lines = place.lines.start..place.lines.end.min(now.len());
        lines.any(|at| !now.is_trivial(at) && map.is_carried(at))
    }

    /// The text of `file` now, and which of its lines stood there in `commit`: what is not committed is there now.
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

    /// `found`, what is claimed of `old` in its `own` files; unless little of it stayed as it was, or not most of it where
    /// lines equal to it came in elsewhere, and the whole text stands elsewhere: what stayed may be what was like it.
    fn unless_it_left(
        &self,
        found: Found,
        old: &OldText,
        own: &[RepoPath],
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Found {
        let is_whole = found.repair.outcome == RepairOutcome::Moved;
        let (Some(followed), Some(place), false) = (followed, found.place(), is_whole) else {
            return found;
        };
        let least = match followed.rest.doubtful {
            0 => MIN_STAYED,
            _ => MIN_MOSTLY_STAYED,
        };
        let whole = match followed.same < least {
            true => look_elsewhere(self.snapshot, old, own, self.zone()).whole,
            false => self.came_in_whole(&place, old, followed),
        };
        match whole {
            Some(whole) => {
                trace.note("other_files", || {
                    format!("all of it is at {whole}, where it was not before")
                });
                self.ambiguous_with(vec![place, whole])
            }
            None => found,
        }
    }

    /// Where the whole text stands in another file than `place`, if a commit that changed it put that in.
    fn came_in_whole(&self, place: &Place, old: &OldText, followed: &Located) -> Option<Place> {
        if old.text.information(old.lines) < MIN_INFORMATION_ELSEWHERE {
            return None;
        }
        let files = followed.files_it_may_be_in(self.snapshot, old);
        let mut others = files.iter().filter(|file| **file != place.file);
        others.find_map(|file| whole_in(self.snapshot, old, file))
    }
}
