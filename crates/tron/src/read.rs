//! The entry points for reading, as methods of [`ReadOptions`].

use std::io::Read;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::de::Deserializer;
use crate::error::{Category, Error, Result};
use crate::events::Events;
use crate::options::{DuplicateKeys, ReadOptions, too_long};
use crate::value::{Places, Value};
use crate::write::transcode;

impl ReadOptions {
    /// Reads a value of any type from `text`.
    ///
    /// # Errors
    /// Returns an error if `text` isn't valid TRON, doesn't match `T`, or exceeds a limit.
    pub fn from_str<'de, T: Deserialize<'de>>(&self, text: &'de str) -> Result<T> {
        Deserializer::new(Events::new(text, self)?).whole()
    }

    /// Like [`from_str`](Self::from_str), but reads bytes. They must be UTF-8.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`ReadOptions::from_str`], and if `bytes` isn't UTF-8.
    pub fn from_slice<'de, T: Deserialize<'de>>(&self, bytes: &'de [u8]) -> Result<T> {
        self.from_str(utf8(bytes)?)
    }

    /// Like [`from_slice`](Self::from_slice), but reads the rest of `reader`.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`ReadOptions::from_slice`], and if `reader` fails.
    pub fn from_reader<T: DeserializeOwned>(&self, reader: impl Read) -> Result<T> {
        let mut bytes = Vec::new();
        // Read one byte more than allowed, in order to notice that there's more.
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

    /// Reads any document. Unlike [`from_str`](Self::from_str), this isn't recursive, so
    /// [`Limits::depth`](crate::Limits::depth) is the only limit on nesting.
    ///
    /// # Errors
    /// Returns an error if `text` isn't valid TRON or exceeds a limit.
    pub fn value<'a>(&self, text: &'a str) -> Result<Value<'a>> {
        crate::value::build(Events::new(text, self)?)
    }

    /// Converts `text` to compact JSON without loading its values into memory. The text of numbers
    /// and the order of keys are preserved.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`ReadOptions::value`], and for duplicate keys.
    pub fn text_to_json(&self, text: &str) -> Result<String> {
        transcode::to_json(text, self)
    }

    /// Converts `text` to compact TRON, using classes where they save characters.
    ///
    /// Like [`text_to_json`](Self::text_to_json), this doesn't load the values into memory, but it
    /// needs 16 bytes per object.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`ReadOptions::text_to_json`].
    pub fn text_to_tron(&self, text: &str) -> Result<String> {
        transcode::to_tron(text, self)
    }

    /// Reads any document, along with the location of each value. A duplicate key is an error,
    /// since there would be two locations for the same member.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`ReadOptions::value`], and for duplicate keys.
    pub fn located<'a>(&self, text: &'a str) -> Result<(Value<'a>, Places)> {
        let strictly = Self {
            duplicate_keys: DuplicateKeys::Refuse,
            ..*self
        };
        crate::value::located(Events::new(text, &strictly)?)
    }
}

/// Checks that `bytes` are UTF-8. The error points to the first invalid byte.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let end = start + error.error_len().unwrap_or(bytes.len() - start);
        let good = std::str::from_utf8(&bytes[..start]).unwrap_or_default();
        Error::at(Category::Syntax, good, start..end, "not UTF-8", None)
    })
}
