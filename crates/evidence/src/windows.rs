//! Windows: parts of a text where other lines may be now. They are only candidates.

use std::collections::BTreeMap;

use windlass_base::{RepairMethod, RepoPath, is_on};

use crate::alignment::Alignment;
use crate::place::Place;
use crate::sliders::join_ends;
use crate::text::{Part, Range, Text};

/// Maximum number of times a line may occur if it is used to propose locations.
const MAX_PLACES: usize = 64;

/// Returns the parts of `text` in which lines of `wanted` are at about their former distances, best first. Only lines
/// for which `open` is true are considered. A part that overlaps a better one is dropped.
pub(crate) fn windows(
    wanted: Part<'_>,
    text: &Text,
    open: impl Fn(usize) -> bool,
    limit: usize,
) -> Vec<Range> {
    let (first, lines) = (wanted.lines.start, wanted.lines.len());
    let pad = lines / 2 + 4;
    let bucket = (lines / 2).max(4) as i64;
    let mut votes: BTreeMap<i64, u64> = BTreeMap::new();
    for at in wanted.lines.start..wanted.lines.end {
        let weight = u64::from(wanted.text.weight(at));
        let places = text.lines_like(wanted.text.keys()[at]);
        if weight == 0 || places.len() > MAX_PLACES {
            continue;
        }
        for place in places.iter().filter(|place| open(**place as usize)) {
            let shift = i64::from(*place) - (at - first) as i64;
            let slot = shift.div_euclid(bucket);
            // A location near the border of two slots must not lose votes, so it counts in both.
            *votes.entry(slot).or_default() += weight;
            *votes.entry(slot + 1).or_default() += weight;
        }
    }
    let mut slots: Vec<(u64, i64)> = votes
        .into_iter()
        .map(|(slot, votes)| (votes, slot))
        .collect();
    slots.sort_by_key(|(votes, slot)| (std::cmp::Reverse(*votes), *slot));
    let mut found: Vec<(Range, Range)> = Vec::new();
    for (_, slot) in slots {
        let (from, to) = ((slot - 1) * bucket, (slot + 1) * bucket + lines as i64);
        let clamp = |at: i64| usize::try_from(at).unwrap_or(0).min(text.len());
        let core = Range {
            start: clamp(from + bucket / 2),
            end: clamp(to - bucket / 2),
        };
        if core.len() == 0 || found.iter().any(|(known, _)| known.overlaps(core)) {
            continue;
        }
        let wide = Range {
            start: core.start.saturating_sub(pad),
            end: (core.end + pad).min(text.len()),
        };
        found.push((core, wide));
        if found.len() == limit {
            break;
        }
    }
    found.into_iter().map(|(_, wide)| wide).collect()
}

/// Returns the parts of `text` that are most similar to `wanted`, best first. Only lines for which `open` is true are
/// considered. The best parts may overlap others.
pub(crate) fn best_places(
    wanted: Part<'_>,
    text: &Text,
    open: impl Fn(usize) -> bool,
    file: &RepoPath,
) -> Vec<Place> {
    let aligned = |lines: Range| {
        let there = Part { text, lines };
        let alignment = Alignment::of(wanted, there, &open);
        let pairs = alignment.pairs.iter();
        let mut pairs: Vec<(usize, usize)> = pairs.map(|(one, other, _)| (*one, *other)).collect();
        if is_on("evidence.sliders") {
            join_ends(&mut pairs, text, &open);
        }
        let (kept, first, last) = (
            alignment.share_of_one(wanted),
            pairs.first()?.1,
            pairs.last()?.1,
        );
        Some(Place {
            file: file.clone(),
            lines: Range {
                start: first,
                end: last + 1,
            },
            kept,
            method: RepairMethod::Alignment,
        })
    };
    let tried = windows(wanted, text, &open, 4);
    let mut places: Vec<Place> = tried.into_iter().filter_map(aligned).collect();
    places.sort_by_key(|place| (std::cmp::Reverse(place.kept), place.lines));
    // A location that overlaps a better one is the same location with worse borders.
    let mut distinct: Vec<Place> = Vec::new();
    for place in places {
        if !distinct
            .iter()
            .any(|known| known.lines.overlaps(place.lines))
        {
            distinct.push(place);
        }
    }
    distinct
}
