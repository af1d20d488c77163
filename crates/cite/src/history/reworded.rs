//! Citations in reworded or reordered passages.
//!
//! A line number that's still there proves nothing. If `a.rs:10` and `a.rs:20` become `a.rs:20` and
//! `a.rs:30`, both have moved by ten, and the new `a.rs:20` means the same as `a.rs:10` before. If
//! the sentence was wrapped differently too, a diff of the lines doesn't show this.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::scanner::Citation;
use windlass_base::LineSpan;

use super::counterparts::replaced;
use super::same_citations::is_same;
use super::sentences::words_before;
use crate::cited_document::Document;

/// Pairs the citations of `now` in reworded passages with those they replaced in `before`. `old`
/// and `new` are the indices of the citations without a partner, in order.
///
/// Within a passage, citations of the same path are paired in order, and the pairs with different
/// lines are returned. If all old numbers are still there, or all new ones were there before,
/// citations were only added, removed or reordered. Such a passage proves nothing and is skipped.
pub(super) fn reworded(
    before: &Document,
    now: &Document,
    old: &[usize],
    new: &[usize],
) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    if old.is_empty() || new.is_empty() {
        return found;
    }
    for (old_lines, new_lines) in replaced(before, now) {
        let mut olds = by_path(before, old, &old_lines);
        for (path, new) in by_path(now, new, &new_lines) {
            let old = olds.remove(path).unwrap_or_default();
            let cited = |document: &Document, all: &[usize]| -> Vec<Option<LineSpan>> {
                all.iter().map(|at| document.citations[*at].lines).collect()
            };
            let (then, here) = (cited(before, &old), cited(now, &new));
            if is_within(&then, &here) || is_within(&here, &then) {
                continue;
            }
            let pairs = new.iter().zip(&old).zip(here.iter().zip(&then));
            let differ = pairs.filter(|(_, (here, then))| here != then);
            found.extend(differ.map(|((new, old), _)| (*new, *old)));
        }
    }
    found
}

/// Pairs the citations of `now` in reordered passages with those of `before`.
///
/// A passage counts as reordered if it contains the same citations as before, each after the same
/// words. Otherwise, one number may simply have replaced another.
pub(super) fn reordered(before: &Document, now: &Document) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for (old_lines, new_lines) in replaced(before, now) {
        let mut old = on_lines(before, &old_lines);
        let new = on_lines(now, &new_lines);
        if old.len() != new.len() {
            continue;
        }
        let of = |new: usize, old: &mut Vec<usize>| {
            let citation = &now.citations[new];
            let words = words_before(now, citation);
            let is_it = |at: &usize| {
                let old = &before.citations[*at];
                is_same(before, old, now, citation) && words == words_before(before, old)
            };
            let at = old.iter().position(is_it).filter(|_| !words.is_empty())?;
            Some((new, old.remove(at)))
        };
        let pairs: Option<Vec<(usize, usize)>> =
            new.into_iter().map(|new| of(new, &mut old)).collect();
        found.extend(pairs.into_iter().flatten());
    }
    found
}

/// Lists the citations on `lines` (from 0), by index.
fn on_lines(document: &Document, lines: &Range<usize>) -> Vec<usize> {
    let all = document.citations.iter().enumerate();
    all.filter(|(_, one)| lines.contains(&(one.line as usize - 1)))
        .map(|(index, _)| index)
        .collect()
}

/// Groups those of `indices` on `lines` (from 0) by cited path.
fn by_path<'d>(
    document: &'d Document,
    indices: &[usize],
    lines: &Range<usize>,
) -> BTreeMap<&'d str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let is_here = |citation: &Citation| lines.contains(&(citation.line as usize - 1));
    for index in indices {
        let citation = &document.citations[*index];
        if is_here(citation) {
            found.entry(&citation.path).or_default().push(*index);
        }
    }
    found
}

/// Returns true if each element of `some` occurs in `all` at least as often.
fn is_within(some: &[Option<LineSpan>], all: &[Option<LineSpan>]) -> bool {
    let mut left = all.to_vec();
    some.iter().all(|one| {
        let at = left.iter().position(|other| other == one);
        at.map(|at| left.swap_remove(at)).is_some()
    })
}
