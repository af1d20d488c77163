use std::io::Read;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::de::Deserializer;
use crate::error::{Category, Error, Result};
use crate::events::Events;
use crate::value::{Places, Value};

/// How much a document may ask for. What is beyond is an error of [`Category::Limit`], never a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The length of the text, in bytes: 64 MiB.
    pub bytes: usize,
    /// How many arrays, objects and instances may stand in each other: 256. Where a type is deserialised, never more
    /// than [`MAX_RECURSION`]; a [`Value::parse`] takes any depth.
    pub depth: usize,
    /// How many classes there may be: 4,096.
    pub classes: usize,
    /// How many properties the classes may have together, inherited ones counted where they are inherited: 65,536.
    pub properties: usize,
    /// How many bytes of property names the instances may stand for together: 256 MiB. A few bytes can name an
    /// instance of a class with long names, so a small text could grow without bound.
    pub expanded: usize,
}

/// The depth up to which types are deserialised and serialised, whatever [`Limits::depth`] says: serde calls itself
/// for each level.
pub const MAX_RECURSION: usize = 512;

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            depth: 256,
            classes: 4_096,
            properties: 65_536,
            expanded: 256 << 20,
        }
    }
}

impl Limits {
    /// No limits.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            bytes: usize::MAX,
            depth: usize::MAX,
            classes: usize::MAX,
            properties: usize::MAX,
            expanded: usize::MAX,
        }
    }
}

/// What becomes of an object that names a key twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// The last value counts, as in JSON readers. (A type that is deserialised may refuse it by itself.)
    #[default]
    LastWins,
    /// It is an error.
    Refuse,
}

/// How to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// How much a document may ask for.
    pub limits: Limits,
    /// What becomes of an object that names a key twice.
    pub duplicate_keys: DuplicateKeys,
}

impl ReadOptions {
    /// Reads a type from `text`.
    ///
    /// # Errors
    /// When `text` is not TRON, is not what `T` wants, or is beyond the limits.
    pub fn from_str<'de, T: Deserialize<'de>>(&self, text: &'de str) -> Result<T> {
        Deserializer::new(Events::new(text, self)?).whole()
    }

    /// Reads a type from bytes, which have to be UTF-8.
    ///
    /// # Errors
    /// As [`ReadOptions::from_str`].
    pub fn from_slice<'de, T: Deserialize<'de>>(&self, bytes: &'de [u8]) -> Result<T> {
        self.from_str(utf8(bytes)?)
    }

    /// Reads a type from a reader, to its end.
    ///
    /// # Errors
    /// As [`ReadOptions::from_str`], and when the reader fails.
    pub fn from_reader<T: DeserializeOwned>(&self, reader: impl Read) -> Result<T> {
        let mut bytes = Vec::new();
        let most = u64::try_from(self.limits.bytes).unwrap_or(u64::MAX);
        let failed = |error: std::io::Error| Error::without_place(Category::Io, error.to_string());
        reader
            .take(most.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() > self.limits.bytes {
            return Err(too_long(self.limits.bytes));
        }
        self.from_slice(&bytes)
    }

    /// Reads any value, at any depth that the limits allow.
    ///
    /// # Errors
    /// When `text` is not TRON or is beyond the limits.
    pub fn value<'a>(&self, text: &'a str) -> Result<Value<'a>> {
        crate::value::build(Events::new(text, self)?)
    }

    /// Reads any value, and where its parts stand. A key that is there twice is refused: it would have two places.
    ///
    /// # Errors
    /// As [`ReadOptions::value`], and when an object names a key twice.
    pub fn located<'a>(&self, text: &'a str) -> Result<(Value<'a>, Places)> {
        let strictly = Self {
            duplicate_keys: DuplicateKeys::Refuse,
            ..*self
        };
        crate::value::located(Events::new(text, &strictly)?)
    }
}

pub(crate) fn too_long(limit: usize) -> Error {
    Error::without_place(
        Category::Limit,
        format!("the text has more than {limit} bytes"),
    )
}

/// `bytes` as text.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let end = start + error.error_len().unwrap_or(bytes.len() - start);
        let good = std::str::from_utf8(&bytes[..start]).unwrap_or_default();
        Error::at(Category::Syntax, good, start..end, "not UTF-8", None)
    })
}
