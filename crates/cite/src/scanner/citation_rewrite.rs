use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use windlass_base::LineSpan;

use super::citation::{Citation, Setting, Written};
use super::citation_scan::scan;
use super::link_target;

/// A replacement for a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCitation {
    /// The citation's index in the result of [`scan`].
    pub index: usize,
    /// The new path, if the file has changed.
    pub path: Option<String>,
    /// The new lines, if the citation has lines.
    pub lines: Option<LineSpan>,
    /// The new text for its code block, in whole lines.
    pub excerpt: Option<String>,
}

/// A replacement for a byte range.
struct Edit {
    range: Range<usize>,
    text: String,
}

/// Rewrites citations in `text`. Returns the new text and the indices of the citations we can't
/// rewrite. Their paths have characters that are special in their context, or they're followed by
/// columns or other lines. Nothing else in the text changes.
///
/// We scan the result again to check that it has the same citations except for the intended
/// changes.
#[must_use]
pub fn rewrite(text: &str, citations: &[Citation], new: &[NewCitation]) -> (String, Vec<usize>) {
    if let Some(written) = written(text, citations, new) {
        return (written, Vec::new());
    }
    let can_be = |one: &&NewCitation| {
        let citation = citations.get(one.index);
        citation.is_some_and(|citation| edits_of(citation, one).is_some())
    };
    let possible: Vec<NewCitation> = new.iter().filter(can_be).cloned().collect();
    let mut kept = Vec::new();
    keep(text, citations, &possible, &mut kept);
    let is_kept: BTreeSet<usize> = kept.iter().map(|one: &NewCitation| one.index).collect();
    let refused = new.iter().map(|one| one.index);
    let refused = refused.filter(|index| !is_kept.contains(index)).collect();
    let out = written(text, citations, &kept).unwrap_or_else(|| text.to_owned());
    (out, refused)
}

/// Adds those replacements in `new` to `kept` that can be written. We try all of them at once, and
/// then halves, until each failing replacement is isolated.
fn keep(text: &str, citations: &[Citation], new: &[NewCitation], kept: &mut Vec<NewCitation>) {
    let before = kept.len();
    kept.extend_from_slice(new);
    if new.is_empty() || written(text, citations, kept).is_some() {
        return;
    }
    kept.truncate(before);
    if new.len() > 1 {
        let (first, second) = new.split_at(new.len() / 2);
        keep(text, citations, first, kept);
        keep(text, citations, second, kept);
    }
}

/// Applies all of `new` to `text`, or returns `None` if scanning the result doesn't confirm them.
fn written(text: &str, citations: &[Citation], new: &[NewCitation]) -> Option<String> {
    let mut edits = Vec::new();
    for one in new {
        edits.extend(edits_of(citations.get(one.index)?, one)?);
    }
    edits.sort_by_key(|edit| edit.range.start);
    // The citations in a list share their path, so its edit occurs once for each of them.
    edits.dedup_by(|later, earlier| later.range == earlier.range && later.text == earlier.text);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        out.push_str(text.get(done..edit.range.start)?);
        out.push_str(&edit.text);
        done = edit.range.end;
    }
    out.push_str(text.get(done..)?);
    is_as_meant(text, &out, citations, new).then_some(out)
}

fn edits_of(citation: &Citation, new: &NewCitation) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    if citation.written.has_more_lines {
        return None;
    }
    if let Some(path) = &new.path {
        let text = match citation.setting {
            Setting::Link => link_target::encoded(path),
            Setting::Code | Setting::Text | Setting::Fence => path.clone(),
        };
        edits.push(Edit {
            range: citation.written.path.clone(),
            text,
        });
    }
    if let Some(lines) = new.lines.filter(|lines| Some(*lines) != citation.lines) {
        edits.extend(edits_of_lines(citation, lines)?);
    }
    if let Some(text) = &new.excerpt {
        edits.push(Edit {
            range: citation.excerpt.as_ref()?.range.clone(),
            text: text.clone(),
        });
    }
    Some(edits)
}

fn edits_of_lines(citation: &Citation, lines: LineSpan) -> Option<Vec<Edit>> {
    let Written {
        first,
        last,
        between,
        has_columns,
        ..
    } = &citation.written;
    let (first, before) = (first.clone()?, citation.lines?);
    if *has_columns && before.count() != lines.count() {
        return None;
    }
    let edit = |range: Range<usize>, text: String| Edit { range, text };
    let start = edit(first.clone(), lines.start().to_string());
    let end = lines.end().to_string();
    Some(match last.clone() {
        // `12:15:path` always needs both lines. A range written as `3-3` stays a range.
        Some(last) if lines.count() > 1 || before.count() == 1 || *between == ":" => {
            vec![start, edit(last, end)]
        }
        Some(last) => vec![start, edit(first.end..last.end, String::new())],
        None if lines.count() > 1 => {
            vec![start, edit(first.end..first.end, format!("{between}{end}"))]
        }
        None => vec![start],
    })
}

/// True if `out` has the citations of `text` with the changes of `new`.
fn is_as_meant(text: &str, out: &str, citations: &[Citation], new: &[NewCitation]) -> bool {
    let again = scan(out);
    // If a citation has several replacements, use the first one.
    let new: BTreeMap<usize, &NewCitation> = new.iter().rev().map(|new| (new.index, new)).collect();
    again.len() == citations.len()
        && again
            .iter()
            .zip(citations)
            .enumerate()
            .all(|(at, (now, then))| {
                let new = new.get(&at).copied();
                let path = new.and_then(|new| new.path.as_ref()).unwrap_or(&then.path);
                let lines = new.and_then(|new| new.lines).or(then.lines);
                let shown = |citation: &Citation, text: &str| {
                    let excerpt = citation.excerpt.as_ref()?;
                    text.get(excerpt.range.clone()).map(str::to_owned)
                };
                let excerpt = match new.and_then(|new| new.excerpt.clone()) {
                    Some(excerpt) => Some(excerpt),
                    None => shown(then, text),
                };
                now.path == *path
                    && now.lines == lines
                    && now.setting == then.setting
                    && shown(now, out) == excerpt
            })
}
