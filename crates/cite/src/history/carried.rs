//! Finds the remaining and the replaced citations in a later state of a document.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::LineSpan;

use super::counterparts::counterparts;
use super::reworded::{reordered, reworded};
use super::same_citations::is_same;
use crate::cited_document::Document;

/// Pairs the citations of `now` with those of `before`, by index.
///
/// The first map contains the carried citations, which mean the same as before. A citation is
/// carried if it equals the one in the same place (`places`), if its passage was only reordered, or
/// if an equal one disappeared elsewhere in the document. The second map pairs each citation in a
/// reworded passage with the one it replaced.
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
    // In the first pass, the whole line has to be equal. In the second pass, the text around a
    // citation may be edited, so we leave out those in reworded passages.
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

/// Finds the citations of `before` that each new citation of `now` may have replaced, by index.
///
/// The citation in the same place comes first, then the counterpart in a reworded passage, then any
/// lost citation with the same words around it on its line.
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
