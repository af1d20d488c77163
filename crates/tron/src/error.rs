//! Errors, with their location in the text and the expected syntax.

use std::fmt;
use std::ops::Range;

/// Result with the error type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Error from reading a text or writing a value.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    category: Category,
    message: String,
    expected: Option<&'static str>,
    place: Option<Place>,
}

/// Kinds of failures, by which callers can decide what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The text is not TRON.
    Syntax,
    /// The text is TRON but doesn't match the target type, or a value can't be written as TRON.
    Data,
    /// The text exceeds one of the [`Limits`](crate::Limits).
    Limit,
    /// The reader or writer failed.
    Io,
}

/// An error's location in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line number, starting at 1.
    pub line: usize,
    /// Column of the first character in characters, starting at 1.
    pub column: usize,
    /// Byte range in the text.
    pub range: Range<usize>,
}

impl Error {
    /// Creates an error at `range` of `text`.
    pub(crate) fn at(
        category: Category,
        text: &str,
        range: Range<usize>,
        message: impl Into<String>,
        expected: Option<&'static str>,
    ) -> Self {
        Self(Box::new(Details {
            category,
            message: message.into(),
            expected,
            place: Some(Place::new(text, range)),
        }))
    }

    /// Creates an error without a location.
    pub(crate) fn without_place(category: Category, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            category,
            message: message.into(),
            expected: None,
            place: None,
        }))
    }

    /// Adds the location `range` of `text`, unless the error already has one.
    #[must_use]
    pub(crate) fn or_at(mut self, text: &str, range: Range<usize>) -> Self {
        self.0.place.get_or_insert_with(|| Place::new(text, range));
        self
    }

    /// Returns the category.
    #[must_use]
    pub fn category(&self) -> Category {
        self.0.category
    }

    /// Returns the description, without the location.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the syntax that was expected, if known.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected
    }

    /// Returns the location, or `None` if the error isn't about a part of the text.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// Returns the line number, starting at 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.place().map(|place| place.line)
    }

    /// Returns the column in characters, starting at 1.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.place().map(|place| place.column)
    }
}

impl Place {
    fn new(text: &str, range: Range<usize>) -> Self {
        let bytes = text.as_bytes();
        let start = range.start.min(bytes.len());
        let before = &bytes[..start];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
        Self {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + before[line_start..].iter().filter(is_start).count(),
            range: start..range.end.min(bytes.len()).max(start),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(expected) = self.0.expected {
            write!(f, ", expected {expected}")?;
        }
        match &self.0.place {
            Some(place) => write!(f, " at {place}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}: {self})", self.0.category)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::without_place(Category::Data, message.to_string())
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::without_place(Category::Data, message.to_string())
    }
}
