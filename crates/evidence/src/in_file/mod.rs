//! Comparison of a text's old file with a file that may contain it now, which is usually the same
//! file.
//!
//! Lines that the line map carries come first. If they do not locate the text, the lines that are
//! new in the file are searched for something similar.

mod copies;

use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath, is_on};
use windlass_repo::Snapshot;

use crate::alignment::Alignment;
use crate::line_map::LineMap;
use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::reciprocal::explained_by_others;
use crate::shared::map_between;
use crate::text::{Part, Range, Text};
use crate::windows::best_places;

#[derive(Debug)]
pub(crate) struct InFile {
    /// Location of the text in the file, if it is proven.
    pub(crate) place: Option<Place>,
    /// Possible locations, if none is proven.
    pub(crate) candidates: Vec<Place>,
    /// Most similar location, if none is proven. It proves nothing alone.
    pub(crate) nearest: Option<Place>,
    /// Share of the text that is carried, in percent of its weight.
    pub(crate) carried: u32,
    /// True if the lines were deleted and hardly anything is in their place.
    pub(crate) cut_out: bool,
}

impl std::fmt::Display for InFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} % of the text is carried", self.carried)?;
        match (&self.place, &self.nearest) {
            (Some(place), _) => write!(f, "; {place} has {} % of it", place.kept),
            (None, Some(place)) => write!(
                f,
                "; {place} has {} % of it, which proves nothing",
                place.kept
            ),
            (None, None) => write!(f, "; no added lines are similar"),
        }
    }
}

pub(crate) struct Comparison<'a> {
    pub(crate) old: &'a OldText,
    pub(crate) new: &'a Text,
    pub(crate) file: &'a RepoPath,
    map: Arc<LineMap>,
}

/// Carried lines of the text, as pairs of old and new line numbers.
type Kept = Vec<(usize, usize)>;

impl<'a> Comparison<'a> {
    pub(crate) fn new(
        snapshot: &Snapshot,
        old: &'a OldText,
        new: &'a Arc<Text>,
        file: &'a RepoPath,
    ) -> Self {
        let map = map_between(snapshot, &old.text, new);
        Self {
            old,
            new,
            file,
            map,
        }
    }

    /// Locates the text in the file as far as possible, and describes what is left of it.
    pub(crate) fn look(&self) -> InFile {
        let lines = self.old.lines.iter();
        let kept: Kept = lines
            .filter_map(|at| Some((at, self.map.to(at)?)))
            .collect();
        let carried = self.old.percent(self.weight(&kept));
        let telling = kept.iter().filter(|(at, _)| !self.old.text.is_trivial(*at));
        // All carried lines of the text, however far apart they are now.
        let reach = telling.fold(None, |reach: Option<Range>, (_, to)| {
            Some(reach.map_or(Range::new(*to, to + 1), |reach| reach.with(*to)))
        });
        let is_torn = |place: &Place| reach.is_some_and(|reach| place.is_torn_by(reach));
        // Carried lines are the best evidence, and mere similarity is the last resort.
        let attempt = self.whole(&kept).or_else(|| self.unique(carried));
        let (place, candidates) = match attempt.or_else(|| self.aligned()) {
            Some(Attempt::Found(place)) if is_torn(&place) => (None, vec![place]),
            Some(Attempt::Found(place)) => (Some(place), Vec::new()),
            Some(Attempt::Several(places)) => (None, places),
            None => (None, Vec::new()),
        };
        let nearest = match place {
            Some(_) => None,
            None => candidates
                .first()
                .cloned()
                .or_else(|| self.alike_places().into_iter().next()),
        };
        InFile {
            place,
            candidates,
            nearest,
            carried,
            cut_out: self.is_cut_out(carried),
        }
    }

