//! Deserializes enum variants with a value.

use serde::Deserialize as _;
use serde::de::{
    DeserializeSeed, Deserializer as _, EnumAccess, IntoDeserializer, VariantAccess, Visitor,
};

use super::Deserializer;
use super::key::Key;
use crate::error::{Error, Result};
use crate::events::Event;
use crate::value::NUMBER;

/// An enum variant with a value, written as an object with a single member.
pub(super) struct Variant<'p, 'de> {
    pub(super) de: &'p mut Deserializer<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        match self.de.next()? {
            Event::Key(key) => Ok((seed.deserialize(Key(key.into()))?, self)),
            Event::OwnKey => Ok((seed.deserialize(Key(self.de.events.take()))?, self)),
            _ => Err(serde::de::Error::custom("a variant is missing")),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        <()>::deserialize(self.de)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.de)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.de.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.de.deserialize_struct("", fields, visitor)
    }
}

/// The text of a number, disguised as an enum variant so that only a [`Value`](crate::Value) can
/// make sense of it.
pub(super) struct NumberText<'de>(pub(super) &'de str);

impl<'de> EnumAccess<'de> for NumberText<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let name = seed.deserialize(IntoDeserializer::<Error>::into_deserializer(NUMBER))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for NumberText<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(IntoDeserializer::<Error>::into_deserializer(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.0)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.0)
    }
}
