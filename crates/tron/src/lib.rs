//! TRON, the token-reduced object notation. It is JSON with classes, so that similar objects do not
//! repeat their keys:
//!
//! ```text
//! class A: id,title,status
//!
//! {"items":[A("1","Auth","completed"),A("2","API","pending")]}
//! ```
//!
//! - [`from_str`], [`from_slice`] and [`from_reader`] read any type with serde's `Deserialize`, and
//!   [`to_string`] and [`to_writer`] write a value. Limits are set in [`ReadOptions`], and the form
//!   of the output in [`WriteOptions`].
//! - [`Value::parse`] reads any document. A [`Value`] preserves the order of keys and the text of
//!   numbers.
//! - [`ReadOptions::located`] also returns the location of each value.
//!
//! The reader accepts all of JSON, and the known dialects of TRON: roots without braces (lines of
//! `key: value`), keys without quotes, `;` for line breaks, class inheritance, named arguments, and
//! lists of properties on several lines. If a text could mean two things, we do not guess: the
//! error states the location and the expected syntax.
//!
//! The writer only uses syntax that all known readers understand. Its text is never longer than
//! compact JSON, and it is always the same for the same value.
//!
//! Documents come from anywhere. Whatever the text, this crate must not panic, overflow the stack
//! or run for long.

mod classes;
mod de;
mod error;
mod events;
mod number;
mod options;
mod read;
mod scan;
mod text;
mod value;
mod write;

use std::io::{Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use error::{Category, Error, Place, Result};
pub use number::Number;
pub use options::{DuplicateKeys, Limits, MAX_RECURSION, ReadOptions};
pub use text::Text;
pub use value::{Array, Object, PlaceId, Places, Value};
pub use write::WriteOptions;

/// Reads a value from `text`. The default [`Limits`] apply.
///
/// # Errors
/// Returns an error if `text` is not valid TRON, does not match `T`, or exceeds a limit.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    ReadOptions::default().from_str(text)
}

/// Like [`from_str`], but reads bytes. They must be UTF-8.
///
/// # Errors
/// Returns an error in the same cases as [`from_str`], and if `bytes` is not UTF-8.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    ReadOptions::default().from_slice(bytes)
}

/// Like [`from_slice`], but reads the rest of `reader`.
///
/// # Errors
/// Returns an error in the same cases as [`from_slice`], and if `reader` fails.
pub fn from_reader<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    ReadOptions::default().from_reader(reader)
}

/// Writes `value` as compact TRON. The text is never longer than compact JSON.
///
/// # Errors
/// Returns an error if `value` cannot be written, see [`WriteOptions::to_string`].
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    WriteOptions::default().to_string(value)
}

/// Like [`to_string`], but writes the text to `writer`.
///
/// # Errors
/// Returns an error in the same cases as [`to_string`], and if `writer` fails.
pub fn to_writer<T: Serialize + ?Sized>(writer: impl Write, value: &T) -> Result<()> {
    WriteOptions::default().to_writer(writer, value)
}

/// Converts any type to a [`Value`]. The text of numbers and the order of keys are preserved.
///
/// # Errors
/// Returns an error if `value` cannot be expressed in JSON.
pub fn exact<T: Serialize + ?Sized>(value: &T) -> Result<Value<'static>> {
    let text = to_string(value)?;
    Ok(Value::parse(&text)?.into_owned())
}
