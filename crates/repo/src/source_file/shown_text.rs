use std::borrow::Cow;
use std::ops::Range;

use windlass_base::{LineSpan, Redacted};
use windlass_redact::{Finding, Shown};

use super::{BYTE_ORDER_MARK, SourceFile};

/// The text of a file as it may be shown: with marks for secret values, which are looked for in the whole file.
#[derive(Debug, Clone, Copy)]
pub struct ShownText<'a>(pub(super) &'a SourceFile);

impl<'a> ShownText<'a> {
    /// True if any line holds a secret value.
    #[must_use]
    pub fn has_secrets(self) -> bool {
        self.0.text.has_secrets()
    }

    /// The things that were found to be secret, in the order of the text; never the values.
    #[must_use]
    pub fn findings(self) -> Vec<Finding> {
        self.0.text.findings()
    }

    /// Line `number` (from 1) as it may be shown; `None` when there is no such line.
    #[must_use]
    pub fn line(self, number: u32) -> Option<Redacted> {
        let range = self.0.lines().line(self.0.bytes(), number)?;
        Some(self.parts(&range).redacted())
    }

    /// The number of bytes that stand before byte `column` (from 1) of line `number`, as the line may be shown: secret values
    /// before it are replaced.
    #[must_use]
    pub fn len_before(self, number: u32, column: u32) -> usize {
        let Some(line) = self.0.lines().line(self.0.bytes(), number) else {
            return 0;
        };
        let end = line.start.saturating_add(column.saturating_sub(1) as usize);
        self.parts(&(line.start..end.min(line.end))).as_str().len()
    }

    /// True if line `number` holds a secret value, or part of one.
    #[must_use]
    pub fn is_secret_line(self, number: u32) -> bool {
        self.0
            .lines()
            .line(self.0.bytes(), number)
            .is_some_and(|line| self.0.text.has_secret_in(&line))
    }

    /// True if one of the lines of `span` holds a secret value, or part of one.
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

    /// The whole text as it may be looked at by others: with marks for secret values, line by line. What is found in it
    /// by a name or a pattern tells nothing of them.
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

    /// Which bytes of `line`, counted from its start, belong to secret values.
    pub(crate) fn secret_parts(self, line: &Range<usize>) -> Vec<Range<usize>> {
        self.0.text.secret_parts(line)
    }

    /// The bytes of `line` as they may be shown.
    pub(super) fn parts(self, line: &Range<usize>) -> Shown<'a> {
        self.0.text.shown(line)
    }
}
