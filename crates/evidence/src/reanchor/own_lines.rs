//! Check of a similar location against the unique lines of a text.
//!
//! In a list of records that differ only in a number or a name, a location can be similar to a text that has moved
//! away, because the lines that all records have in common stay. Only the unique lines of the text distinguish the
//! records.

use std::sync::Arc;

use windlass_base::{RepairMethod, RepairOutcome, is_on};

use super::Search;
use super::doubled::has_it_twice;
use super::verdict::Found;
use crate::alignment::Alignment;
use crate::explain::Trace;
use crate::numbers::is_numbered;
use crate::old_text::OldText;
use crate::place::Place;
use crate::records::{Standing, only_one};
use crate::shared::{map_between, text_of};
use crate::sought::rarest_of;
use crate::text::{Part, Range, Text};
use crate::windows::best_places;

/// Maximum distance of a neighbouring line from a location, in lines. It allows for blank lines in between.
const NEXT: usize = 2;

/// Weights of lines that are unique in both the old and the new text.
#[derive(Debug, Default, PartialEq, Eq)]
struct OwnLines {
    /// Weight of the lines of the text that are in the location.
    inside: u32,
    /// Weight of the lines of the text that are next to the location.
    outside: u32,
    /// Weight of the lines in the location that were next to the text.
    foreign: u32,
    /// Weight of the lines of the text that no longer exist unchanged.
    lost: u32,
    /// First line of the text that is next to the location, with its old and new position.
    first_outside: Option<(usize, usize)>,
}

impl OwnLines {
    /// Weighs the lines. Lines that are unique only because of a number are used only if there are no others: in a
    /// list, numbers stay at their position when records are inserted above.
    fn of(old: &OldText, now: &Text, place: Range) -> Self {
        let is_named =
            |text: &Text, at: usize| !is_on("evidence.numbered") || !is_numbered(text, at);
        let named = Self::among(old, now, place, is_named);
        match named.inside + named.outside + named.foreign {
            0 => Self::among(old, now, place, |_, _| true),
            _ => named,
        }
    }

    fn among(
        old: &OldText,
        now: &Text,
        place: Range,
        counts: impl Fn(&Text, usize) -> bool,
    ) -> Self {
        let mut own = Self::default();
        for at in old.lines.start..old.lines.end {
            let Some(to) = only_one(&old.text, at, now) else {
                let is_lost =
                    old.text.alike(at) == 1 && now.lines_like(old.text.keys()[at]).is_empty();
                own.lost += u32::from(is_lost) * old.text.weight(at);
                continue;
            };
            if !counts(&old.text, at) {
                continue;
            }
            if place.contains(to) {
                own.inside += old.text.weight(at);
            } else {
                own.outside += old.text.weight(at);
                own.first_outside.get_or_insert((at, to));
            }
        }
        for at in place.start..place.end.min(now.len()) {
            let from = only_one(now, at, &old.text);
            if from.is_some_and(|from| !old.lines.contains(from)) && counts(now, at) {
                own.foreign += now.weight(at);
            }
        }
        own
    }

    /// True if the lines contradict the location. More than half as much weight as that of the unique lines in it is or
    /// was elsewhere.
    fn contradict(&self) -> bool {
        (self.outside + self.foreign) * 2 > self.inside
    }

    /// True if the text has unique lines but none of them is in the location.
    fn have_none_there(&self) -> bool {
        self.inside == 0 && self.lost > 0
    }

    /// Returns the location that the text would have around its first line next to the location.
    fn other_place(&self, old: &OldText, now: &Text, like: &Place) -> Option<Place> {
        let (from, to) = self.first_outside?;
        let start = to.saturating_sub(from - old.lines.start);
        let end = (start + old.lines.len()).min(now.len());
        Some(Place {
            lines: Range { start, end },
            method: RepairMethod::Alignment,
            ..like.clone()
        })
    }
}

