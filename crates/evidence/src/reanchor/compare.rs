//! Comparison of the old file with its current contents, which is checked against history.

use windlass_base::{Pointer, RepairOutcome, RepoPath, SourceHash, is_on};

use super::Search;
use super::homeless::{Homeless, MIN_INFORMATION_ELSEWHERE};
use super::homes::Home;
use super::symbol::SymbolHint;
use super::verdict::{Found, ambiguous};
use crate::agreement::Word;
use crate::elsewhere::{NEARLY_ALL, had_copies, look_elsewhere, whole_in};
use crate::explain::Trace;
use crate::in_file::{Comparison, Copies, InFile};
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::Located;
use crate::text::Range;

/// Minimum unchanged share of a text, in percent, to claim a similar location without searching other files.
const MIN_STAYED: u32 = 50;

/// The same share if equal lines were added elsewhere when the text was removed, and history has no evidence.
const MIN_MOSTLY_STAYED: u32 = 70;

/// The same share if there is no usable history, and neither a neighbour of the text nor its symbol is at the location.
/// A similar location may then be an addition next to the text.
const MIN_ALIKE_WITHOUT_HISTORY: u32 = 80;

/// Minimum number of letters and digits in a text that counts as restored wherever it is. A shorter text is an idiom
/// that is written again.
const MIN_INFORMATION_PUT_BACK: u32 = 120;

/// Comparison of the old file with its current contents and with the history of the text.
pub(super) struct Comparing<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) old: &'a OldText,
    pub(super) hash: SourceHash,
    pub(super) followed: Option<&'a Located>,
}

impl<'a> Comparing<'a> {
    /// Returns the verdict on the text of `old`.
    pub(super) fn compare(&self, trace: &mut Trace) -> Found {
        let (old, hash, followed) = (self.old, self.hash, self.followed);
        let renamed = self.search.renamed(old, followed);
        let homes = self.search.homes(renamed.as_ref(), trace);
        let own: Vec<RepoPath> = homes.iter().map(|home| home.file.clone()).collect();
        let mut looks: Vec<(InFile, &Home)> = Vec::new();
        for home in &homes {
            let look = Comparison::new(self.search.snapshot, old, &home.text, &home.file).look();
            trace.note("comparison", || format!("{}: {}", home.file, look.said));
            looks.push((look, home));
        }
        let claims: Vec<(&Place, &Home)> = looks
            .iter()
            .filter_map(|(look, home)| Some((look.place.as_ref()?, *home)))
            .collect();
        // The text may have moved to another file and left a copy here.
        let came_back = || followed.is_some_and(Located::left_as_a_whole);
        // Without history, the location may be an addition next to the text.
        let is_only_like = |place: &Place| {
            followed.is_none()
                && place.kept < MIN_ALIKE_WITHOUT_HISTORY
                && !self.is_where_it_was(place)
        };
        match &claims[..] {
            [(place, home)] => match self.word_on(place) {
                Word::For => {
                    let found = self.search.claim(place, &home.text, hash).into();
                    return self.unless_it_left(found, &own, trace);
                }
                Word::Rather(other) => {
                    let found = self.search.claim(other, &home.text, hash).into();
                    return self.unless_it_left(found, &own, trace);
                }
                Word::Against(other) => {
                    let places = std::iter::once(*place).chain(other);
                    return self.search.ambiguous_with(places.cloned().collect());
                }
                Word::Nothing
                    if place.kept >= MIN_MOSTLY_STAYED && !came_back() && !is_only_like(place) =>
                {
                    let found = self.search.claim(place, &home.text, hash).into();
                    return self.unless_it_left(found, &own, trace);
                }
                Word::Nothing => {}
            },
            [] => {
                if let Some(found) = self.by_history(&looks, trace) {
                    return self.unless_it_left(found, &own, trace);
                }
            }
            several => {
                let places = several.iter().map(|(place, home)| (*place, &home.text));
                return ambiguous(places);
            }
        }
        let elsewhere = look_elsewhere(self.search.snapshot, old, &own, self.search.zone());
        trace.note("other_files", || elsewhere.said.clone());
        if let [(place, home)] = &claims[..] {
            // Most of the text is elsewhere, and only a part is left here.
            return match &elsewhere.whole {
                Some(other) => self
                    .search
                    .ambiguous_with(vec![(*place).clone(), other.clone()]),
                None if is_only_like(place) => self.search.ambiguous_with(vec![(*place).clone()]),
                None => self.search.claim(place, &home.text, hash).into(),
            };
        }
        let text = Homeless {
            search: self.search,
            old,
            hash,
            looks: &looks,
            elsewhere: &elsewhere,
            followed,
        };
        text.without_a_home(trace)
    }

