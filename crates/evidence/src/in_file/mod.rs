//! Fate of a text in a file whose old and new state are known. A line is carried if the line map pairs it with a line
//! in the new state.

mod copies;
mod edited;

use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath, is_on};
use windlass_repo::Snapshot;

use crate::alignment::Alignment;
use crate::line_map::LineMap;
use crate::old_text::OldText;
use crate::place::Place;
use crate::reciprocal::is_best_explained_by;
use crate::shared::map_between;
use crate::text::{Part, Range, Text};
use crate::windows::best_places;
pub(crate) use copies::Copies;

/// Minimum number of letters and digits in a text for which uniqueness alone proves a move; see [`crate::information`].
pub(crate) const MIN_INFORMATION: u32 = 12;

/// Minimum carried share of a text whose location is claimed, in percent of its weight.
const MIN_CARRIED: u32 = 50;

/// Minimum similarity of a text to a location in its own file that the line map does not prove, in percent.
const MIN_ALIKE: u32 = 70;

/// Maximum similarity of a text to the lines that replaced it, in percent, if it is reported as deleted.
const MAX_ALIKE_REPLACED: u32 = 10;

/// Minimum share of a location, in percent, that the text has to explain.
const MIN_EXPLAINED: u32 = 50;

/// Minimum lead of the best location over the second best, in percentage points.
const MARGIN: u32 = 15;

/// Maximum number of equal copies to inspect.
pub(crate) const MAX_COPIES: usize = 4;

/// Fate of a text in one file.
#[derive(Debug)]
pub(crate) struct InFile {
    /// Location in the file, if it is proven.
    pub(crate) place: Option<Place>,
    /// Candidate locations, none of which is proven.
    pub(crate) candidates: Vec<Place>,
    /// Most similar location. It proves nothing alone.
    pub(crate) nearest: Option<Place>,
    /// Share of the text that is carried, in percent.
    pub(crate) carried: u32,
    /// Range of all carried lines that are not trivial.
    pub(crate) reach: Option<Range>,
    /// True if the lines were deleted and nothing replaced them.
    pub(crate) cut_out: bool,
    /// Description of the result.
    pub(crate) said: String,
}

/// Comparison of a text with a file that may contain it now.
pub(crate) struct Comparison<'a> {
    pub(crate) old: &'a OldText,
    pub(crate) new: &'a Text,
    pub(crate) file: &'a RepoPath,
    map: Arc<LineMap>,
}

