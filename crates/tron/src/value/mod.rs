//! Generic values that preserve the order of keys and the text of numbers.

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

/// Any value, with the order of keys and the text of numbers. [`ReadOptions::value`] reads a value
/// of any depth within the limits. Cloning, comparing, printing and dropping it cannot overflow the
/// stack.
///
/// Two values are equal if they are written alike, apart from white space, escapes and the order of
/// keys.
pub enum Value<'a> {
    /// The value `null`.
    Null,
    /// The value `true` or `false`.
    Bool(bool),
    /// A number with its text.
    Number(Number<'a>),
    /// A string with its escape sequences resolved.
    String(Text<'a>),
    /// Array of values, in order.
    Array(Array<'a>),
    /// An object, or an instance of a class.
    Object(Object<'a>),
}

/// An array's elements in order.
#[derive(Default)]
pub struct Array<'a>(Vec<Value<'a>>);

impl<'a> Value<'a> {
    /// Parses a value within the default [`Limits`](crate::Limits). Borrows from `text` where possible.
    ///
    /// # Errors
    /// Returns an error if `text` is not TRON or exceeds a limit.
    pub fn parse(text: &'a str) -> Result<Self> {
        ReadOptions::default().value(text)
    }

    /// Converts the value so that it doesn't borrow from the source text.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        deep::owned(&self)
    }

    /// Returns true if the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the boolean, or `None` for other values.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, or `None` for other values.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number<'a>> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the string, or `None` for other values.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the array, or `None` for other values.
    #[must_use]
    pub fn as_array(&self) -> Option<&Array<'a>> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the object, or `None` for other values.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the array for modification, or `None` for other values.
    #[must_use]
    pub fn as_array_mut(&mut self) -> Option<&mut Array<'a>> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the object for modification, or `None` for other values.
    #[must_use]
    pub fn as_object_mut(&mut self) -> Option<&mut Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the value of the member `key`. Returns `None` if there is none, or if this isn't an
    /// object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    /// Returns true for an array or object with contents.
    fn has_parts(&self) -> bool {
        match self {
            Self::Array(array) => !array.is_empty(),
            Self::Object(object) => !object.is_empty(),
            _ => false,
        }
    }
}

impl<'a> Array<'a> {
    /// Returns the elements.
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
