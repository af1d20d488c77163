//! Values of any type, with the order of keys and the text of numbers.

mod build;
mod deep;
mod object;
mod places;
mod serde;

use std::ops::{Deref, DerefMut};

pub(crate) use build::{build, located};
pub use object::Object;
pub use places::{PlaceId, Places};
pub(crate) use serde::{NUMBER, VALUE};

use crate::error::Result;
use crate::number::Number;
use crate::options::ReadOptions;
use crate::text::Text;

/// Any value.
///
/// It preserves the order of keys and the text of numbers. Values of any depth can be read with
/// [`ReadOptions::value`], cloned, compared, printed and dropped without overflowing the stack.
///
/// Two values are equal if their texts are equal, apart from whitespace, escapes and the order of
/// keys. In particular, `1` and `1.0` aren't equal.
pub enum Value<'a> {
    /// The value `null`.
    Null,
    /// The value `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(Number<'a>),
    /// A string with resolved escapes.
    String(Text<'a>),
    /// An array, see [`Array`] for its elements.
    Array(Array<'a>),
    /// An object in any form: with braces, without, or as an instance of a class.
    Object(Object<'a>),
}

/// The elements of an array. It dereferences to a vector.
#[derive(Default)]
pub struct Array<'a>(Vec<Value<'a>>);

impl<'a> Value<'a> {
    /// Reads a document with the default [`Limits`](crate::Limits). Where possible, strings are
    /// slices of `text`.
    ///
    /// # Errors
    /// Returns an error if `text` isn't valid TRON or exceeds a limit.
    pub fn parse(text: &'a str) -> Result<Self> {
        ReadOptions::default().value(text)
    }

    /// Copies all text that is borrowed from the source, so that the value can outlive it.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        deep::owned(&self)
    }

    /// Returns true for `null`. Note that an absent member doesn't have a value at all.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean. Returns `None` for any other value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number. Returns `None` for any other value, including a string of digits.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number<'a>> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The string. Returns `None` for any other value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The array. Returns `None` for any other value.
    #[must_use]
    pub fn as_array(&self) -> Option<&Array<'a>> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The object. Returns `None` for any other value.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Like [`as_array`](Self::as_array), but mutable.
    #[must_use]
    pub fn as_array_mut(&mut self) -> Option<&mut Array<'a>> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Like [`as_object`](Self::as_object), but mutable.
    #[must_use]
    pub fn as_object_mut(&mut self) -> Option<&mut Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The value of a member. Returns `None` if the member is absent or this isn't an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    fn has_parts(&self) -> bool {
        match self {
            Self::Array(array) => !array.is_empty(),
            Self::Object(object) => !object.is_empty(),
            _ => false,
        }
    }
}

impl<'a> Array<'a> {
    /// Takes the elements out of the array.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<Value<'a>> {
        std::mem::take(&mut self.0)
    }
}

impl<'a> Deref for Array<'a> {
    type Target = Vec<Value<'a>>;

    fn deref(&self) -> &Vec<Value<'a>> {
        &self.0
    }
}

impl<'a> DerefMut for Array<'a> {
    fn deref_mut(&mut self) -> &mut Vec<Value<'a>> {
        &mut self.0
    }
}

impl<'a> From<Vec<Value<'a>>> for Array<'a> {
    fn from(values: Vec<Value<'a>>) -> Self {
        Self(values)
    }
}

impl<'a> FromIterator<Value<'a>> for Array<'a> {
    fn from_iter<I: IntoIterator<Item = Value<'a>>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<'a> From<Number<'a>> for Value<'a> {
    fn from(number: Number<'a>) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<Array<'a>> for Value<'a> {
    fn from(array: Array<'a>) -> Self {
        Self::Array(array)
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(values: Vec<Value<'a>>) -> Self {
        Self::Array(values.into())
    }
}

impl<'a> From<Object<'a>> for Value<'a> {
    fn from(object: Object<'a>) -> Self {
        Self::Object(object)
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Value<'_> {
            fn from(number: $integer) -> Self {
                Self::Number(number.into())
            }
        }
    )*};
}

from_integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
