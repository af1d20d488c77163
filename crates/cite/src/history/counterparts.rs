//! Pairs citations in the same place of two document states, even if they cite something else.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::cited_document::Document;

/// Pairs each citation of `now` with the one in the same place of `before`, by index. The place is
/// an equal line, or a line that only differs in its citations.
///
/// We first pair equal lines, in order. Between them, we pair lines that only differ in their
/// citations. If that's also the only difference between the whole documents, all citations are
/// paired in order.
pub(super) fn counterparts(before: &Document, now: &Document) -> BTreeMap<usize, usize> {
    let (old, new) = (Lines::of(before), Lines::of(now));
    let mut found = BTreeMap::new();
    let mut pair = |old_line: usize, new_line: usize| {
        let (old, new) = (&old.cited[old_line], &new.cited[new_line]);
        found.extend(new.iter().copied().zip(old.iter().copied()));
    };
    if old.bare == new.bare {
        (0..new.bare.len()).for_each(|line| pair(line, line));
        return found;
    }
    for op in capture_diff_slices(Algorithm::Patience, &old.whole, &new.whole) {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => old_range.zip(new_range).for_each(|(a, b)| pair(a, b)),
            DiffOp::Replace { .. } => {
                let (a, b) = (&old.bare[old_range.clone()], &new.bare[new_range.clone()]);
                for op in capture_diff_slices(Algorithm::Patience, a, b) {
                    if let DiffOp::Equal {
                        old_index,
                        new_index,
                        len,
                    } = op
                    {
                        (0..len).for_each(|at| {
                            pair(
                                old_range.start + old_index + at,
                                new_range.start + new_index + at,
                            );
                        });
                    }
                }
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
        }
    }
    found
}

/// Returns the replaced line ranges (from 0), each with its range in `before` and in `now`.
pub(super) fn replaced(before: &Document, now: &Document) -> Vec<(Range<usize>, Range<usize>)> {
    let old: Vec<&str> = before.text.lines().collect();
    let new: Vec<&str> = now.text.lines().collect();
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new).into_iter();
    ops.filter(|op| matches!(op, DiffOp::Replace { .. }))
        .map(|op| (op.old_range(), op.new_range()))
        .collect()
}

/// Returns the lines of `document` with their citations removed.
pub(super) fn bare_lines(document: &Document) -> Vec<String> {
    Lines::of(document).bare
}

/// A document's lines, in the forms we compare.
struct Lines<'a> {
    whole: Vec<&'a str>,
    /// Lines with their citations removed.
    bare: Vec<String>,
    /// Indices of each line's citations.
    cited: Vec<Vec<usize>>,
}

impl<'a> Lines<'a> {
    fn of(document: &'a Document) -> Self {
        let whole: Vec<&str> = document.text.lines().collect();
        let mut cited = vec![Vec::new(); whole.len()];
        for (index, citation) in document.citations.iter().enumerate() {
            if let Some(line) = cited.get_mut(citation.line as usize - 1) {
                line.push(index);
            }
        }
        let bare = whole
            .iter()
            .zip(&cited)
            .map(|(line, cited)| match cited[..] {
                [] => (*line).to_owned(),
                [first, ..] => document.line_without_citations(&document.citations[first]),
            });
        Self {
            bare: bare.collect(),
            whole,
            cited,
        }
    }
}
