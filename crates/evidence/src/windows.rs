//! Where in a text most of some lines may stand: candidates, not proof.

use std::collections::BTreeMap;

use crate::alignment::Part;
use crate::text::{Range, Text};

/// Lines that stand more often than this name no place.
const MAX_PLACES: usize = 64;

/// Parts of `text` where lines of `wanted` stand about as they follow each other, the best first; only lines that
/// are `open` count. None overlaps a better one.
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
            // A place between two slots counts in both.
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
