use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A document written by a user: its name and its text.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
    /// Number of characters before each byte offset that is a multiple of `STRIDE`. Counting from
    /// the start of the line would be slow, since a line can be megabytes long and have hundreds of
    /// findings.
    chars_before: Vec<usize>,
}

/// Number of bytes between two entries of `chars_before`. This is also the maximum number of bytes
/// to count for a position.
const STRIDE: usize = 1024;

/// Position in a document, counted as in editors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in Unicode scalar values.
    pub column: usize,
}

impl Source {
    /// Creates a document called `name`, a path as given by the user.
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

    /// Returns the document's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the document's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the byte range of line `line` (from 1), without its line end. If there is no such
    /// line, returns an empty range at the end of the text.
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

    /// Returns the position of a byte offset. An offset beyond the end of the text counts as the end.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        // Editors don't show a byte order mark, so it must not count as a column.
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

    /// Returns the number of characters before the byte `offset`, which must not exceed the end.
    fn chars_before(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        self.chars_before[stride] + char_starts(&self.text.as_bytes()[stride * STRIDE..offset])
    }
}

/// Counts the characters that start in `bytes`, a part of a text.
fn char_starts(bytes: &[u8]) -> usize {
    let continues = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    bytes.iter().filter(|byte| !continues(byte)).count()
}

/// A byte range in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The document.
    pub source: Arc<Source>,
    /// Byte offsets in the document's text.
    pub range: Range<usize>,
}

impl Place {
    /// Creates a location from the bytes `range` of `source`.
    #[must_use]
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        Self {
            source: Arc::clone(source),
            range,
        }
    }

    /// Returns the position of the first byte.
    #[must_use]
    pub fn position(&self) -> Position {
        self.source.position(self.range.start)
    }
}

impl fmt::Display for Place {
    /// Formats as `runbooks/api.yaml:7:3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document cannot be used.
    Error,
    /// The document can be used, but probably doesn't do what was intended.
    Warning,
}

/// A finding about a document, with its location and a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The finding's severity.
    pub severity: Severity,
    /// The rule's stable name in kebab case, such as `unknown-step-kind`.
    pub rule: &'static str,
    /// The problem in one sentence, in lower case and without a full stop.
    pub message: String,
    /// The problem's position, if it has one.
    pub place: Option<Place>,
    /// Related locations, each with a short description.
    pub related: Vec<(Place, String)>,
    /// Advice on the next step, if any.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates an error.
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

    /// Creates a warning.
    #[must_use]
    pub fn warning(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(rule, message)
        }
    }

    /// Sets the location.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn see(mut self, place: Place, why: impl Into<String>) -> Self {
        self.related.push((place, why.into()));
        self
    }

    /// Sets the next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// Formats as `runbooks/api.yaml:7:3: unknown step kind `serach``. This form is for logs. On a
    /// terminal, the CLI also shows the source line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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

/// Findings about a document, in text order. As an error value, they include at least one error.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Returns true if at least one finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns true if there are no findings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Sorts by document and location, with unlocated findings first.
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

    /// Returns `value` unless one of the findings is an error.
    ///
    /// # Errors
    /// Returns all findings if at least one of them is an error.
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
