//! Entry points for reading text, bytes and readers.

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
    /// Reads a type from `text`.
    ///
    /// # Errors
    /// Returns an error if `text` is not TRON, does not match `T`, or exceeds a limit.
    pub fn from_str<'de, T: Deserialize<'de>>(&self, text: &'de str) -> Result<T> {
        Deserializer::new(Events::new(text, self)?).whole()
    }

    /// Reads a type from bytes, which must be UTF-8.
    ///
    /// # Errors
    /// Returns an error like [`ReadOptions::from_str`], and also if `bytes` is not UTF-8.
    pub fn from_slice<'de, T: Deserialize<'de>>(&self, bytes: &'de [u8]) -> Result<T> {
        self.from_str(utf8(bytes)?)
    }

    /// Reads a type from a reader, up to the reader's end.
    ///
    /// # Errors
    /// Returns an error like [`ReadOptions::from_slice`], and also if the reader fails.
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

    /// Reads any value. Nothing but the limits bounds its depth.
    ///
    /// # Errors
    /// Returns an error if `text` is not TRON or exceeds a limit.
    pub fn value<'a>(&self, text: &'a str) -> Result<Value<'a>> {
        crate::value::build(Events::new(text, self)?)
    }

    /// Converts `text` to compact JSON without building its values in memory. The order of keys and
    /// the text of numbers are preserved.
    ///
    /// # Errors
    /// Returns an error like [`ReadOptions::value`], and also if an object has a duplicate key.
    pub fn text_to_json(&self, text: &str) -> Result<String> {
        transcode::to_json(text, self)
    }

    /// Converts `text` to compact TRON like [`ReadOptions::text_to_json`], with classes that save
    /// characters. Besides the result, it needs 16 bytes of memory per object.
    ///
    /// # Errors
    /// Returns an error like [`ReadOptions::text_to_json`].
    pub fn text_to_tron(&self, text: &str) -> Result<String> {
        transcode::to_tron(text, self)
    }

    /// Reads any value together with the locations of its parts. Duplicate keys are refused, since
    /// such a key would have two locations.
    ///
    /// # Errors
    /// Returns an error like [`ReadOptions::value`], and also if an object has a duplicate key.
    pub fn located<'a>(&self, text: &'a str) -> Result<(Value<'a>, Places)> {
        let strictly = Self {
            duplicate_keys: DuplicateKeys::Refuse,
            ..*self
        };
        crate::value::located(Events::new(text, &strictly)?)
    }
}

/// Converts `bytes` to text.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let end = start + error.error_len().unwrap_or(bytes.len() - start);
        let good = std::str::from_utf8(&bytes[..start]).unwrap_or_default();
        Error::at(Category::Syntax, good, start..end, "not UTF-8", None)
    })
}
