//! What went wrong, where, and what was expected there.

use std::fmt;
use std::ops::Range;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a text could not be read, or a value not be written.
#[derive(Clone)]
pub struct Error(Box<Details>);

#[derive(Clone)]
struct Details {
    category: Category,
    message: String,
    expected: Option<&'static str>,
    place: Option<Place>,
}

/// What sort of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The text is not TRON.
    Syntax,
    /// The text is TRON, but not what was asked for; or a value cannot be written as TRON.
    Data,
    /// A limit was reached: see [`Limits`](crate::Limits).
    Limit,
    /// The reader or writer failed.
    Io,
}

/// Where in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column of the first character, from 1, in characters.
    pub column: usize,
    /// The bytes.
    pub range: Range<usize>,
}

impl Error {
    /// An error at `range` of `text`.
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

    /// An error that has no place, or none yet.
    pub(crate) fn without_place(category: Category, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            category,
            message: message.into(),
            expected: None,
            place: None,
        }))
    }

    /// The same error at `range` of `text`, if it has no place yet.
    #[must_use]
    pub(crate) fn or_at(mut self, text: &str, range: Range<usize>) -> Self {
        self.0.place.get_or_insert_with(|| Place::new(text, range));
        self
    }

    /// What sort of error it is.
    #[must_use]
    pub fn category(&self) -> Category {
        self.0.category
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What could have stood there instead, where that is known.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        self.0.expected
    }

    /// Where it is, if it has to do with a place in a text.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.place().map(|place| place.line)
    }

    /// The column, from 1, in characters.
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
