//! Findings about a user's document, with their lines and columns.
//!
//! A [`Source`] is created once per document and shared by all findings about it. Each finding only
//! stores a range of bytes ([`Place`]). We compute the line and the column when a finding is
//! displayed or serialized, so parsers do not have to keep track of them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name and text of a user's document, indexed for looking up positions.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
    /// For each byte offset that is a multiple of `STRIDE`, the number of characters before it. A
    /// line may be megabytes long with hundreds of findings, so counting from its start would be
    /// too slow.
    chars_before: Vec<usize>,
}

/// Number of bytes between two entries of `chars_before`, and so the maximum to count for a
/// position.
const STRIDE: usize = 1024;

/// A position in a document, counted like in an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// Line number (1-based).
    pub line: usize,
    /// Column in Unicode scalar values (1-based).
    pub column: usize,
}

impl Source {
    /// Indexes a document. `name` is its path as given by the user.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(at, _)| at + 1),
        );
        let line_starts = line_starts.collect();
        let strides = text.as_bytes().chunks(STRIDE);
        let counts = strides.scan(0, |chars, stride| {
            *chars += char_starts(stride);
            Some(*chars)
        });
        let chars_before = std::iter::once(0).chain(counts).collect();
        Arc::new(Self {
            name: name.into(),
            text,
            line_starts,
            chars_before,
        })
    }

    /// The path of the document, as given by the user.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, including a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte range of line `line` (1-based), without its line end. A line beyond the end gives an
    /// empty range at the end of the text.
    #[must_use]
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let end_of_text = self.text.len();
        let start = line
            .checked_sub(1)
            .and_then(|at| self.line_starts.get(at))
            .copied()
            .unwrap_or(end_of_text);
        let end = self
            .line_starts
            .get(line)
            .map_or(end_of_text, |next| next - 1);
        start..end.max(start)
    }

    /// Returns the position of a byte offset. Offsets beyond the text count as its end.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        // An offset in the middle of a character counts as the offset of that character.
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        // Editors don't show a byte order mark, so the mark takes no column.
        let mark = if start == 0 && self.text.starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let (start, offset) = (start + mark, offset.max(start + mark));
        Position {
            line,
            column: self.chars_before(offset) - self.chars_before(start) + 1,
        }
    }

    fn chars_before(&self, offset: usize) -> usize {
        // We know the count at the start of the stride, so there are fewer than `STRIDE` bytes
        // left.
        let stride = offset / STRIDE;
        self.chars_before[stride] + char_starts(&self.text.as_bytes()[stride * STRIDE..offset])
    }
}

/// Counts the characters in `bytes`. A stride may end in the middle of a character, which then
/// counts for the stride with its first byte.
fn char_starts(bytes: &[u8]) -> usize {
    let continues = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    bytes.iter().filter(|byte| !continues(byte)).count()
}

/// A range in a document. [`position`](Self::position) returns its line and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The document of the range.
    pub source: Arc<Source>,
    /// Bytes from the start of the document.
    pub range: Range<usize>,
}

impl Place {
    /// Creates a place from a `range` of byte offsets.
    #[must_use]
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        Self {
            source: Arc::clone(source),
            range,
        }
    }

    /// The position of the range's start.
    #[must_use]
    pub fn position(&self) -> Position {
        self.source.position(self.range.start)
    }
}

impl fmt::Display for Place {
    /// Formats the place as `runbooks/api.yaml:7:3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

/// Severity of a finding. Errors sort before warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document cannot be used.
    Error,
    /// The document can be used, but probably not in the way its author intended.
    Warning,
}

