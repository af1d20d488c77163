//! Collects the errors in a file of shared anchors, with their positions.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

use crate::bounded_findings::BoundedFindings;

pub(super) struct Faults<'a> {
    source: &'a Arc<Source>,
    found: BoundedFindings,
}

impl<'a> Faults<'a> {
    pub(super) fn new(source: &'a Arc<Source>) -> Self {
        Self {
            source,
            found: BoundedFindings::of_rule("shared-anchors"),
        }
    }

    /// Adds an error at `range`, which is in bytes.
    pub(super) fn push(&mut self, range: Range<usize>, message: impl Into<String>, help: &str) {
        let finding = self.fault(range, message, help);
        self.found.push(finding);
    }

    /// Like [`Self::push`], but also points to a second location that explains the error.
    pub(super) fn push_with(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        help: &str,
        (other, why): (Range<usize>, &str),
    ) {
        let finding = self.fault(range, message, help);
        self.found
            .push(finding.see(Place::new(self.source, other), why));
    }

    fn fault(&self, range: Range<usize>, message: impl Into<String>, help: &str) -> Diagnostic {
        let finding = self.found.mistake(message).help(help);
        finding.at(Place::new(self.source, range))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.total() == 0
    }

    pub(super) fn finish(self) -> Diagnostics {
        self.found.finish("this file")
    }
}

/// Converts the line and column of `error` to a byte offset in `text`. If the column is in the
/// middle of a character, this returns the start of the character.
pub(super) fn offset_of(error: &serde_json::Error, text: &str) -> usize {
    let before = error.line().saturating_sub(1);
    let lines = text.split_inclusive('\n').take(before);
    let start: usize = lines.map(str::len).sum();
    let mut at = (start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The message of `error` without its position. Serde counts from the start of the part that was
/// parsed, so the line would be wrong for the file.
pub(crate) fn message_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// The first and last of git's conflict markers in `text`. Returns `None` if there aren't any.
pub(super) fn unfinished_merge(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let mut at = 0;
    let mut marks = text.split_inclusive('\n').filter_map(|line| {
        let start = at;
        at += line.len();
        let is_mark = |mark: &str| {
            line.strip_prefix(mark)
                .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(' '))
        };
        ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
            .into_iter()
            .any(is_mark)
            .then(|| start..start + line.trim_end().len())
    });
    let first = marks.next()?;
    let last = marks.last().unwrap_or_else(|| first.clone());
    Some((first, last))
}
