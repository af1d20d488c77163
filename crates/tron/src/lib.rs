//! TRON, the token-reduced object notation: JSON, and classes for objects that are alike.
//!
//! ```text
//! class A: id,title,status
//!
//! {"items":[A("1","Auth","completed"),A("2","API","pending")]}
//! ```
//!
//! - [`from_str`], [`from_slice`] and [`from_reader`] read any type that serde can read; [`ReadOptions`] has limits;
//! - [`to_string`] and [`to_writer`] write any type that serde can write; [`WriteOptions`] has the choices;
//! - [`Value::parse`] reads any document, with the order of keys and the text of numbers as they stand there;
//!   [`ReadOptions::located`] says as well where each value stands.
//!
//! All of JSON is read, and every dialect that is about: roots without braces (`key: value` lines), keys without
//! quotes, `;` for line ends, classes that inherit, arguments by name, properties over several lines. Everything else
//! is refused, with the place and what was expected there.
//!
//! What is written is read by every reader that is known, is never longer than compact JSON, and is the same whenever the
//! same is written.
//!
//! This crate must never panic, overflow the stack or run for long on any text, nor guess what was meant.

mod classes;
mod de;
mod error;
mod events;
mod number;
mod options;
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

/// Reads a type from `text`, within the usual [`Limits`].
///
/// # Errors
/// When `text` is not TRON, is not what `T` wants, or is beyond the limits.
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    ReadOptions::default().from_str(text)
}

/// Reads a type from bytes, which have to be UTF-8.
///
/// # Errors
/// As [`from_str`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    ReadOptions::default().from_slice(bytes)
}

/// Reads a type from a reader, to its end.
///
/// # Errors
/// As [`from_str`], and when the reader fails.
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

/// Writes `value` into `writer`, as [`to_string`].
///
/// # Errors
/// As [`to_string`], and when the writer fails.
pub fn to_writer<T: Serialize + ?Sized>(writer: impl Write, value: &T) -> Result<()> {
    WriteOptions::default().to_writer(writer, value)
}

/// What `T` is as a value: the text of its numbers and the order of its keys stay.
///
/// # Errors
/// When `value` cannot be expressed in JSON.
pub fn exact<T: Serialize + ?Sized>(value: &T) -> Result<Value<'static>> {
    let text = to_string(value)?;
    Ok(Value::parse(&text)?.into_owned())
}
