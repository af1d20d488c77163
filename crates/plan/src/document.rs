mod json_document;
mod toml_document;

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::{Diagnostics, Place, Source};

use crate::yaml::{self, NodeId, Positions};

/// A document that was read: its value, and where each part of it stands.
#[derive(Debug)]
pub struct Document {
    value: Value,
    positions: Positions,
    offsets: Offsets,
    source: Arc<Source>,
}

impl Document {
    /// Reads the document called `name`: JSON if the name ends with `.json`, otherwise YAML.
    ///
    /// # Errors
    /// When it is not JSON or YAML, or uses what is refused: more than 4 MiB, nesting deeper than 64, tags
    /// beyond the core schema, merge keys, duplicate keys, keys that are no texts, numbers JSON cannot hold, several documents, aliases
    /// that repeat too much.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match name.ends_with(".json") {
            true => json_document::parse(name, bytes),
            false => yaml::parse(name, bytes),
        }
    }

    /// Reads the TOML document called `name`. Dates and times are kept as texts.
    ///
    /// # Errors
    /// When it is no TOML, has more than 4 MiB or a million values, or numbers JSON cannot hold.
    pub fn parse_toml(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        toml_document::parse(name, bytes)
    }

    /// The text at the top-level field `field` of the document `bytes`, read only as far as that; where it is no text
    /// by itself (an alias, a tag), there is none.
    #[must_use]
    pub fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
        yaml::text_of_field(bytes, field)
    }

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

    /// The value; the keys of mappings are in the order of the text.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The whole document as a node.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node {
            document: self,
            value: &self.value,
            node: 0,
            key: None,
        }
    }

    /// The node a JSON pointer (RFC 6901) leads to.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<Node<'_>> {
        let mut node = self.root();
        for token in crate::pointer::tokens(pointer)? {
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
    /// Its value.
    #[must_use]
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// Where its value stands.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.place(self.node)
    }

    /// Where its key stands; its value, if it has no key.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.document.place(self.key.unwrap_or(self.node))
    }

    /// The field or item called `token`.
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
                let at = crate::pointer::index(token)?;
                let value = items.get(at)?;
                let node = self.document.positions.item(self.node, at)?;
                Some(self.child(value, node, None))
            }
            _ => None,
        }
    }

    /// Follows `path` as far as it leads.
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

    /// The names and values of a mapping, in the order of the text; none of anything else.
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

    /// The items of a list; none of anything else.
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

/// From characters, as the parser counts, to bytes of the text.
#[derive(Debug)]
pub(crate) struct Offsets {
    /// Bytes before the first character the parser saw.
    skipped: usize,
    /// The byte of each 256th character; empty where a character is a byte.
    marks: Vec<u32>,
}

/// How many characters lie between two marks.
const STRIDE: usize = 256;

impl Offsets {
    /// For a parser that counts in bytes.
    pub(crate) fn in_bytes() -> Self {
        Self {
            skipped: 0,
            marks: Vec::new(),
        }
    }

    /// For the part of `text` after its first `skipped` bytes.
    pub(crate) fn new(text: &str, skipped: usize) -> Self {
        let text = &text[skipped..];
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let every = text.char_indices().step_by(STRIDE);
            marks.extend(every.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)));
        }
        Self { skipped, marks }
    }

    /// The bytes of some characters, without white space at the end.
    pub(crate) fn bytes(&self, text: &str, span: Range<usize>) -> Range<usize> {
        let start = self.byte(text, span.start);
        let end = self.byte(text, span.end).max(start);
        let length = text.get(start..end).map_or(0, |text| text.trim_end().len());
        start..start + length
    }

    fn byte(&self, text: &str, at: usize) -> usize {
        if self.marks.is_empty() {
            return (self.skipped + at).min(text.len());
        }
        let Some(mark) = self.marks.get(at / STRIDE) else {
            return text.len();
        };
        let from = self.skipped + *mark as usize;
        let rest = text.get(from..).unwrap_or("");
        let nth = rest.char_indices().nth(at % STRIDE);
        nth.map_or(text.len(), |(offset, _)| from + offset)
    }
}