/// A finding about a document, with its location and advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// [`Severity::Error`] makes the document unusable.
    pub severity: Severity,
    /// ID of the rule in kebab case, e.g. `unknown-step-kind`. IDs never change.
    pub rule: &'static str,
    /// The problem, as a sentence in lower case without a full stop.
    pub message: String,
    /// Location of the problem. `None` if it concerns the document as a whole.
    pub place: Option<Place>,
    /// Other relevant locations, each with a short description, e.g. the first of two duplicates.
    pub related: Vec<(Place, String)>,
    /// Advice for the user, or `None` if the message says enough.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates an error without a location.
    #[must_use]
    pub fn error(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            rule,
            message: message.into(),
            place: None,
            related: Vec::new(),
            help: None,
        }
    }

    /// Creates a warning without a location.
    #[must_use]
    pub fn warning(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(rule, message)
        }
    }

    /// Sets the location, replacing any earlier one.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds another relevant location and its reason.
    #[must_use]
    pub fn see(mut self, place: Place, why: impl Into<String>) -> Self {
        self.related.push((place, why.into()));
        self
    }

    /// Sets the advice, replacing any earlier one.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// Formats the finding for logs, as `runbooks/api.yaml:7:3: unknown step kind `serach``. On a
    /// terminal, the CLI also shows the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Clients get a line and a column instead of a range of bytes, and no related locations.
        #[derive(Serialize)]
        struct Wire<'a> {
            severity: Severity,
            rule: &'a str,
            message: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<&'a str>,
            #[serde(flatten)]
            position: Option<Position>,
            #[serde(skip_serializing_if = "Option::is_none")]
            help: Option<&'a str>,
        }
        Wire {
            severity: self.severity,
            rule: self.rule,
            message: &self.message,
            file: self.place.as_ref().map(|place| place.source.name()),
            position: self.place.as_ref().map(Place::position),
            help: self.help.as_deref(),
        }
        .serialize(serializer)
    }
}

/// Findings about a document, in the order of the text. If returned as an error, at least one of
/// them is a [`Severity::Error`].
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a finding at the end. Use [`sort`](Self::sort) to restore the order.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Returns true if there is at least one error. Warnings do not count.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns true if there are neither errors nor warnings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the findings in their present order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Sorts by document and location. Findings without a location come first. At the same
    /// location, we sort by rule and message, so that the order of the checks makes no difference.
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| {
            let key = |d: &Diagnostic| {
                d.place.as_ref().map(|place| {
                    (
                        place.source.name().to_owned(),
                        place.range.start,
                        place.range.end,
                    )
                })
            };
            key(a)
                .cmp(&key(b))
                .then_with(|| a.rule.cmp(b.rule))
                .then_with(|| a.message.cmp(&b.message))
        });
    }

    /// Sorts the findings, and returns them along with `value` unless they include an error.
    ///
    /// # Errors
    /// Returns all findings, including warnings, if at least one of them is an error.
    pub fn unless_errors<T>(mut self, value: T) -> Result<(T, Self), Self> {
        self.sort();
        if self.has_errors() {
            Err(self)
        } else {
            Ok((value, self))
        }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, iter: I) {
        self.0.extend(iter);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_like_editors() {
        let source = Source::new("x.yaml", "a: ü\nbc\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 1, column: 5 });
        assert_eq!(source.position(6), Position { line: 2, column: 1 });
        assert_eq!(source.position(900), Position { line: 3, column: 1 });
        assert_eq!(source.position(4), Position { line: 1, column: 4 });
        let marked = Source::new("x.yaml", "\u{feff}a");
        assert_eq!(marked.position(0), Position { line: 1, column: 1 });
        assert_eq!(marked.position(3), Position { line: 1, column: 1 });
    }

    #[test]
    fn position_in_long_line_is_exact() {
        let line = "aü€𝄞".repeat(700);
        let text = format!("first\n{line}\nlast");
        let source = Source::new("x.yaml", text.as_str());
        for (at, (offset, _)) in line.char_indices().enumerate() {
            let want = Position {
                line: 2,
                column: at + 1,
            };
            assert_eq!(source.position(6 + offset), want);
        }
        let exact = Source::new("x.yaml", "x".repeat(2 * STRIDE));
        assert_eq!(exact.position(2 * STRIDE).column, 2 * STRIDE + 1);
    }

    #[test]
    fn findings_are_in_text_order() {
        let source = Source::new("x.yaml", "one\ntwo\n");
        let mut found = Diagnostics::default();
        found.push(Diagnostic::error("b", "second").at(Place::new(&source, 4..7)));
        found.push(Diagnostic::warning("a", "first").at(Place::new(&source, 0..3)));
        let error = found.unless_errors(()).unwrap_err();
        assert_eq!(error.to_string(), "x.yaml:1:1: first\nx.yaml:2:1: second");
    }
}
