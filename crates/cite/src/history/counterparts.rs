//! Pairs the citations in the same place of two document states, even if they cite different lines.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::cited_document::Document;

/// Pairs each citation of `now` with the one in the same place of `before`, by index.
///
/// Documents with different citations but otherwise equal text are paired one by one. Otherwise,
/// the lines are diffed. Citations on equal lines are in the same place. Within a changed passage,
/// so are those on lines that are equal apart from their citations.
pub(super) fn counterparts(before: &Document, now: &Document) -> BTreeMap<usize, usize> {
    let (old, new) = (Lines::of(before), Lines::of(now));
    let mut found = BTreeMap::new();
    let mut pair = |old_line: usize, new_line: usize| {
        let (old, new) = (&old.cited[old_line], &new.cited[new_line]);
        found.extend(new.iter().copied().zip(old.iter().copied()));
    };
    // Only citations have changed. A diff couldn't tell which of the changed lines correspond, but
    // without the citations, all of them are equal.
    if old.bare == new.bare {
        (0..new.bare.len()).for_each(|line| pair(line, line));
        return found;
    }
    for op in capture_diff_slices(Algorithm::Patience, &old.whole, &new.whole) {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => old_range.zip(new_range).for_each(|(a, b)| pair(a, b)),
            DiffOp::Replace { .. } => {
                // Compare the passage again, this time without its citations.
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

/// Finds the replaced line ranges (from 0) of `before`, each with the range of `now` in its place.
pub(super) fn replaced(before: &Document, now: &Document) -> Vec<(Range<usize>, Range<usize>)> {
    let old: Vec<&str> = before.text.lines().collect();
    let new: Vec<&str> = now.text.lines().collect();
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new).into_iter();
    ops.filter(|op| matches!(op, DiffOp::Replace { .. }))
        .map(|op| (op.old_range(), op.new_range()))
        .collect()
}

/// The lines of `document`, with a line feed in place of each citation.
pub(super) fn bare_lines(document: &Document) -> Vec<String> {
    Lines::of(document).bare
}

/// The lines of a document in the forms to compare.
struct Lines<'a> {
    whole: Vec<&'a str>,
    /// Like `whole`, but with a line feed in place of each citation.
    bare: Vec<String>,
    /// For each line, the indices of its citations.
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
