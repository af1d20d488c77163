use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use windlass_base::LineSpan;

use super::citation::{Citation, Setting, Written};
use super::citation_scan::scan;
use super::link_target;

/// New values for the parts of a citation. `None` leaves a part unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCitation {
    /// Index of the citation in the result of [`scan`].
    pub index: usize,
    /// The new path, for text now in another file.
    pub path: Option<String>,
    /// The new lines. Ignored if unchanged.
    pub lines: Option<LineSpan>,
    /// New contents of the code block: complete lines with prefixes and line ends.
    pub excerpt: Option<String>,
}

struct Edit {
    range: Range<usize>,
    text: String,
}

/// Rewrites citations in `text`.
///
/// Returns the new text, and the indices of the citations that couldn't be rewritten, e.g. because
/// the new path contains special characters of Markdown, or because columns or further line numbers
/// follow the citation.
///
/// The result is scanned again. If it doesn't contain exactly the expected citations, e.g. because
/// a new path ends a link early, the offending replacements are dropped.
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

/// Adds as many of `new` to `kept` as can be written together.
///
/// Usually that's all of them. Otherwise, we split them in half and try again, because this quickly
/// finds a few failing replacements among many.
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

/// Applies all of `new` to `text`. Returns `None` if one of them can't be applied, or if a scan of
/// the result doesn't find the expected citations.
fn written(text: &str, citations: &[Citation], new: &[NewCitation]) -> Option<String> {
    let mut edits = Vec::new();
    for one in new {
        edits.extend(edits_of(citations.get(one.index)?, one)?);
    }
    edits.sort_by_key(|edit| edit.range.start);
    // The citations of a list share one path, so each of them asks for the same edit of it.
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
        // `12:15:path` always contains two numbers. Also, a range such as `3-3` stays a range.
        Some(last) if lines.count() > 1 || before.count() == 1 || *between == ":" => {
            vec![start, edit(last, end)]
        }
        // The text is on a single line now, so remove the rest of the range.
        Some(last) => vec![start, edit(first.end..last.end, String::new())],
        None if lines.count() > 1 => {
            vec![start, edit(first.end..first.end, format!("{between}{end}"))]
        }
        None => vec![start],
    })
}

/// Returns true if a scan of `out` finds the citations of `text` with the changes of `new`, and no
/// others.
fn is_as_meant(text: &str, out: &str, citations: &[Citation], new: &[NewCitation]) -> bool {
    let again = scan(out);
    // Reverse the order, so that the first of several replacements for a citation wins.
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
