use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};

/// The struct name that [`Located`] passes to [`NodeReader`](super::node_reader::NodeReader) to ask
/// for the position of a value.
///
/// Other deserializers don't know the name.
pub(super) const LOCATED: &str = "$located";

/// A value with its byte range in the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(LOCATED, Parts(PhantomData))
    }
}

struct Parts<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
    type Value = Located<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part of a document")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Located<T>, A::Error> {
        let missing = || A::Error::custom("missing place of a value");
        Ok(Located {
            start: parts.next_element()?.ok_or_else(missing)?,
            end: parts.next_element()?.ok_or_else(missing)?,
            value: parts.next_element()?.ok_or_else(missing)?,
        })
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
