//! Comparison of the old file with its current contents, checked against what following the text
//! shows.

use windlass_base::{Pointer, RepairOutcome, RepoPath, SourceHash, is_on};

use super::Search;
use super::homeless::Homeless;
use super::homes::Home;
use super::symbol::OwnSymbol;
use super::verdict::Found;
use crate::agreement::Word;
use crate::elsewhere::{had_copies, look_elsewhere, whole_in};
use crate::explain::Trace;
use crate::in_file::{Comparison, InFile};
use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::replay::Located;
use crate::text::Range;

/// Everything that is known about a text when its old file is compared with the current files.
pub(super) struct Comparing<'a> {
    pub(super) search: &'a Search<'a>,
    pub(super) old: &'a OldText,
    pub(super) hash: SourceHash,
    pub(super) followed: Option<&'a Located>,
}

impl<'a> Comparing<'a> {
    /// Compares the text with its own file and, if that proves nothing, with all others.
    pub(super) fn compare(&self, trace: &mut Trace) -> Found {
        let (old, hash, followed) = (self.old, self.hash, self.followed);
        let renamed = self.search.renamed(old, followed);
        let homes = self.search.homes(renamed.as_ref(), trace);
        let own: Vec<RepoPath> = homes.iter().map(|home| home.file.clone()).collect();
        let mut looks: Vec<(InFile, &Home)> = Vec::new();
        for home in &homes {
            let look = Comparison::new(self.search.snapshot, old, &home.text, &home.file).look();
            trace.note("comparison", || format!("{}: {look}", home.file));
            looks.push((look, home));
        }
        let claims: Vec<(&Place, &Home)> = looks
            .iter()
            .filter_map(|(look, home)| Some((look.place.as_ref()?, *home)))
            .collect();
        // The text may have moved to another file and left a copy here.
        let came_back = || followed.is_some_and(Located::left_as_a_whole);
        // If the text can't be followed, the similar lines may have been added next to it.
        let is_only_like = |place: &Place| {
            followed.is_none() && place.kept < params::NEARLY_ALL && !self.is_where_it_was(place)
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
                // The two methods disagree, so their locations are only candidates.
                Word::Against(other) => {
                    let places = std::iter::once(*place).chain(other);
                    return self.search.ambiguous_with(places.cloned().collect());
                }
                // Following the text tells nothing. We claim a location that's similar enough; for
                // any other one, we first look into the other files (below).
                Word::Nothing
                    if place.kept >= params::MIN_ALIKE && !came_back() && !is_only_like(place) =>
                {
                    let found = self.search.claim(place, &home.text, hash).into();
                    return self.unless_it_left(found, &own, trace);
                }
                Word::Nothing => {}
            },
            [] => {
                // Comparing the files proves nothing, but following the text still may.
                if let Some(found) = self.by_history(&looks, trace) {
                    return self.unless_it_left(found, &own, trace);
                }
            }
            // The file was renamed, but exists under its old name as well, and both may have the
            // text.
            several => {
                let places = several.iter().map(|(place, _)| (*place).clone());
                return self.search.ambiguous_with(places.collect());
            }
        }
        let elsewhere = look_elsewhere(self.search.snapshot, old, &own, self.search.zone());
        trace.note("other_files", || elsewhere.to_string());
        if let [(place, home)] = &claims[..] {
            // The text is elsewhere as a whole, so the lines here may be only a part of it.
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

    /// Returns what following the text says about `place`, which equals it or is similar. A text
    /// that was removed for good is not claimed by lines that may be a copy.
    pub(super) fn word_on(&self, place: &Place) -> Word<'a> {
        let old = self.old;
        let Some(followed) = self.followed else {
            return Word::Nothing;
        };
        let may_be_a_copy =
            || self.had_copies_elsewhere() || self.search.was_there(place, followed);
        match followed.on(place, &self.search.pointer.file) {
            // The text was deleted, and now there's something like it. We only claim that if it was
            // put back, i.e. if it can't be a copy and is in a familiar place.
            Word::Nothing
                if is_on("evidence.left_for_good")
                    && followed.left_for_good()
                    && (may_be_a_copy() || !self.is_known_again(place)) =>
            {
                Word::Against(None)
            }
            // The text was followed to the end of a copy of it (see `copied`).
            Word::For
                if is_on("evidence.of_copies")
                    && followed.left_for_good()
                    && self.is_of_copies(place, followed) =>
            {
                Word::Against(None)
            }
            // A commit removed lines of the text while a copy of it stayed, so this may be that
            // copy.
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

    /// Returns true if other files had the text at capture, or if it is unknown whether they had.
    fn had_copies_elsewhere(&self) -> bool {
        let old = self.old;
        match self
            .search
            .capture
            .and_then(|capture| capture.copies_elsewhere)
        {
            Some(copies) => copies > 0,
            // A capture from a past commit did not record this, so we ask git.
            None => {
                had_copies(
                    self.search.snapshot,
                    old,
                    &self.search.pointer.file,
                    params::NEARLY_ALL,
                ) != Some(false)
            }
        }
    }

    /// Returns true if `place` is where a removed text was put back.
    ///
    /// It has to be next to a former neighbor or within the symbol of the text, unless the text is
    /// too long to be written twice.
    fn is_known_again(&self, place: &Place) -> bool {
        let old = self.old;
        old.text.information(old.lines) >= params::MIN_INFORMATION_PUT_BACK
            || self.is_where_it_was(place)
    }

    /// Returns true if `place` is next to a former neighbor of the text, or within its symbol.
    fn is_where_it_was(&self, place: &Place) -> bool {
        let old = self.old;
        let is_within = |symbol: Pointer| place.lines.is_within(Range::of(symbol.span));
        let keeps_a_neighbour = || {
            self.search.text_of(&place.file).is_some_and(|text| {
                let comparison = Comparison::new(self.search.snapshot, old, &text, &place.file);
                comparison.kept_its_neighbour(place.lines.start)
            })
        };
        let symbol = || OwnSymbol(self.search).symbol_in(&place.file);
        keeps_a_neighbour() || symbol().is_some_and(is_within)
    }

    /// Returns `found`, which claims a location in the text's `own` files, or an ambiguous verdict
    /// if the text as a whole is in another file.
    ///
    /// Other files are searched if little of the text was followed there unchanged. Otherwise, only
    /// those files count to which a commit that changed the text added all of it. The lines that
    /// stayed may then belong to a similar text.
    fn unless_it_left(&self, found: Found, own: &[RepoPath], trace: &mut Trace) -> Found {
        if !is_on("evidence.left_whole") {
            return found;
        }
        let (old, followed) = (self.old, self.followed);
        let is_whole = found.repair.outcome == RepairOutcome::Moved;
        let (Some(followed), Some(place), false) = (followed, found.place(), is_whole) else {
            return found;
        };
        // If equal lines were added while some of the text was removed, the text may have moved
        // away. More of it has to be unchanged here before we skip the search.
        let least = match followed.rest.doubtful {
            0 => params::HALF,
            _ => params::MIN_ALIKE,
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

    /// Returns a location of the whole text outside of the file of `place`, if a commit that
    /// changed the text added it there.
    fn came_in_whole(&self, place: &Place, followed: &Located) -> Option<Place> {
        let old = self.old;
        let is_short = old.text.information(old.lines) < params::MIN_INFORMATION_ELSEWHERE;
        if is_short || !is_on("evidence.came_in_whole") {
            return None;
        }
        let files = followed.files_it_may_be_in(self.search.snapshot, old);
        let mut others = files.iter().filter(|file| **file != place.file);
        others.find_map(|file| whole_in(self.search.snapshot, old, file))
    }
}
