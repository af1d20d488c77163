//! Citations in both of two document states, and citations that replaced others.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::LineSpan;

use super::counterparts::counterparts;
use super::reworded::{reordered, reworded};
use super::same_citations::is_same;
use crate::cited_document::Document;

/// Pairs the citations of `now` with those of `before`, by index.
///
/// The first map has the carried citations, which keep their meaning. They equal the citation in
/// the same place, were reordered, or moved within the document and left no other citation in their
/// place. The second map has the reworded ones, each with the citation it replaced.
pub(super) fn carried(
    before: &Document,
    now: &Document,
    places: &BTreeMap<usize, usize>,
) -> (BTreeMap<usize, usize>, BTreeMap<usize, usize>) {
    let stays = |(new, old): &(&usize, &usize)| {
        is_same(before, &before.citations[**old], now, &now.citations[**new])
    };
    let stayed = places.iter().filter(stays);
    let mut carried: BTreeMap<usize, usize> = stayed.map(|(new, old)| (*new, *old)).collect();
    carried.extend(reordered(before, now));
    let taken: BTreeSet<usize> = places.values().chain(carried.values()).copied().collect();
    let mut free: BTreeMap<Option<LineSpan>, Vec<usize>> = BTreeMap::new();
    for (index, citation) in before.citations.iter().enumerate() {
        if !taken.contains(&index) {
            free.entry(citation.lines).or_default().push(index);
        }
    }
    let mut reworded_pairs = BTreeMap::new();
    for may_be_edited in [false, true] {
        if may_be_edited {
            let mut old: Vec<usize> = free.values().flatten().copied().collect();
            old.sort_unstable();
            let is_open =
                |index: &usize| !places.contains_key(index) && !carried.contains_key(index);
            let new: Vec<usize> = (0..now.citations.len()).filter(is_open).collect();
            reworded_pairs = reworded(before, now, &old, &new);
        }
        for (index, citation) in now.citations.iter().enumerate() {
            let is_known = places.contains_key(&index) || carried.contains_key(&index);
            if is_known || reworded_pairs.contains_key(&index) {
                continue;
            }
            let Some(free) = free.get_mut(&citation.lines) else {
                continue;
            };
            let fits = |old: &usize| {
                let old = &before.citations[*old];
                match may_be_edited {
                    false => before.line_of(old) == now.line_of(citation),
                    true => is_same(before, old, now, citation),
                }
            };
            if let Some(at) = free.iter().position(fits) {
                carried.insert(index, free.remove(at));
            }
        }
    }
    (carried, reworded_pairs)
}

/// Returns the citations of `before` that each new citation of `now` may have replaced, by index.
/// Candidates are the citation in the same place, lost ones on lines with the same other text, and
/// the counterpart in a reworded passage.
pub(crate) fn rewritten(before: &Document, now: &Document) -> BTreeMap<usize, Vec<usize>> {
    let places = counterparts(before, now);
    let (carried, reworded_pairs) = carried(before, now, &places);
    let kept: BTreeSet<usize> = carried.values().chain(places.values()).copied().collect();
    let mut lost: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, citation) in before.citations.iter().enumerate() {
        if !kept.contains(&index) {
            let line = before.line_without_citations(citation);
            lost.entry(line).or_default().push(index);
        }
    }
    let citations = now.citations.iter().enumerate();
    let new = citations.filter(|(index, _)| !carried.contains_key(index));
    new.filter_map(|(index, citation)| match places.get(&index) {
        Some(place) => Some((index, vec![*place])),
        None => {
            let lost = lost.get(&now.line_without_citations(citation)).cloned();
            let own = reworded_pairs.get(&index).map(|old| vec![*old]);
            Some((index, own.or(lost)?))
        }
    })
    .collect()
}
