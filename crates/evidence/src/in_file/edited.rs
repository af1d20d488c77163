//! Texts that were edited in place. Most of the text is carried, together with lines around it.

use windlass_base::{RepairMethod, is_on};

use super::copies::Copies;
use super::{Attempt, Comparison, Kept, MAX_COPIES, MIN_CARRIED, MIN_INFORMATION, times};
use crate::alignment::Alignment;
use crate::text::{Part, Range};

/// Maximum share of a text, in percent, that may be far from the rest and is then not part of the location.
const MAX_STRAYS: u32 = 15;

/// Minimum carried share of a text, in percent, if lines on both sides of it are carried and most of it is similar.
const MIN_CARRIED_BETWEEN: u32 = 30;

/// Minimum similar share of the text in that case, in percent.
const MIN_ALIKE_BETWEEN: u32 = 55;

/// Minimum share of the location that an edited text has to explain, in percent. If two thirds are new, it is unknown
/// which part is the text.
const MIN_EXPLAINED_EDITED: u32 = 34;

/// Number of lines next to the text, at least one of which has to be carried.
const NEIGHBOURS: usize = 3;

/// Lines of both states that are between the same neighbours. None of them is carried.
#[derive(Debug, Clone, Copy)]
struct Gap {
    old: Range,
    new: Range,
}

