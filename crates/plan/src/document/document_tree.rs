//! Documents: trees of values with positions.
//!
//! The values are kept in a plain `serde_json` value, and the positions in a list beside it. A
//! [`Node`] walks through both at the same time, so that callers can go from any value to its
//! position in the text.

use std::sync::Arc;

use serde_json::Value;
use windlass_base::{Place, Source};

use super::json_pointer;
use super::offsets::Offsets;
use super::positions::{NodeId, Positions};

/// A parsed document: its value, and the position of each part.
#[derive(Debug)]
pub struct Document {
    value: Value,
    positions: Positions,
    offsets: Offsets,
    source: Arc<Source>,
}

impl Document {
    pub(crate) fn new(
        value: Value,
        positions: Positions,
        offsets: Offsets,
        source: Arc<Source>,
    ) -> Self {
        Self {
            value,
            positions,
            offsets,
            source,
        }
    }

    /// The value. The keys of mappings are in text order.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The text that all positions refer to.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The node of the whole document. It is the only one without a key or a list around it.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node {
            document: self,
            value: &self.value,
            node: 0,
            key: None,
        }
    }

    /// Looks up a node by its JSON pointer (RFC 6901).
    #[must_use]
    pub fn at(&self, path: &str) -> Option<Node<'_>> {
        let mut node = self.root();
        for token in json_pointer::tokens(path)? {
            node = node.get(&token)?;
        }
        Some(node)
    }

    fn place(&self, node: NodeId) -> Place {
        let span = self.positions.span(node).unwrap_or(0..0);
        Place::new(&self.source, self.offsets.bytes(self.source.text(), span))
    }
}

/// A part of a document.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    value: &'a Value,
    node: NodeId,
    key: Option<NodeId>,
}

impl<'a> Node<'a> {
    /// The value. A `$ref` is not resolved here, so it is just a mapping.
    #[must_use]
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// The position of the value, without the key of a field.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.place(self.node)
    }

    /// The position of the field's key. A node without a key has the position of its value instead.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.document.place(self.key.unwrap_or(self.node))
    }

    /// Looks up a field, or a list item by its index.
    #[must_use]
    pub fn get(&self, token: &str) -> Option<Self> {
        match self.value {
            Value::Object(fields) => {
                let value = fields.get(token)?;
                let at = || fields.keys().position(|key| key == token);
                let (key, node) = self.document.positions.field(self.node, token, at)?;
                Some(self.child(value, node, Some(key)))
            }
            Value::Array(items) => {
                let at = json_pointer::index(token)?;
                let value = items.get(at)?;
                let node = self.document.positions.item(self.node, at)?;
                Some(self.child(value, node, None))
            }
            _ => None,
        }
    }

    /// Follows `path` as far as possible, and returns the last node that exists. That may be this
    /// one.
    #[must_use]
    pub fn nearest<S: AsRef<str>>(&self, path: &[S]) -> Self {
        let mut node = *self;
        for token in path {
            match node.get(token.as_ref()) {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The fields of a mapping in text order. There are none for other values.
    pub fn fields(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let fields = self.value.as_object();
        let mut nodes = self.document.positions.children(self.node);
        fields
            .into_iter()
            .flatten()
            .map_while(move |(name, value)| {
                let (key, node) = (nodes.next()?, nodes.next()?);
                Some((name.as_str(), self.child(value, node, Some(key))))
            })
    }

    /// The items of a list. There are none for other values.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> {
        let items = self.value.as_array().map_or(&[][..], Vec::as_slice);
        let nodes = self.document.positions.children(self.node);
        items
            .iter()
            .zip(nodes)
            .map(move |(value, node)| self.child(value, node, None))
    }

    fn child(&self, value: &'a Value, node: NodeId, key: Option<NodeId>) -> Self {
        Node {
            document: self.document,
            value,
            node,
            key,
        }
    }
}
