//! Documents as trees of values with positions.

use std::sync::Arc;

use serde_json::Value;
use windlass_base::{Place, Source};

use super::json_pointer;
use super::offsets::Offsets;
use super::positions::{NodeId, Positions};

/// A parsed document: its value, with the position of each part.
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

    /// Returns the document's value. Mappings keep their keys in text order.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the source text.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the root node.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node {
            document: self,
            value: &self.value,
            node: 0,
            key: None,
        }
    }

    /// Returns the node at `path`, a JSON pointer (RFC 6901).
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
    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// Returns the value's position.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.place(self.node)
    }

    /// Returns the position of the node's key, or of its value if it has no key.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.document.place(self.key.unwrap_or(self.node))
    }

    /// Returns the field or list item `token`.
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

    /// Follows `path` as far as it exists, and returns the last node found.
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

    /// Iterates over a mapping's fields in text order. Other values have none.
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

    /// Iterates over a list's items. Other values have none.
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