impl Comparison<'_> {
    /// Tries to locate the text by its carried lines, and by a carried line next to it.
    pub(super) fn edited(&self, all: &Kept) -> Attempt {
        if !is_on("evidence.edited_in_place") {
            return Attempt::Nothing(String::new());
        }
        let kept = self.heaviest_cluster(all);
        let share = self.old.percent(self.weight(&kept));
        let (Some((_, first)), Some((_, last))) = (kept.first(), kept.last()) else {
            return Attempt::Nothing("no line of it is carried".to_owned());
        };
        let core = Range {
            start: *first,
            end: last + 1,
        };
        if share < MIN_CARRIED_BETWEEN {
            return Attempt::Nothing(format!("only {share} % of it are carried"));
        }
        if self.old.text.information(self.old.lines) < MIN_INFORMATION {
            return Attempt::Nothing("it says too little".to_owned());
        }
        let place = self.widened(core, &kept, all);
        if place.len() > self.old.lines.len() * 4 + 16 {
            return Attempt::Nothing("its lines were torn apart".to_owned());
        }
        let alike = self.alike(place);
        let (before, after) = self.kept_neighbours(core, place);
        let is_between = is_on("evidence.between") && before && after && alike >= MIN_ALIKE_BETWEEN;
        if share < MIN_CARRIED && !is_between {
            return Attempt::Nothing(format!(
                "only {share} % of it are carried, and {alike} % alike"
            ));
        }
        if !before && !after {
            return Attempt::Nothing(format!(
                "{share} % of it are carried, but no line next to it"
            ));
        }
        let explained = self.explained(place);
        if explained < MIN_EXPLAINED_EDITED {
            return Attempt::Nothing(format!(
                "{share} % of it are carried, but explain only {explained} % of what stands there"
            ));
        }
        if !self.is_best_explained(place) {
            return Attempt::Nothing(format!(
                "{share} % of it are carried, but other text of the old file is as much like the place"
            ));
        }
        let whole = self.new.places_of(self.old.keys(), MAX_COPIES);
        if is_on("evidence.copy_beside")
            && whole.len() > 1
            && Copies::of(self).has_a_copy_beside_it()
        {
            let said = format!(
                "both comparisons carry {share} % of it, but all of it stands there {}",
                times(whole.len())
            );
            return Attempt::Several(self.exact_places(&whole), said);
        }
        let said = format!("both comparisons carry {share} % of it, and a line next to it");
        let kept = share.max(alike);
        Attempt::Found(self.place(place, kept, RepairMethod::DiffEdited), said)
    }

    /// Returns the carried lines. A few that are far from the rest are dropped.
    fn heaviest_cluster(&self, kept: &Kept) -> Kept {
        let gap = self.old.lines.len().max(8);
        let mut clusters: Vec<Kept> = Vec::new();
        for pair in kept {
            match clusters.last_mut() {
                Some(last) if last.last().is_some_and(|(_, to)| pair.1 - to <= gap) => {
                    last.push(*pair);
                }
                _ => clusters.push(vec![*pair]),
            }
        }
        // If clusters are equally heavy, the first is preferred.
        let clusters = clusters.into_iter().rev();
        let heaviest = clusters.max_by_key(|cluster| self.weight(cluster));
        let heaviest = heaviest.unwrap_or_default();
        let strays = self.weight(kept) - self.weight(&heaviest);
        if self.old.percent(strays) > MAX_STRAYS {
            return kept.clone();
        }
        heaviest
    }

    /// Extends `core` by the lines around it that replaced lines of the text.
    fn widened(&self, core: Range, cluster: &Kept, kept: &Kept) -> Range {
        let lines = self.old.lines;
        let (Some((first, _)), Some((last, _))) = (cluster.first(), cluster.last()) else {
            return core;
        };
        // A line that was carried to another location was not replaced here.
        let strays_before = kept.first().is_some_and(|(at, _)| at < first);
        let strays_after = kept.last().is_some_and(|(at, _)| at > last);
        let before = (0..lines.start)
            .rev()
            .find_map(|at| Some((at, self.map.to(at)?)));
        let after = (lines.end..self.old.text.len()).find_map(|at| Some((at, self.map.to(at)?)));
        let above = Gap {
            old: Range {
                start: before.map_or(0, |(at, _)| at + 1),
                end: *first,
            },
            new: Range {
                start: before.map_or(0, |(_, to)| to + 1).min(core.start),
                end: core.start,
            },
        };
        let below = Gap {
            old: Range {
                start: last + 1,
                end: after.map_or(self.old.text.len(), |(at, _)| at),
            },
            new: Range {
                start: core.end,
                end: after.map_or(self.new.len(), |(_, to)| to).max(core.end),
            },
        };
        let mut wide = core;
        if !strays_before {
            wide.start = self.own_part(above).map_or(core.start, |own| own.start);
        }
        if !strays_after {
            wide.end = self.own_part(below).map_or(core.end, |own| own.end);
        }
        wide
    }

    /// Returns those lines on the new side of `gap` that replaced lines of the text.
    ///
    /// If other lines were replaced in the same gap, only the range of lines that are similar to the text counts.
    fn own_part(&self, gap: Gap) -> Option<Range> {
        let is_own = |at: usize| self.old.lines.contains(at);
        let telling = |at: &usize| !self.old.text.is_trivial(*at);
        let (own, others): (Vec<usize>, Vec<usize>) =
            (gap.old.start..gap.old.end).partition(|at| is_own(*at));
        let free = gap.new.len();
        if own.is_empty() || free == 0 {
            return None;
        }
        if !others.iter().any(telling) && free <= 2 * own.len() + 3 {
            return Some(gap.new);
        }
        let (old, new) = (
            Part {
                text: &self.old.text,
                lines: gap.old,
            },
            Part {
                text: self.new,
                lines: gap.new,
            },
        );
        let pairs = Alignment::of(old, new, |at| !self.map.is_carried(at)).pairs;
        let like = pairs
            .iter()
            .filter(|(at, ..)| is_own(*at) && telling(at))
            .map(|(_, to, _)| *to);
        let (first, last) = (like.clone().min()?, like.max()?);
        Some(Range {
            start: first,
            end: last + 1,
        })
    }

    /// True if lines around the text are still on both sides of `place`, as near as they were to the text.
    pub(crate) fn stands_between(&self, place: Range) -> bool {
        self.kept_neighbours(place, place) == (true, true)
    }

    /// Determines for each side if a non-trivial line near the text is still near `place`. If the text was at an end of
    /// the old file, that side counts as having its neighbour.
    fn kept_neighbours(&self, core: Range, place: Range) -> (bool, bool) {
        let lines = self.old.lines;
        let reach = lines.len() + 8;
        let telling = |at: &usize| !self.old.text.is_trivial(*at);
        let mut before = (0..lines.start)
            .rev()
            .filter(telling)
            .take(NEIGHBOURS)
            .peekable();
        let mut after = (lines.end..self.old.text.len())
            .filter(telling)
            .take(NEIGHBOURS)
            .peekable();
        if before.peek().is_none() && after.peek().is_none() {
            return (true, true);
        }
        let to = |at: usize| self.map.to(at);
        let kept_before = before
            .filter_map(to)
            .any(|to| to < core.start && place.start.saturating_sub(to) <= reach);
        let kept_after = after
            .filter_map(to)
            .any(|to| to >= core.end && to.saturating_sub(place.end) <= reach);
        (kept_before, kept_after)
    }
}
