//! Windows: ranges of lines that may contain a text now.
//!
//! They are found by voting, which is cheap but ignores the order of lines and everything between
//! them. A window is therefore only a candidate, and an alignment has to confirm it.

use std::collections::BTreeMap;

use windlass_base::{RepairMethod, RepoPath};

use crate::alignment::Alignment;
use crate::params;
use crate::place::Place;
use crate::text::{Part, Range, Text};

/// Returns up to `limit` ranges of `text` in which lines of `wanted` are about as far apart as
/// before, best first.
///
/// Each line of `wanted` votes with its weight for the places where an equal line is now, if `open`
/// is true there. A range that overlaps a better one is dropped.
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
    for at in wanted.lines.iter() {
        let weight = u64::from(wanted.text.weight(at));
        // Lines that are everywhere, such as blank ones or `}`, say nothing about the location.
        let places = text.lines_like(wanted.text.keys()[at]);
        if weight == 0 || places.len() > params::MAX_EQUAL_LINES {
            continue;
        }
        for place in places.iter().filter(|place| open(**place as usize)) {
            let shift = i64::from(*place) - (at - first) as i64;
            let slot = shift.div_euclid(bucket);
            // A location near the border of two slots would lose votes, so we count it in both.
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
        let core = Range::new(clamp(from + bucket / 2), clamp(to - bucket / 2));
        if core.len() == 0 || found.iter().any(|(known, _)| known.overlaps(core)) {
            continue;
        }
        // Lines may have been added at both ends since the capture, so the alignment gets a few
        // more on each side.
        let wide = Range::new(
            core.start.saturating_sub(pad),
            (core.end + pad).min(text.len()),
        );
        found.push((core, wide));
        if found.len() == limit {
            break;
        }
    }
    found.into_iter().map(|(_, wide)| wide).collect()
}

/// Aligns `wanted` with the best windows of `text`, and returns the locations of the paired lines,
/// most similar first. Only lines for which `open` is true are paired.
pub(crate) fn best_places(
    wanted: Part<'_>,
    text: &Text,
    open: impl Fn(usize) -> bool,
    file: &RepoPath,
) -> Vec<Place> {
    let aligned = |lines: Range| {
        let there = Part::new(text, lines);
        let alignment = Alignment::of(wanted, there, &open);
        let (first, last) = (alignment.pairs.first()?.1, alignment.pairs.last()?.1);
        Some(Place {
            file: file.clone(),
            lines: Range::new(first, last + 1),
            kept: alignment.share_of_one(wanted),
            method: RepairMethod::Alignment,
        })
    };
    let tried = windows(wanted, text, &open, params::MAX_LOCATIONS);
    let mut places: Vec<Place> = tried.into_iter().filter_map(aligned).collect();
    places.sort_by_key(|place| (std::cmp::Reverse(place.kept), place.lines));
    // If two locations overlap, the less similar one is the same text with worse borders.
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
