//! Implements serde for values, so that other types can use them as fields. With TRON, numbers keep
//! their text; with any other format, they become integers or doubles.
//!
//! serde has no way to pass on the text of a number. So a value wraps itself into a newtype with a
//! special name, and the deserializer and serializer of this crate recognize that name.

use std::fmt;

use serde::de::{EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Array, Object, Value};
use crate::number::{Kind, Number, kind};
use crate::options::MAX_RECURSION;
use crate::text::Text;

/// Name of the newtype around a value. Our deserializer passes numbers as text within it.
pub(crate) const VALUE: &str = "$windlass_tron::Value";
/// Name of the newtype around a number. Our serializer expects the number as text within it.
pub(crate) const NUMBER: &str = "$windlass_tron::Number";

impl<'de> Deserialize<'de> for Value<'_> {
    /// Deserializes a value of up to [`MAX_RECURSION`] levels, and copies its strings. If you can,
    /// use [`Value::parse`] instead, which has neither restriction.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE, AnyValue(std::marker::PhantomData))
    }
}

impl<'de> Deserialize<'de> for Object<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(object) => Ok(object),
            _ => Err(serde::de::Error::custom("not an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Array<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Array(array) => Ok(array),
            _ => Err(serde::de::Error::custom("not an array")),
        }
    }
}

impl<'de> Deserialize<'de> for Text<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl<'de> Deserialize<'de> for Number<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(number),
            _ => Err(serde::de::Error::custom("not a number")),
        }
    }
}

struct AnyValue<'a>(std::marker::PhantomData<&'a ()>);

impl<'de, 'a> Visitor<'de> for AnyValue<'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value<'a>, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_unit<E>(self) -> Result<Value<'a>, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value<'a>, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value<'a>, D::Error> {
        Value::deserialize(inner)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'a>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'a>, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'a>, E> {
        Ok(number.into())
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value<'a>, E> {
        Ok(number.into())
    }

    fn visit_u128<E>(self, number: u128) -> Result<Value<'a>, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value<'a>, E> {
        let number = Number::from_f64(number);
        number
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'a>, E> {
        Ok(Value::String(text.to_owned().into()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value<'a>, E> {
        Ok(Value::String(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value<'a>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(Array(values)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'a>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Value::Object(Object::of_read(members)))
    }

    /// Receives the text of a number. A document can't forge this, because deserializers never call
    /// `visit_enum` for the values in a document.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value<'a>, A::Error> {
        let (name, text): (String, _) = data.variant()?;
        if name != NUMBER {
            return Err(serde::de::Error::custom("an enum is not a value"));
        }
        let number = Number::new(text.newtype_variant::<String>()?);
        number.map(Value::Number).map_err(serde::de::Error::custom)
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        At(self, 0).serialize(serializer)
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object(self, 0, serializer)
    }
}

impl Serialize for Array<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        array(self, 0, serializer)
    }
}

struct At<'v, 'a>(&'v Value<'a>, usize);

impl Serialize for At<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(values) => array(values, self.1, serializer),
            Value::Object(members) => object(members, self.1, serializer),
        }
    }
}

fn array<S: Serializer>(array: &Array<'_>, depth: usize, serializer: S) -> Result<S::Ok, S::Error> {
    check::<S>(depth)?;
    let mut seq = serializer.serialize_seq(Some(array.len()))?;
    for value in array.iter() {
        seq.serialize_element(&At(value, depth + 1))?;
    }
    seq.end()
}

fn object<S: Serializer>(
    object: &Object<'_>,
    depth: usize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    check::<S>(depth)?;
    let mut map = serializer.serialize_map(Some(object.len()))?;
    for (key, value) in object.iter() {
        map.serialize_entry(key.as_str(), &At(value, depth + 1))?;
    }
    map.end()
}

fn check<S: Serializer>(depth: usize) -> Result<(), S::Error> {
    if depth < MAX_RECURSION {
        return Ok(());
    }
    let message = format!("more than {MAX_RECURSION} levels of nesting");
    Err(S::Error::custom(message))
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = Inner {
            text: self.as_str(),
            readable: serializer.is_human_readable(),
        };
        serializer.serialize_newtype_struct(NUMBER, &number)
    }
}

/// The content of the newtype around a number.
///
/// It has to recognize our serializer, without depending on the serializer's type. Ours is the only
/// one that is human-readable outside of the newtype but not within.
struct Inner<'a> {
    text: &'a str,
    readable: bool,
}

impl Serialize for Inner<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.readable && !serializer.is_human_readable() {
            return serializer.serialize_str(self.text);
        }
        match kind(self.text) {
            Kind::Unsigned(number) => serializer.serialize_u64(number),
            Kind::Signed(number) => serializer.serialize_i64(number),
            Kind::Float(number) => serializer.serialize_f64(number),
            Kind::Beyond => Err(S::Error::custom(format!(
                "`{}` exceeds every number type",
                self.text
            ))),
        }
    }
}