/// True if all of `place` was next to the text of `old`, together with a neighbouring line that is unique in both
/// states. Of two records with common lines, `place` is then the other one.
fn stood_beside(old: &OldText, now: &Text, place: Range) -> bool {
    let telling = |at: &usize| !now.is_trivial(*at);
    let above = (0..place.start).rev().take(NEXT).find(telling);
    let below = (place.end..now.len()).take(NEXT).find(telling);
    let came_along = |beside: usize, from: usize| {
        let mut lines = (place.start..place.end.min(now.len())).filter(telling);
        lines.all(|at| {
            let was = (at + from).checked_sub(beside);
            was.is_some_and(|was| {
                !old.lines.contains(was) && old.text.keys().get(was) == Some(&now.keys()[at])
            })
        })
    };
    let mut beside = above.into_iter().chain(below);
    beside.any(|at| only_one(now, at, &old.text).is_some_and(|from| came_along(at, from)))
}

/// True if the lines contain git's conflict markers.
fn has_conflict_marks(text: &Text, lines: Range) -> bool {
    const MARKS: [&[u8]; 2] = [b"<<<<<<< ", b">>>>>>> "];
    let mut lines = lines.start..lines.end.min(text.len());
    lines.any(|at| MARKS.iter().any(|mark| text.bytes(at).starts_with(mark)))
}

/// Returns what the lines around the text of `old` say about `place`. They say nothing if the text was unique and still
/// is.
fn standing_at(old: &OldText, now: &Text, place: Range) -> Standing {
    let lines = old.lines.start..old.lines.end;
    let there = place.start..place.end.min(now.len());
    if now.keys().get(there.clone()) == Some(old.keys()) {
        let is_once = |text: &Text| text.places_of(old.keys(), 2).len() == 1;
        if is_once(&old.text) && is_once(now) {
            return Standing::Open;
        }
        return Standing::of_lines(&old.text, now, lines.zip(there));
    }
    let there = Part {
        text: now,
        lines: Range {
            start: there.start,
            end: there.end,
        },
    };
    let pairs = Alignment::of(old.part(), there, |_| true).pairs.into_iter();
    let equal = pairs.filter(|(.., alike)| *alike == 1000);
    Standing::of_lines(&old.text, now, equal.map(|(at, to, _)| (at, to)))
}

/// True if the lines at `place` in `now` belong to another record than the text of `old`.
pub(super) fn is_of_another_record(old: &OldText, now: &Text, place: Range) -> bool {
    matches!(standing_at(old, now, place), Standing::Other(_))
}

/// Check of a claim against the unique lines of the text.
pub(super) struct OwnLinesCheck<'a> {
    search: &'a Search<'a>,
    old: &'a OldText,
}

impl<'a> OwnLinesCheck<'a> {
    pub(super) fn new(search: &'a Search<'a>, old: &'a OldText) -> Self {
        Self { search, old }
    }

    /// Returns `found`, unless it claims a location that is only similar and that unique lines of the text contradict.
    pub(super) fn unless_contradicted(&self, found: Found, trace: &mut Trace) -> Found {
        let old = self.old;
        let found = self.unless_of_another_record(found, trace);
        if found.repair.outcome != RepairOutcome::Edited {
            return found;
        }
        let Some((place, now)) = self.search.claimed_place(&found) else {
            return found;
        };
        if is_on("evidence.conflict_marks")
            && has_conflict_marks(&now, place.lines)
            && !has_conflict_marks(&old.text, old.lines)
        {
            trace.note("own_lines", || {
                format!("{place} has the marks of a conflict in it, which is to be settled first")
            });
            let why = Some("a conflict is not settled there".to_owned());
            return Found {
                why: found.why.or(why),
                ..self.search.ambiguous_with(vec![place])
            };
        }
        if is_on("evidence.doubled") && has_it_twice(old, &now, place.lines) {
            trace.note("own_lines", || {
                format!("{place} has most of the text twice, and either may be it")
            });
            let there = |at: usize| place.lines.contains(at);
            let either = best_places(old.part(), &now, there, &place.file);
            let why = Some("it stands there twice".to_owned());
            return Found {
                why: found.why.or(why),
                ..self.search.ambiguous_with(either)
            };
        }
        if !is_on("evidence.own_lines") {
            return found;
        }
        let own = OwnLines::of(old, &now, place.lines);
        // If the text was rewritten in place, its location is known without unique lines.
        let is_elsewhere = || {
            is_on("evidence.lost_lines")
                && own.have_none_there()
                && (stood_beside(old, &now, place.lines)
                    || !self.is_between_its_neighbours(&now, place.lines)
                    || (is_on("evidence.came_from_elsewhere")
                        && self.came_from_elsewhere(&now, &place)))
        };
        if !own.contradict() && !is_elsewhere() {
            return found;
        }
        trace.note("own_lines", || {
            format!(
                "of lines that stood once and stand once, by their weight {} of the text are at {place}, {} beside it, and {} of other text are there, \
                 so that is not proven",
                own.inside, own.outside, own.foreign
            )
        });
        let other = own.other_place(old, &now, &place);
        let places = std::iter::once(place).chain(other).collect();
        Found {
            why: found.why,
            ..self.search.ambiguous_with(places)
        }
    }

