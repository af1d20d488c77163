//! Deserializes the keys of objects, and enum variants without a value.

use serde::de::{DeserializeSeed, EnumAccess, Expected, Unexpected, VariantAccess, Visitor};

use super::{Deserializer, visit_text};
use crate::error::{Error, Result};
use crate::text::Text;

/// The key of an object. It is always text, even if the type requires a number or a boolean.
pub(super) struct Key<'de>(pub(super) Text<'de>);

macro_rules! keys_of_numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match crate::Number::new(self.0.clone()) {
                Ok(number) => Deserializer::visit_number(number.as_str(), visitor),
                Err(_) => visit_text(&self.0, visitor),
            }
        }
    )*};
}

impl<'de> serde::Deserializer<'de> for Key<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit_text(&self.0, visitor)
    }

    keys_of_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.parse() {
            Ok(number) => visitor.visit_i128(number),
            Err(_) => visit_text(&self.0, visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.parse() {
            Ok(number) => visitor.visit_u128(number),
            Err(_) => visit_text(&self.0, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.as_str() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => visit_text(&self.0, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(Unit(self.0))
    }

    serde::forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// An enum variant without a value, written as a string.
pub(super) struct Unit<'de>(pub(super) Text<'de>);

impl<'de> EnumAccess<'de> for Unit<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let name = seed.deserialize(Key(self.0.clone()))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Unit<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value> {
        Err(self.has_no_value(&"newtype variant"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        Err(self.has_no_value(&"tuple variant"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        Err(self.has_no_value(&"struct variant"))
    }
}

impl Unit<'_> {
    fn has_no_value(&self, expected: &dyn Expected) -> Error {
        serde::de::Error::invalid_type(Unexpected::UnitVariant, expected)
    }
}
