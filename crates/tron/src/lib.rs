//! TRON, the token-reduced object notation: JSON with classes for similar objects.
//!
//! ```text
//! class A: id,title,status
//!
//! {"items":[A("1","Auth","completed"),A("2","API","pending")]}
//! ```
//!
//! - [`from_str`], [`from_slice`] and [`from_reader`] read any serde type; [`ReadOptions`] sets limits;
//! - [`to_string`] and [`to_writer`] write any serde type; [`WriteOptions`] sets the form;
//! - [`Value::parse`] reads any document, and preserves the order of keys and the text of numbers;
//!   [`ReadOptions::located`] also returns the location of each value.
//!
//! The reader accepts all of JSON, and all known dialects: roots without braces (`key: value` lines), keys
//! without quotes, `;` for line ends, inheritance of classes, named arguments, property lists over several
//! lines. Everything else is refused, with the location and the expected syntax.
//!
//! Written text can be read by every known reader, is never longer than compact JSON, and is deterministic.
//!
//! This crate must never panic, overflow the stack or run for long on any text, nor guess a meaning.

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
/// When `text` is not TRON, does not match `T`, or exceeds the limits.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    ReadOptions::default().from_str(text)
}

/// Reads a type from bytes, which have to be UTF-8.
///
/// # Errors
/// Like [`from_str`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    ReadOptions::default().from_slice(bytes)
}

/// Reads a type from a reader, to its end.
///
/// # Errors
/// Like [`from_str`], and when the reader fails.
pub fn from_reader<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    ReadOptions::default().from_reader(reader)
}

/// Writes `value` as compact TRON, which is never longer than compact JSON.
///
/// # Errors
/// When `value` cannot be written: see [`WriteOptions::to_string`].
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    WriteOptions::default().to_string(value)
}

/// Writes `value` into `writer`, like [`to_string`].
///
/// # Errors
/// Like [`to_string`], and when the writer fails.
pub fn to_writer<T: Serialize + ?Sized>(writer: impl Write, value: &T) -> Result<()> {
    WriteOptions::default().to_writer(writer, value)
}

/// Converts `T` to a value that preserves the text of its numbers and the order of its keys.
///
/// # Errors
/// When `value` cannot be expressed in JSON.
pub fn exact<T: Serialize + ?Sized>(value: &T) -> Result<Value<'static>> {
    let text = to_string(value)?;
    Ok(Value::parse(&text)?.into_owned())
}
