//! A Serde deserializer for the nodes of a document. The deserializer of a plain value has no
//! positions, which our messages need.

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};
use windlass_plan::Node;

use super::located_value::LOCATED;

pub(super) struct NodeReader<'de>(pub(super) Node<'de>);

impl<'de> IntoDeserializer<'de, Error> for NodeReader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for NodeReader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.value() {
            Value::Array(_) => visitor.visit_seq(Items(self.0.items())),
            Value::Object(_) => {
                let fields = self.0.fields();
                let fields = fields.map(|(name, node)| (name, NodeReader(node)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
            scalar => scalar.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.value() {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == LOCATED {
            visitor.visit_seq(Parts {
                node: self.0,
                given: 0,
            })
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.value().deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<I>(I);

impl<'de, I: Iterator<Item = Node<'de>>> SeqAccess<'de> for Items<I> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let next = self.0.next();
        next.map(|node| seed.deserialize(NodeReader(node)))
            .transpose()
    }
}

/// Presents a node as a sequence of start, end and value, as [`Located`](super::Located) expects.
struct Parts<'de> {
    node: Node<'de>,
    given: u8,
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.given += 1;
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        match self.given {
            1 => {
                let start = offset(self.node.place().range.start);
                seed.deserialize(start.into_deserializer()).map(Some)
            }
            2 => {
                let end = offset(self.node.place().range.end);
                seed.deserialize(end.into_deserializer()).map(Some)
            }
            3 => seed.deserialize(NodeReader(self.node)).map(Some),
            _ => Ok(None),
        }
    }
}
