//! Errors, with the location of the problem in the text and the expected syntax.

use std::fmt;
use std::ops::Range;

/// The result of all fallible operations in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error from reading a text or writing a value.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    category: Category,
    message: String,
    expected: Option<&'static str>,
    place: Option<Place>,
}

/// Kinds of errors, by the way a caller may react to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The text is not valid TRON.
    Syntax,
    /// The text is valid, but not for the requested type. When writing, the value has no form in
    /// TRON.
    Data,
    /// The text exceeds one of the [`Limits`](crate::Limits).
    Limit,
    /// The reader or the writer has failed.
    Io,
}

/// A location in a text. Line and column are meant for people, and `range` for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line of the first character, counted from 1.
    pub line: usize,
    /// Column of the first character, counted from 1. This counts characters, not bytes.
    pub column: usize,
    /// Range in bytes from the start of the text.
    pub range: Range<usize>,
}

impl Error {
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

    /// Creates an error that is not about a part of a text, e.g. one about a value to write.
    pub(crate) fn without_place(category: Category, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            category,
            message: message.into(),
            expected: None,
            place: None,
        }))
    }

    /// Adds a location, unless the error already has one. Errors from a type's own `Deserialize`
    /// implementation do not.
    #[must_use]
    pub(crate) fn or_at(mut self, text: &str, range: Range<usize>) -> Self {
        self.0.place.get_or_insert_with(|| Place::new(text, range));
        self
    }

    /// The kind of error, see [`Category`].
    #[must_use]
    pub fn category(&self) -> Category {
        self.0.category
    }

    /// The description of the problem, without the location.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The expected syntax, if known.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected
    }

    /// The location of the problem. This is `None` if there is no text, e.g. for a value to write.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// Line of the error, counted from 1. See [`place`](Self::place).
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.place().map(|place| place.line)
    }

    /// Column of the error in characters, counted from 1. See [`place`](Self::place).
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
