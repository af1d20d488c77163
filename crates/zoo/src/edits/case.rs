//! Edits of a span for which we know the right result.

use std::collections::BTreeMap;

use windlass_base::LineSpan;

use super::{Draw, Label, Truth};

/// Lines by path.
pub(crate) type Files = BTreeMap<String, Vec<String>>;

/// New contents of files, by path. `None` means that the file is deleted.
pub(crate) type Changes = Vec<(String, Option<Vec<String>>)>;

/// An edit of a span, and the result that is right.
pub(crate) struct Case {
    /// Changes that are committed before the span is captured.
    pub(crate) before: Changes,
    /// The file with the span.
    pub(crate) file: String,
    pub(crate) span: LineSpan,
    /// Changes that are made after the span was captured.
    pub(crate) edit: Changes,
    /// Where the span is after the edit, or that it is gone.
    pub(crate) truth: Truth,
    /// The line ending of the files after the edit.
    pub(crate) line_end: &'static str,
}

/// The span to be edited. Its lines are called the text.
pub(crate) struct Target<'a> {
    pub(crate) files: &'a Files,
    pub(crate) file: String,
    /// The first line (0-based). `end` is the line after the last one.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl<'a> Target<'a> {
    pub(crate) fn lines(&self) -> &'a [String] {
        &self.files[&self.file]
    }

    pub(crate) fn text(&self) -> &'a [String] {
        &self.lines()[self.start..self.end]
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns the lines of the file without the text.
    pub(crate) fn rest(&self) -> Vec<String> {
        self.with(&[])
    }

    /// Returns the lines of the file with `text` in place of the span's.
    pub(crate) fn with(&self, text: &[String]) -> Vec<String> {
        let lines = self.lines();
        [&lines[..self.start], text, &lines[self.end..]].concat()
    }

    /// Creates a case in which only this file changes.
    pub(crate) fn in_place(&self, lines: Vec<String>, truth: Truth) -> Case {
        self.case(vec![(self.file.clone(), Some(lines))], truth)
    }

    pub(crate) fn case(&self, edit: Changes, truth: Truth) -> Case {
        Case {
            before: Vec::new(),
            file: self.file.clone(),
            span: span(self.start, self.end),
            edit,
            truth,
            line_end: "\n",
        }
    }

    /// Picks another file in the same language, if there is one.
    pub(crate) fn other_file(&self, draw: &mut Draw) -> Option<String> {
        let ending = self.file.rsplit_once('.')?.1;
        let alike = |path: &&String| {
            **path != self.file && path.rsplit_once('.').is_some_and(|(_, own)| own == ending)
        };
        let others: Vec<&String> = self.files.keys().filter(alike).collect();
        let drawn = others.get(draw.below(others.len()));
        drawn.map(|path| (*path).clone())
    }

    /// Picks the start of a block, which is a line after a blank one. If there is none, we take the
    /// end.
    pub(crate) fn gap_in(lines: &[String], draw: &mut Draw) -> usize {
        let is_gap = |at: &usize| lines[at - 1].trim().is_empty() && !lines[*at].trim().is_empty();
        let gaps: Vec<usize> = (1..lines.len()).filter(is_gap).collect();
        gaps.get(draw.below(gaps.len()))
            .copied()
            .unwrap_or(lines.len())
    }
}

/// Converts a range (0-based, without the end) to a span.
pub(crate) fn span(start: usize, end: usize) -> LineSpan {
    LineSpan::new(start as u32 + 1, end as u32).unwrap_or(LineSpan::single(1))
}

pub(crate) fn deleted() -> Truth {
    Truth {
        label: Label::Deleted,
        file: String::new(),
        inner: (0, 0),
        outer: (0, 0),
    }
}

/// The text is in these lines of `file` now (0-based, without the end).
pub(crate) fn stands(label: Label, file: &str, (start, end): (usize, usize)) -> Truth {
    let lines = (start as u32 + 1, end as u32);
    Truth {
        label,
        file: file.to_owned(),
        inner: lines,
        outer: lines,
    }
}

pub(crate) fn put_in(lines: &[String], at: usize, text: &[String]) -> Vec<String> {
    [&lines[..at], text, &lines[at..]].concat()
}
