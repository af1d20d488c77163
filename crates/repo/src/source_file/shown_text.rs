//! The text of a file as users may see it.

use std::borrow::Cow;
use std::ops::Range;

use windlass_base::{LineSpan, Redacted};
use windlass_redact::{Finding, Shown};

use super::{BYTE_ORDER_MARK, SourceFile};

/// The text of a file for display, with marks in place of secret values. A value may extend over
/// several lines, so we always look for secrets in the whole file, even to show a single line.
#[derive(Debug, Clone, Copy)]
pub struct ShownText<'a>(pub(super) &'a SourceFile);

impl<'a> ShownText<'a> {
    /// Returns true if any line contains a secret value.
    #[must_use]
    pub fn has_secrets(self) -> bool {
        self.0.text.has_secrets()
    }

    /// Returns the secrets in the order of the text. A [`Finding`] does not include the value
    /// itself.
    #[must_use]
    pub fn findings(self) -> Vec<Finding> {
        self.0.text.findings()
    }

    /// Returns line `number` (1-based), or `None` if the file has fewer lines.
    #[must_use]
    pub fn line(self, number: u32) -> Option<Redacted> {
        let range = self.0.lines().line(self.0.bytes(), number)?;
        Some(self.parts(&range).redacted())
    }

    /// Returns the size of the displayed text before byte `column` in line `number` (both 1-based).
    /// If there is a mark in this part, that is not just `column - 1`.
    #[must_use]
    pub fn len_before(self, number: u32, column: u32) -> usize {
        let Some(line) = self.0.lines().line(self.0.bytes(), number) else {
            return 0;
        };
        let end = line.start.saturating_add(column.saturating_sub(1) as usize);
        self.parts(&(line.start..end.min(line.end))).as_str().len()
    }

    /// Returns true if line `number` contains a secret value, or a part of one.
    #[must_use]
    pub fn is_secret_line(self, number: u32) -> bool {
        self.0
            .lines()
            .line(self.0.bytes(), number)
            .is_some_and(|line| self.0.text.has_secret_in(&line))
    }

    /// Returns true if some line in `span` contains a secret value, or a part of one.
    #[must_use]
    pub fn has_secret_in(self, span: LineSpan) -> bool {
        let lines = self.0.lines();
        let range = |number: u32| lines.line(self.0.bytes(), number.min(lines.count()));
        match (range(span.start()), range(span.end())) {
            (Some(first), Some(last)) if span.start() <= lines.count() => {
                self.0.text.has_secret_in(&(first.start..last.end))
            }
            _ => false,
        }
    }

    /// Returns the whole text, with marks in place of secret values. Unlike [`SourceFile::bytes`],
    /// this is safe to search, because a match reveals nothing about the values.
    #[must_use]
    pub fn bytes(self) -> Cow<'a, [u8]> {
        if !self.has_secrets() {
            return Cow::Borrowed(self.0.bytes());
        }
        let lines = self.0.lines();
        let mut text = Vec::with_capacity(self.0.bytes().len());
        if self.0.bytes().starts_with(BYTE_ORDER_MARK) {
            text.extend_from_slice(BYTE_ORDER_MARK);
        }
        for number in 1..=lines.count() {
            let (Some(whole), Some(line)) =
                (lines.whole(number), lines.line(self.0.bytes(), number))
            else {
                continue;
            };
            text.extend_from_slice(&self.0.text.masked(&line).0);
            text.extend_from_slice(&self.0.bytes()[line.end..whole.end]);
        }
        Cow::Owned(text)
    }

    pub(crate) fn secret_parts(self, line: &Range<usize>) -> Vec<Range<usize>> {
        self.0.text.secret_parts(line)
    }

    pub(super) fn parts(self, line: &Range<usize>) -> Shown<'a> {
        self.0.text.shown(line)
    }
}
