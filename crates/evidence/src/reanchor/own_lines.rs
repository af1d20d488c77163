//! Check of a similar location against the unique lines of a text.
//!
//! In a list of records that differ only in a number or a name, a text that has moved away leaves a
//! similar one behind, because most lines are common to all records. Only its unique lines tell the
//! records apart.

use windlass_base::{RepairMethod, RepairOutcome, is_on};

use super::Search;
use super::verdict::Found;
use crate::alignment::Alignment;
use crate::explain::Trace;
use crate::numbers::is_numbered;
use crate::old_text::OldText;
use crate::place::Place;
use crate::records::{Standing, only_one};
use crate::text::{Part, Range, Text};

/// Weights of lines that are unique in both the old and the new text.
///
/// Lines that are unique only because of a number do not count: when records are inserted above,
/// numbers in a list stay at their position.
#[derive(Debug, Default)]
struct OwnLines {
    /// Lines of the text that are in the location.
    inside: u32,
    /// Lines of the text that are outside of the location.
    outside: u32,
    /// Lines in the location that were outside of the text.
    foreign: u32,
    /// First line of the text that is outside of the location, by its old and new position.
    first_outside: Option<(usize, usize)>,
}

impl OwnLines {
    fn of(old: &OldText, now: &Text, place: Range) -> Self {
        let mut own = Self::default();
        for at in old.lines.iter() {
            let to = only_one(&old.text, at, now).filter(|_| !is_numbered(&old.text, at));
            match to {
                Some(to) if place.contains(to) => own.inside += old.text.weight(at),
                Some(to) => {
                    own.outside += old.text.weight(at);
                    own.first_outside.get_or_insert((at, to));
                }
                None => {}
            }
        }
        for at in place.start..place.end.min(now.len()) {
            let from = only_one(now, at, &old.text);
            if from.is_some_and(|from| !old.lines.contains(from)) && !is_numbered(now, at) {
                own.foreign += now.weight(at);
            }
        }
        own
    }

    /// Returns true if the lines contradict the location, because those on the wrong side weigh
    /// more than half as much as those in it.
    fn contradict(&self) -> bool {
        (self.outside + self.foreign) * 2 > self.inside
    }

    /// Returns the location that the text would have around its first line outside of the location.
    fn other_place(&self, old: &OldText, now: &Text, like: &Place) -> Option<Place> {
        let (from, to) = self.first_outside?;
        let start = to.saturating_sub(from - old.lines.start);
        Some(Place {
            lines: Range::new(start, (start + old.lines.len()).min(now.len())),
            method: RepairMethod::Alignment,
            ..like.clone()
        })
    }
}

/// Compares the surroundings of the text of `old` with those of `place`. They say nothing if the
/// text was unique and still is.
fn standing_at(old: &OldText, now: &Text, place: Range) -> Standing {
    let lines = old.lines.iter();
    let there = place.start..place.end.min(now.len());
    if now.keys().get(there.clone()) == Some(old.keys()) {
        let is_once = |text: &Text| text.places_of(old.keys(), 2).len() == 1;
        if is_once(&old.text) && is_once(now) {
            return Standing::Open;
        }
        return Standing::of_lines(&old.text, now, lines.zip(there));
    }
    let there = Part::new(now, Range::new(there.start, there.end));
    let pairs = Alignment::of(old.part(), there, |_| true).pairs.into_iter();
    let equal = pairs.filter(|(.., alike)| *alike == 1000);
    Standing::of_lines(&old.text, now, equal.map(|(at, to, _)| (at, to)))
}

/// Returns true if the lines at `place` in `now` belong to another record than the text of `old`.
pub(super) fn is_of_another_record(old: &OldText, now: &Text, place: Range) -> bool {
    matches!(standing_at(old, now, place), Standing::Other(_))
}

impl Search<'_> {
    /// Returns `found`, or an ambiguous verdict if it claims a similar location that unique lines
    /// contradict.
    pub(super) fn unless_contradicted(
        &self,
        found: Found,
        old: &OldText,
        trace: &mut Trace,
    ) -> Found {
        let is_edited = found.repair.outcome == RepairOutcome::Edited;
        let Some((place, now)) = self.claimed_place(&found).filter(|_| is_edited) else {
            return found;
        };
        let own = OwnLines::of(old, &now, place.lines);
        if !own.contradict() || !is_on("evidence.own_lines") {
            return found;
        }
        trace.note("own_lines", || {
            format!(
                "unique lines contradict {place}: weight {} inside, {} beside it, {} of other text in it",
                own.inside, own.outside, own.foreign
            )
        });
        let other = own.other_place(old, &now, &place);
        Found {
            why: found.why,
            ..self.ambiguous_with(std::iter::once(place).chain(other).collect())
        }
    }
}