/// Carried lines of the text: old and new line numbers.
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

    pub(crate) fn look(&self) -> InFile {
        let lines = self.old.lines;
        let kept: Kept = (lines.start..lines.end)
            .filter_map(|at| Some((at, self.map.to(at)?)))
            .collect();
        let carried = self.old.percent(self.weight(&kept));
        let mut found = InFile {
            place: None,
            candidates: Vec::new(),
            nearest: None,
            carried,
            reach: self.reach(&kept),
            cut_out: self.is_cut_out(carried),
            said: String::new(),
        };
        let attempts: [fn(&Self, &Kept) -> Attempt; 4] =
            [Self::whole, Self::unique, Self::edited, Self::aligned];
        for attempt in attempts {
            match attempt(self, &kept) {
                Attempt::Found(place, said)
                    if is_on("evidence.torn")
                        && found.reach.is_some_and(|reach| place.is_torn_by(reach)) =>
                {
                    found.said = format!("{said}; but lines of it stand far from the others");
                    found.nearest = Some(place.clone());
                    found.candidates = vec![place];
                    return found;
                }
                Attempt::Found(place, said) => {
                    found.said = said;
                    found.place = Some(place);
                    return found;
                }
                Attempt::Several(places, said) => {
                    found.said = said;
                    found.nearest = places.first().cloned();
                    found.candidates = places;
                    return found;
                }
                Attempt::Nothing(said) => {
                    if !found.said.is_empty() {
                        found.said.push_str("; ");
                    }
                    found.said.push_str(&said);
                }
            }
        }
        found.nearest = self.alike_places().into_iter().next();
        found
    }

    fn reach(&self, kept: &Kept) -> Option<Range> {
        let telling = kept.iter().filter(|(at, _)| !self.old.text.is_trivial(*at));
        telling.fold(None, |reach: Option<Range>, (_, to)| {
            let line = Range {
                start: *to,
                end: to + 1,
            };
            Some(reach.map_or(line, |reach| reach.with(*to)))
        })
    }

    /// Tries to locate the whole text by its carried lines.
    fn whole(&self, kept: &Kept) -> Attempt {
        let lines = self.old.lines;
        let Some((_, first)) = kept.first().filter(|_| kept.len() == lines.len()) else {
            return Attempt::Nothing(format!(
                "{} of {} lines are carried",
                kept.len(),
                lines.len()
            ));
        };
        let place = Range {
            start: *first,
            end: first + lines.len(),
        };
        if kept.last().is_none_or(|(_, last)| last + 1 != place.end) {
            return Attempt::Nothing("all lines are carried, with others between".to_owned());
        }
        let then = self.old.text.places_of(self.old.keys(), MAX_COPIES);
        let now = self.new.places_of(self.old.keys(), MAX_COPIES);
        let says_enough = self.old.text.information(lines) >= MIN_INFORMATION;
        let is_safe = (then.len() == 1 && now.len() == 1 && says_enough)
            || (now.len() >= then.len()
                && self.touches_a_neighbour(place)
                && (then.len() == 1 || Copies::of(self).kept_its_neighbour(place.start))
                && !(is_on("evidence.copy_beside") && Copies::of(self).has_a_copy_beside_it()));
        if is_safe {
            let said = "both comparisons carry all of it".to_owned();
            return Attempt::Found(self.place(place, 100, RepairMethod::Diff), said);
        }
        let said = format!(
            "both comparisons carry all of it, but it stood there {} and stands there {}",
            times(then.len()),
            times(now.len())
        );
        Attempt::Several(self.exact_places(&now), said)
    }

    /// Tries to locate the whole text elsewhere in the file. It must have been unique and still be unique.
    fn unique(&self, kept: &Kept) -> Attempt {
        let (then, now) = (
            self.old.text.places_of(self.old.keys(), MAX_COPIES),
            self.new.places_of(self.old.keys(), MAX_COPIES),
        );
        match (&then[..], &now[..]) {
            (_, []) => Attempt::Nothing("the whole text stands nowhere in the file".to_owned()),
            ([_], [start]) => {
                let place = Range {
                    start: *start,
                    end: start + self.old.lines.len(),
                };
                if self.old.text.information(self.old.lines) < MIN_INFORMATION {
                    let said =
                        "it has too few letters and digits to prove that it moved".to_owned();
                    return Attempt::Several(self.exact_places(&now), said);
                }
                let said = "it stood in the file once, and stands in it once".to_owned();
                let place = self.place(place, 100, RepairMethod::UniqueButBlanks);
                Attempt::Found(place, said)
            }
            _ if self.old.percent(self.weight(kept)) >= MIN_CARRIED => {
                Attempt::Nothing("it has copies".to_owned())
            }
            _ if is_on("evidence.copy_that_went")
                && now.len() < then.len()
                && Copies::of(self).is_one_of_several_that_went(&now) =>
            {
                Attempt::Nothing(format!(
                    "it stood in the file {}, and all that is left stands where the others stood",
                    times(then.len())
                ))
            }
            _ => {
                let said = format!(
                    "it stood in the file {}, and stands in it {}",
                    times(then.len()),
                    times(now.len())
                );
                Attempt::Several(self.exact_places(&now), said)
            }
        }
    }

    /// Returns the share of the text that is similar to the lines at `place`, in percent.
    fn alike(&self, place: Range) -> u32 {
        let (wanted, there) = self.parts(place);
        Alignment::of(wanted, there, |_| true).share_of_one(wanted)
    }

    /// Returns the share of `place` that the text explains, in percent.
    fn explained(&self, place: Range) -> u32 {
        let (wanted, there) = self.parts(place);
        Alignment::of(wanted, there, |_| true).share_of_other(there)
    }

    /// Returns the text and the lines at `place` in the new state as parts to align.
    fn parts(&self, place: Range) -> (Part<'_>, Part<'_>) {
        let there = Part {
            text: self.new,
            lines: place,
        };
        (self.old.part(), there)
    }

    /// True if line `at` of the new state is new or is carried from the text.
    fn may_be_it(&self, at: usize) -> bool {
        !self.map.is_carried(at) || self.is_from_the_text(at)
    }

    /// Returns the locations among the new lines that are most similar to the text, best first.
    fn alike_places(&self) -> Vec<Place> {
        let wanted = self.old.part();
        let mut found = best_places(wanted, self.new, |at| self.may_be_it(at), self.file);
        found.truncate(3);
        found
    }

    /// Tries to locate the text by its similarity to new lines.
    fn aligned(&self, _: &Kept) -> Attempt {
        if !is_on("evidence.aligned") {
            return Attempt::Nothing(String::new());
        }
        let wanted = self.old.part();
        let own = |at: usize| self.may_be_it(at);
        let found = self.alike_places();
        let Some(best) = found.first() else {
            return Attempt::Nothing("nothing new in the file is like it".to_owned());
        };
        let second = found.get(1).map_or(0, |second| second.kept);
        let said = format!("the place most like it, {best}, has {} % of it", best.kept);
        if best.kept < MIN_ALIKE {
            return Attempt::Nothing(said);
        }
        let says_enough = self.old.text.information(self.old.lines) >= MIN_INFORMATION * 2;
        let place = Part {
            text: self.new,
            lines: best.lines,
        };
        let explained = Alignment::of(wanted, place, own).share_of_other(place);
        let is_sure = says_enough
            && best.kept >= second + MARGIN
            && explained >= MIN_EXPLAINED
            && self.is_best_explained(best.lines);
        if is_sure {
            return Attempt::Found(best.clone(), said);
        }
        Attempt::Several(found, format!("{said}, which is no proof"))
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
            let lines = Range {
                start: *start,
                end: start + self.old.lines.len(),
            };
            self.place(lines, 100, RepairMethod::UniqueButBlanks)
        };
        starts.iter().take(3).map(place).collect()
    }

    fn weight(&self, kept: &[(usize, usize)]) -> u32 {
        kept.iter().map(|(at, _)| self.old.text.weight(*at)).sum()
    }

    fn is_from_the_text(&self, new: usize) -> bool {
        let key = self.new.keys()[new];
        let alike = self.old.text.lines_like(key).iter().take(64);
        alike
            .map(|at| *at as usize)
            .any(|at| self.old.lines.contains(at) && self.map.to(at) == Some(new))
    }

    /// True if `place` is more similar to the text than to any other part of the old file that is not carried.
    fn is_best_explained(&self, place: Range) -> bool {
        let own = self.explained(place);
        let free = |at: usize| match self.map.to(at) {
            Some(to) => place.contains(to),
            None => true,
        };
        is_best_explained_by(self.old, own, self.new, place, free)
    }

    /// True if a non-trivial neighbour of the text is as near to `place` as it was to the text.
    fn touches_a_neighbour(&self, place: Range) -> bool {
        let lines = self.old.lines;
        let telling = |at: &usize| !self.old.text.is_trivial(*at);
        let before = (0..lines.start).rev().find(telling);
        let after = (lines.end..self.old.text.len()).find(telling);
        let stays_before = before
            .and_then(|at| Some((at, self.map.to(at)?)))
            .is_some_and(|(at, to)| to + (lines.start - at) == place.start);
        let stays_after = after
            .and_then(|at| Some((at, self.map.to(at)?)))
            .is_some_and(|(at, to)| place.end + (at - lines.end) == to);
        stays_before || stays_after
    }

    /// True if nothing of the text is left. Its replacement must be tiny, or it must be unlike the text and at most
    /// half as long as the removed lines.
    fn is_cut_out(&self, carried: u32) -> bool {
        let lines = self.old.lines;
        let before = (0..lines.start)
            .rev()
            .find_map(|at| Some((at, self.map.to(at)?)));
        let after = (lines.end..self.old.text.len()).find_map(|at| Some((at, self.map.to(at)?)));
        if carried > 0 {
            return false;
        }
        let between = Range {
            start: before.map_or(0, |(_, to)| to + 1),
            end: after.map_or(self.new.len(), |(_, to)| to),
        };
        let around = Range {
            start: before.map_or(0, |(at, _)| at + 1),
            end: after.map_or(self.old.text.len(), |(at, _)| at),
        };
        let telling = |text: &Text, lines: Range| {
            let lines = lines.start..lines.end;
            lines.filter(|at| !text.is_trivial(*at)).count()
        };
        let came = telling(self.new, between);
        came * 8 <= telling(&self.old.text, lines)
            || (is_on("evidence.unlike_replacement")
                && came * 2 <= telling(&self.old.text, around)
                && self.alike(between) <= MAX_ALIKE_REPLACED)
    }
}

/// Result of one attempt to locate the text.
enum Attempt {
    Found(Place, String),
    Several(Vec<Place>, String),
    Nothing(String),
}

fn times(count: usize) -> String {
    match count {
        0 => "nowhere".to_owned(),
        1 => "once".to_owned(),
        MAX_COPIES => "many times".to_owned(),
        count => format!("{count} times"),
    }
}