    /// Returns `found`, unless it claims lines that many texts contain, and the lines around them belong to another
    /// record than the text.
    fn unless_of_another_record(&self, found: Found, trace: &mut Trace) -> Found {
        let old = self.old;
        let Some((place, now)) = self.search.claimed_place(&found) else {
            return found;
        };
        let Standing::Other(known) = standing_at(old, &now, place.lines) else {
            return found;
        };
        if !is_on("evidence.other_record") {
            return found;
        }
        trace.note("records", || {
            format!(
                "line {} stood beside it and line {} stands beside {place}, so these are lines of another record",
                known.old + 1, known.new + 1
            )
        });
        let own = known.beside(old.lines.start).map(|start| Place {
            lines: Range {
                start,
                end: (start + old.lines.len()).min(now.len()),
            },
            ..place.clone()
        });
        let own =
            own.filter(|own| now.keys().get(own.lines.start..own.lines.end) == Some(old.keys()));
        Found {
            why: found.why,
            ..self
                .search
                .ambiguous_with(own.into_iter().chain([place]).collect())
        }
    }

    /// True if the lines that `place` has and the text lacks were together in another file, which no longer contains
    /// any of them. The location then came from that file.
    fn came_from_elsewhere(&self, now: &Text, place: &Place) -> bool {
        /// Maximum number of files to inspect.
        const MOST: usize = 8;
        let old = self.old;
        let is_new = |at: &usize| {
            !now.is_trivial(*at)
                && now.alike(*at) == 1
                && old.text.lines_like(now.keys()[*at]).is_empty()
        };
        let lines = (place.lines.start..place.lines.end.min(now.len())).filter(is_new);
        let new: Vec<usize> = lines.collect();
        // A single line proves nothing about lines being together, and searching all files of a commit for it is
        // expensive.
        if new.len() < 2 {
            return false;
        }
        let Some(rarest) = rarest_of(now, new.iter().copied()).into_iter().next() else {
            return false;
        };
        let Ok(files) = self
            .search
            .snapshot
            .history()
            .files_with(&old.commit, &rarest)
        else {
            return false;
        };
        let others = files
            .iter()
            .filter(|file| **file != self.search.pointer.file && **file != place.file);
        let has = |text: &Text, at: &usize| !text.lines_like(now.keys()[*at]).is_empty();
        others.take(MOST).any(|file| {
            let then = self
                .search
                .snapshot
                .history()
                .file(&old.commit, None, file)
                .ok();
            let then = then.and_then(|then| text_of(self.search.snapshot, &then));
            let is_left = || {
                self.search
                    .text_of(file)
                    .is_none_or(|text| !new.iter().any(|at| has(&text, at)))
            };
            then.is_some_and(|then| new.iter().all(|at| has(&then, at))) && is_left()
        })
    }

    /// True if `place` is between the nearest neighbours of the text of `old` that still exist.
    fn is_between_its_neighbours(&self, now: &Arc<Text>, place: Range) -> bool {
        let old = self.old;
        let map = map_between(self.search.snapshot, &old.text, now);
        let before = (0..old.lines.start).rev().find_map(|at| map.to(at));
        let after = (old.lines.end..old.text.len()).find_map(|at| map.to(at));
        before.is_none_or(|before| before < place.start)
            && after.is_none_or(|after| place.end <= after)
    }
}