    /// Returns what history says about `place`, which equals the text of `old` or is similar to it.
    pub(super) fn word_on(&self, place: &Place) -> Word<'a> {
        let old = self.old;
        let Some(followed) = self.followed else {
            return Word::Nothing;
        };
        let may_be_a_copy =
            || self.had_copies_elsewhere() || self.search.was_there(place, followed);
        match followed.on(place, &self.search.pointer.file) {
            Word::Nothing
                if is_on("evidence.left_for_good")
                    && followed.left_for_good()
                    && (may_be_a_copy() || !self.is_known_again(place)) =>
            {
                Word::Against(None)
            }
            Word::For
                if is_on("evidence.of_copies")
                    && followed.left_for_good()
                    && self.is_of_copies(place, followed) =>
            {
                Word::Against(None)
            }
            Word::Nothing | Word::For
                if is_on("evidence.lost_beside_a_copy")
                    && place.kept == 100
                    && followed.proven().is_none()
                    && followed.was_lost_beside_a_copy(self.search.snapshot, old) =>
            {
                Word::Against(None)
            }
            word => word,
        }
    }

    /// True if other files contained the text at capture, or may have contained it.
    fn had_copies_elsewhere(&self) -> bool {
        let old = self.old;
        match self
            .search
            .capture
            .and_then(|capture| capture.copies_elsewhere)
        {
            Some(copies) => copies > 0,
            // A capture from a past commit did not record this, so it is determined now.
            None => {
                had_copies(
                    self.search.snapshot,
                    old,
                    &self.search.pointer.file,
                    NEARLY_ALL,
                ) != Some(false)
            }
        }
    }

    /// True if the text of `old` was removed and then restored at `place`. That is, the location is next to a former
    /// neighbour or within the symbol of the text, or the text is too informative to be written twice.
    fn is_known_again(&self, place: &Place) -> bool {
        let old = self.old;
        old.text.information(old.lines) >= MIN_INFORMATION_PUT_BACK || self.is_where_it_was(place)
    }

    /// True if `place` is next to a former neighbour of the text of `old`, or within its symbol.
    fn is_where_it_was(&self, place: &Place) -> bool {
        let old = self.old;
        let is_within = |symbol: Pointer| place.lines.is_within(Range::of(symbol.span));
        let keeps_a_neighbour = || {
            self.search.text_of(&place.file).is_some_and(|text| {
                let comparison = Comparison::new(self.search.snapshot, old, &text, &place.file);
                Copies::of(&comparison).kept_its_neighbour(place.lines.start)
            })
        };
        keeps_a_neighbour()
            || SymbolHint::of(self.search)
                .symbol_in(&place.file)
                .is_some_and(is_within)
    }

    /// Returns `found`, which claims a location in the text's `own` files, unless the claim is doubtful. It is doubtful
    /// if little of the text is unchanged there. It is also doubtful if less than most of it is, while equal lines were
    /// added elsewhere and another file contains the whole text. The lines that stayed may then belong to a similar
    /// text.
    fn unless_it_left(&self, found: Found, own: &[RepoPath], trace: &mut Trace) -> Found {
        if !is_on("evidence.left_whole") {
            return found;
        }
        let (old, followed) = (self.old, self.followed);
        let is_whole = found.repair.outcome == RepairOutcome::Moved;
        let (Some(followed), Some(place), false) = (followed, found.place(), is_whole) else {
            return found;
        };
        let least = match followed.rest.doubtful {
            0 => MIN_STAYED,
            _ => MIN_MOSTLY_STAYED,
        };
        let whole = match followed.same < least {
            true => look_elsewhere(self.search.snapshot, old, own, self.search.zone()).whole,
            false => self.came_in_whole(&place, followed),
        };
        match whole {
            Some(whole) => {
                trace.note("other_files", || {
                    format!("all of it is at {whole}, where it was not before")
                });
                self.search.ambiguous_with(vec![place, whole])
            }
            None => found,
        }
    }

    /// Returns the location of the whole text in a file other than that of `place`, if a commit that changed the text
    /// added it there.
    fn came_in_whole(&self, place: &Place, followed: &Located) -> Option<Place> {
        let old = self.old;
        let is_short = old.text.information(old.lines) < MIN_INFORMATION_ELSEWHERE;
        if is_short || !is_on("evidence.came_in_whole") {
            return None;
        }
        let files = followed.files_it_may_be_in(self.search.snapshot, old);
        let mut others = files.iter().filter(|file| **file != place.file);
        others.find_map(|file| whole_in(self.search.snapshot, old, file))
    }
}