    /// Locates the whole text by its carried lines.
    ///
    /// All of its lines must be carried and still adjacent. If the text has or had copies in the
    /// file, a line next to it also has to be in its place, because a diff pairs equal copies by
    /// chance.
    fn whole(&self, kept: &Kept) -> Option<Attempt> {
        let length = self.old.lines.len();
        let (first, last) = (kept.first()?.1, kept.last()?.1);
        if kept.len() != length || last + 1 != first + length {
            return None;
        }
        let place = Range::new(first, first + length);
        let (then, now) = self.copies();
        let says_enough = self.old.text.information(self.old.lines) >= params::MIN_INFORMATION;
        let is_safe = (then.len() == 1 && now.len() == 1 && says_enough)
            || (now.len() >= then.len()
                && self.touches_a_neighbour(place)
                && (then.len() == 1 || self.kept_its_neighbour(place.start)));
        Some(match is_safe {
            true => Attempt::Found(self.place(place, 100, RepairMethod::Diff)),
            false => Attempt::Several(self.exact_places(&now)),
        })
    }

    /// Locates the whole text by being the only one of its kind in both states of the file.
    fn unique(&self, carried: u32) -> Option<Attempt> {
        let (then, now) = self.copies();
        // There was one copy, and there's one now, so they're the same, whatever lines a diff may
        // pair.
        if let ([_], [start]) = (&then[..], &now[..])
            && self.old.text.information(self.old.lines) >= params::MIN_INFORMATION
        {
            let place = Range::new(*start, start + self.old.lines.len());
            return Some(Attempt::Found(self.place(
                place,
                100,
                RepairMethod::UniqueButBlanks,
            )));
        }
        // If most of the text is carried, it's probably at one location in edited form, and the
        // exact copies are others.
        let is_elsewhere = then.len() + now.len() > 2 && carried >= params::HALF;
        let is_open = !now.is_empty() && !is_elsewhere;
        is_open.then(|| Attempt::Several(self.exact_places(&now)))
    }

    /// Returns the first line of each copy of the text, in the old and in the new state.
    fn copies(&self) -> (Vec<usize>, Vec<usize>) {
        let of = |text: &Text| text.places_of(self.old.keys(), params::MAX_LOCATIONS);
        (of(&self.old.text), of(self.new))
    }

    /// Returns true if carried lines from around the text are on both sides of `place`, about as
    /// near as they were.
    pub(crate) fn stands_between(&self, place: Range) -> bool {
        let (text, lines) = (&self.old.text, self.old.lines);
        let reach = lines.len() + params::MAX_DISTANCE;
        let telling = |at: &usize| !text.is_trivial(*at);
        let before = (0..lines.start)
            .rev()
            .filter(telling)
            .take(params::MAX_NEIGHBOURS);
        let after = (lines.end..text.len())
            .filter(telling)
            .take(params::MAX_NEIGHBOURS);
        let now = |at: usize| self.map.to(at);
        // A text that makes up the whole file has no neighbors to look for.
        let is_alone = before.clone().chain(after.clone()).next().is_none();
        let is_above = |to: usize| to < place.start && place.start - to <= reach;
        let is_below = |to: usize| to >= place.end && to - place.end <= reach;
        is_alone || (before.filter_map(now).any(is_above) && after.filter_map(now).any(is_below))
    }

    /// Returns true if line `at` of the new state is free to be a line of the text: it is new, or
    /// it is carried from the text.
    fn may_be_it(&self, at: usize) -> bool {
        !self.map.is_carried(at) || self.is_from_the_text(at)
    }

    /// Returns up to [`params::MAX_CANDIDATES`] locations, most similar first, made up of lines
    /// that are new or carried from the text.
    fn alike_places(&self) -> Vec<Place> {
        let wanted = self.old.part();
        let mut found = best_places(wanted, self.new, |at| self.may_be_it(at), self.file);
        found.truncate(params::MAX_CANDIDATES);
        found
    }

