//! A span, what is done to it, and where it is then: known by construction.

use std::collections::BTreeMap;

use windlass_base::LineSpan;

use super::{Draw, Label, Truth};

/// The lines of files, by path.
pub(crate) type Files = BTreeMap<String, Vec<String>>;

/// New contents of files; `None` for a deleted one.
pub(crate) type Changes = Vec<(String, Option<Vec<String>>)>;

/// Edit of one span.
pub(crate) struct Case {
    /// Done and committed before the span is captured.
    pub(crate) before: Changes,
    /// The span that is captured then.
    pub(crate) file: String,
    pub(crate) span: LineSpan,
    /// Edit of the span.
    pub(crate) edit: Changes,
    /// True fate of the span.
    pub(crate) truth: Truth,
    /// Line ending of the files after the edit.
    pub(crate) line_end: &'static str,
}

/// A span that something is to be done to.
pub(crate) struct Target<'a> {
    pub(crate) files: &'a Files,
    pub(crate) file: String,
    /// Its lines, from 0, without the last.
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

    /// The file without the text.
    pub(crate) fn rest(&self) -> Vec<String> {
        self.with(&[])
    }

    /// The file with `text` in the place of the text.
    pub(crate) fn with(&self, text: &[String]) -> Vec<String> {
        let lines = self.lines();
        [&lines[..self.start], text, &lines[self.end..]].concat()
    }

    /// A case in which only the file itself changes.
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

    /// Another file of the same language, drawn.
    pub(crate) fn other_file(&self, draw: &mut Draw) -> Option<String> {
        let ending = self.file.rsplit_once('.')?.1;
        let alike = |path: &&String| {
            **path != self.file && path.rsplit_once('.').is_some_and(|(_, own)| own == ending)
        };
        let others: Vec<&String> = self.files.keys().filter(alike).collect();
        let drawn = others.get(draw.below(others.len()));
        drawn.map(|path| (*path).clone())
    }

    /// A place between two blocks of `lines`, outside of the text if they are its file's, drawn.
    pub(crate) fn gap_in(lines: &[String], draw: &mut Draw) -> usize {
        let is_gap = |at: &usize| lines[at - 1].trim().is_empty() && !lines[*at].trim().is_empty();
        let gaps: Vec<usize> = (1..lines.len()).filter(is_gap).collect();
        gaps.get(draw.below(gaps.len()))
            .copied()
            .unwrap_or(lines.len())
    }
}

/// Lines from `start` to before `end`, from 0.
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

/// The text is in `lines` of `file`, which count from 0.
pub(crate) fn stands(label: Label, file: &str, (start, end): (usize, usize)) -> Truth {
    let lines = (start as u32 + 1, end as u32);
    Truth {
        label,
        file: file.to_owned(),
        inner: lines,
        outer: lines,
    }
}

/// `lines` with `text` put in at `at`.
pub(crate) fn put_in(lines: &[String], at: usize, text: &[String]) -> Vec<String> {
    [&lines[..at], text, &lines[at..]].concat()
}
