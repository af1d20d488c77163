//! TRON, the token-reduced object notation. TRON is JSON with classes for similar objects.
//!
//! ```text
//! class A: id,title,status
//!
//! {"items":[A("1","Auth","completed"),A("2","API","pending")]}
//! ```
//!
//! - [`from_str`], [`from_slice`] and [`from_reader`] read any serde type. [`ReadOptions`] sets
//!   limits.
//! - [`to_string`] and [`to_writer`] write any serde type. [`WriteOptions`] sets the form.
//! - [`Value::parse`] reads any document, preserving the order of keys and the text of numbers.
//!   [`ReadOptions::located`] also returns the location of each value.
//!
//! The reader accepts all of JSON and all known dialects: roots without braces (`key: value`
//! lines), keys without quotes, `;` for line breaks, inheritance between classes, named arguments,
//! and property lists on several lines. It refuses everything else, with an error that names the
//! location and the expected syntax.
//!
//! The writer is more careful, since its text has to work with every known reader. The text is
//! never longer than compact JSON, and equal values always give the same text.
//!
//! This crate must never panic, overflow the stack or run for long on any text. It must never guess
//! the meaning of unclear syntax.

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

/// Reads a type from `text`, within the default [`Limits`].
///
/// # Errors
/// Returns an error if `text` is not TRON, does not match `T`, or exceeds a limit.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    ReadOptions::default().from_str(text)
}

/// Reads a type from bytes, which must be UTF-8.
///
/// # Errors
/// Returns an error like [`from_str`], and also if `bytes` is not UTF-8.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    ReadOptions::default().from_slice(bytes)
}

/// Reads a type from a reader, up to the reader's end.
///
/// # Errors
/// Returns an error like [`from_slice`], and also if the reader fails.
pub fn from_reader<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    ReadOptions::default().from_reader(reader)
}

/// Writes `value` as compact TRON, which is never longer than compact JSON.
///
/// # Errors
/// Returns an error if `value` cannot be written. [`WriteOptions::to_string`] lists the reasons.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    WriteOptions::default().to_string(value)
}

/// Writes `value` to `writer` like [`to_string`].
///
/// # Errors
/// Returns an error like [`to_string`], and also if the writer fails.
pub fn to_writer<T: Serialize + ?Sized>(writer: impl Write, value: &T) -> Result<()> {
    WriteOptions::default().to_writer(writer, value)
}

/// Converts `value` to a [`Value`], preserving the text of its numbers and the order of its keys.
///
/// # Errors
/// Returns an error if `value` cannot be expressed in JSON.
pub fn exact<T: Serialize + ?Sized>(value: &T) -> Result<Value<'static>> {
    let text = to_string(value)?;
    Ok(Value::parse(&text)?.into_owned())
}