    /// Locates the text by its similarity to one of the `alike_places`, which has to be clearly
    /// more similar than the others and must not be explained as well by other text of the old
    /// file.
    fn aligned(&self) -> Option<Attempt> {
        let found = self.alike_places();
        let best = found.first()?.clone();
        let second = found.get(1).map_or(0, |second| second.kept);
        if best.kept < params::MIN_ALIKE || !is_on("evidence.aligned") {
            return None;
        }
        let there = Part::new(self.new, best.lines);
        let explained = Alignment::of(self.old.part(), there, |at| self.may_be_it(at));
        let is_sure = self.old.text.information(self.old.lines) >= params::MIN_INFORMATION_SURE
            && best.kept >= second + params::MARGIN
            && explained.share_of_other(there) >= params::HALF
            && self.is_best_explained(best.lines);
        Some(match is_sure {
            true => Attempt::Found(best),
            false => Attempt::Several(found),
        })
    }

    fn place(&self, lines: Range, kept: u32, method: RepairMethod) -> Place {
        Place {
            file: self.file.clone(),
            lines,
            kept,
            method,
        }
    }

    fn exact_places(&self, starts: &[usize]) -> Vec<Place> {
        let place = |start: &usize| {
            let lines = Range::new(*start, start + self.old.lines.len());
            self.place(lines, 100, RepairMethod::UniqueButBlanks)
        };
        starts
            .iter()
            .take(params::MAX_CANDIDATES)
            .map(place)
            .collect()
    }

    fn weight(&self, kept: &[(usize, usize)]) -> u32 {
        kept.iter().map(|(at, _)| self.old.text.weight(*at)).sum()
    }

    fn is_from_the_text(&self, new: usize) -> bool {
        let key = self.new.keys()[new];
        let alike = self
            .old
            .text
            .lines_like(key)
            .iter()
            .take(params::MAX_EQUAL_LINES);
        alike
            .map(|at| *at as usize)
            .any(|at| self.old.lines.contains(at) && self.map.to(at) == Some(new))
    }

    /// Returns true if the lines at `place` come from the text rather than from another part of the
    /// old file that is no longer at its location.
    fn is_best_explained(&self, place: Range) -> bool {
        let own = self.old.explains(self.new, place);
        let free = |at: usize| match self.map.to(at) {
            Some(to) => place.contains(to),
            None => true,
        };
        !is_on("evidence.reciprocal")
            || explained_by_others(self.old, self.new, place, free) + params::MARGIN <= own
    }

    /// Returns true if the nearest non-trivial line above or below the text is carried and as near
    /// to `place` as before.
    fn touches_a_neighbour(&self, place: Range) -> bool {
        let (text, lines) = (&self.old.text, self.old.lines);
        let before = text.telling_above(lines.start).next();
        let after = text.telling_below(lines.end).next();
        let to = |at: usize| Some((at, self.map.to(at)?));
        before
            .and_then(to)
            .is_some_and(|(at, to)| to + (lines.start - at) == place.start)
            || after
                .and_then(to)
                .is_some_and(|(at, to)| place.end + (at - lines.end) == to)
    }

    /// Returns true if nothing of the text is carried and hardly any lines are now between its
    /// neighbors.
    fn is_cut_out(&self, carried: u32) -> bool {
        if carried > 0 {
            return false;
        }
        let (old, lines) = (&self.old.text, self.old.lines);
        let before = (0..lines.start).rev().find_map(|at| self.map.to(at));
        let after = (lines.end..old.len()).find_map(|at| self.map.to(at));
        let between = Range::new(
            before.map_or(0, |to| to + 1),
            after.unwrap_or(self.new.len()),
        );
        let came = Part::new(self.new, between).telling().count();
        // A few new lines in the place of a long text don't matter.
        came * 8 <= self.old.part().telling().count()
    }
}

/// Result of a method that locates the text. `None` means that another method may be tried.
enum Attempt {
    Found(Place),
    /// Locations that the method cannot choose from.
    Several(Vec<Place>),
}
