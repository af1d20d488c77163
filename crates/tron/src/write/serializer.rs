//! The serializer for serde, which records values on a tape.

use serde::Serialize;
use serde::ser::{self, Error as _};

use super::shapes::EMPTY;
use super::tape::{Node, Tape};
use crate::error::{Category, Error, Result};
use crate::number::Number;
use crate::options::MAX_RECURSION;
use crate::value::NUMBER;

pub(crate) struct Serializer<'t> {
    tape: &'t mut Tape,
    depth: usize,
    /// True if the next string is the text of a number.
    is_number: bool,
}

impl<'t> Serializer<'t> {
    pub(crate) fn new(tape: &'t mut Tape) -> Self {
        Self {
            tape,
            depth: 0,
            is_number: false,
        }
    }

    fn open(self) -> Result<Parts<'t>> {
        if self.depth >= MAX_RECURSION {
            let message = format!("more than {MAX_RECURSION} levels of nesting");
            return Err(Error::without_place(Category::Limit, message));
        }
        Ok(Parts {
            at: self.tape.reserve(),
            tape: self.tape,
            depth: self.depth + 1,
            count: 0,
            shape: EMPTY,
        })
    }

    /// Starts an object with a single member, whose value comes next. This is how serde's enums are
    /// written.
    fn variant(self, name: &str) -> Result<Self> {
        let mut parts = self.open()?;
        parts.key(name);
        parts.tape.fill(parts.at, Node::Object(parts.shape));
        Ok(Self {
            tape: parts.tape,
            depth: parts.depth,
            is_number: false,
        })
    }
}

macro_rules! integers {
    ($($method:ident $type:ty,)*) => {$(
        fn $method(self, number: $type) -> Result<()> {
            self.tape.scalar(itoa::Buffer::new().format(number));
            Ok(())
        }
    )*};
}

macro_rules! floats {
    ($($method:ident $type:ty,)*) => {$(
        fn $method(self, number: $type) -> Result<()> {
            if !number.is_finite() {
                return Err(Error::custom(format!("{number} cannot be written: only finite numbers can")));
            }
            self.tape.scalar(zmij::Buffer::new().format_finite(number));
            Ok(())
        }
    )*};
}

impl<'t> ser::Serializer for Serializer<'t> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'t>;
    type SerializeTuple = Parts<'t>;
    type SerializeTupleStruct = Parts<'t>;
    type SerializeTupleVariant = Parts<'t>;
    type SerializeMap = Parts<'t>;
    type SerializeStruct = Parts<'t>;
    type SerializeStructVariant = Parts<'t>;

    fn is_human_readable(&self) -> bool {
        !self.is_number
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.tape.scalar(if value { "true" } else { "false" });
        Ok(())
    }

    integers! {
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128,
    }

    floats! { serialize_f32 f32, serialize_f64 f64, }

    fn serialize_char(self, c: char) -> Result<()> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<()> {
        if self.is_number {
            self.tape.scalar(Number::new(text)?.as_str());
        } else {
            self.tape.string(text);
        }
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.tape.scalar("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.is_number = name == NUMBER;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self.variant(variant)?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'t>> {
        self.open()
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'t>> {
        self.open()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'t>> {
        self.open()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'t>> {
        self.variant(variant)?.open()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'t>> {
        self.open()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'t>> {
        self.open()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'t>> {
        self.variant(variant)?.open()
    }

    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<()> {
        self.serialize_str(&value.to_string())
    }
}

pub(crate) struct Parts<'t> {
    tape: &'t mut Tape,
    /// Index of the node on the tape. It's filled in at the end.
    at: usize,
    depth: usize,
    count: usize,
    shape: usize,
}

impl Parts<'_> {
    #[inline]
    fn key(&mut self, key: &str) {
        self.shape = self.tape.shapes.step(self.shape, key);
    }

    #[inline]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.count += 1;
        value.serialize(Serializer {
            tape: &mut *self.tape,
            depth: self.depth,
            is_number: false,
        })
    }

    fn end_array(self) -> Result<()> {
        self.tape.fill(self.at, Node::Array(self.count));
        Ok(())
    }

    fn end_object(self) -> Result<()> {
        self.tape.fill(self.at, Node::Object(self.shape));
        Ok(())
    }
}

macro_rules! arrays {
    ($($access:ident $method:ident,)*) => {$(
        impl ser::$access for Parts<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.value(value)
            }

            fn end(self) -> Result<()> {
                self.end_array()
            }
        }
    )*};
}

arrays! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

macro_rules! objects {
    ($($access:ident)*) => {$(
        impl ser::$access for Parts<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<()> {
                self.key(key);
                self.value(value)
            }

            fn end(self) -> Result<()> {
                self.end_object()
            }
        }
    )*};
}

objects! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        key.serialize(KeySerializer(self))
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(value)
    }

    fn end(self) -> Result<()> {
        self.end_object()
    }
}

/// Serializes the key of a map. Numbers and booleans become strings, as in `serde_json`.
struct KeySerializer<'p, 't>(&'p mut Parts<'t>);

fn no_key<T>() -> Result<T> {
    Err(Error::custom(
        "a key has to be a text, a number or a boolean",
    ))
}

macro_rules! integer_keys {
    ($($method:ident $type:ty,)*) => {$(
        fn $method(self, number: $type) -> Result<()> {
            self.serialize_str(itoa::Buffer::new().format(number))
        }
    )*};
}

macro_rules! float_keys {
    ($($method:ident $type:ty,)*) => {$(
        fn $method(self, number: $type) -> Result<()> {
            if !number.is_finite() {
                return no_key();
            }
            self.serialize_str(zmij::Buffer::new().format_finite(number))
        }
    )*};
}

type No = ser::Impossible<(), Error>;

impl ser::Serializer for KeySerializer<'_, '_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    #[inline]
    fn serialize_str(self, key: &str) -> Result<()> {
        self.0.key(key);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.serialize_str(if value { "true" } else { "false" })
    }

    integer_keys! {
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128,
    }

    float_keys! { serialize_f32 f32, serialize_f64 f64, }

    fn serialize_char(self, c: char) -> Result<()> {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<()> {
        self.serialize_str(&value.to_string())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<()> {
        no_key()
    }

    fn serialize_none(self) -> Result<()> {
        no_key()
    }

    fn serialize_unit(self) -> Result<()> {
        no_key()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        no_key()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        no_key()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<No> {
        no_key()
    }

    fn serialize_tuple(self, _: usize) -> Result<No> {
        no_key()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<No> {
        no_key()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<No> {
        no_key()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<No> {
        no_key()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<No> {
        no_key()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<No> {
        no_key()
    }
}
