//! Converts parser events to nodes.
//!
//! This pass only needs a small record per node. It rejects ambiguous text, and text with a cost
//! far beyond its length (through aliases or deep nesting), before we build any value.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Number;

use super::scalar::{Scalar, resolve};
use super::yaml_refusal::Refusal;
use super::{ALIAS_ALLOWANCE, MAX_DEPTH, MAX_FINDINGS, MAX_NODES};
use crate::document::positions::{BYTES_A_NODE, INDEXED, NodeId, NodeSpan, Positions};
use crate::quote::cut;

pub(super) struct Nodes<'t> {
    pub(super) positions: Positions,
    pub(super) contents: Vec<Content<'t>>,
}

#[derive(Debug)]
pub(super) enum Content<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    /// A list with its number of items.
    List(usize),
    /// A mapping with its number of fields.
    Mapping(usize),
    /// A copy of another node.
    Alias(NodeId),
}

impl<'t> Nodes<'t> {
    pub(super) fn read(text: &'t str) -> Result<Self, Vec<Refusal>> {
        // The parser buffers a whole flow list before its first event, so we have to count values
        // before parsing. Each comma stands for at least one of them.
        if let Some(at) = memchr::memchr_iter(b',', text.as_bytes()).nth(MAX_NODES) {
            let at = text[..at].chars().count();
            return Err(vec![Refusal::too_many(at..at)]);
        }
        let mut pass = Pass::new(text);
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let step = match event {
                Ok((event, span)) => pass.event(event, span),
                Err(error) => Err(Refusal::syntax(&error)),
            };
            if let Err(fatal) = step {
                pass.refusals.push(fatal);
                break;
            }
            if pass.refusals.len() >= MAX_FINDINGS {
                break;
            }
        }
        if pass.documents == 0 && pass.refusals.is_empty() {
            pass.refusals.push(Refusal::empty());
        }
        if pass.refusals.is_empty() {
            Ok(pass.nodes)
        } else {
            Err(pass.refusals)
        }
    }
}

struct Open {
    node: NodeId,
    anchor: usize,
    weight: Weight,
    /// The end of the last child, or 0 if there are no children yet.
    last_end: u32,
    /// The number of direct children, in which keys count as well.
    parts: usize,
    mapping: bool,
}

impl Open {
    fn at_key(&self) -> bool {
        self.mapping && self.parts.is_multiple_of(2)
    }
}

/// The size that a node will have once its aliases are expanded.
#[derive(Debug, Clone, Copy)]
struct Weight {
    nodes: usize,
    /// Nodes plus bytes.
    size: usize,
    height: usize,
}

impl Weight {
    fn node(bytes: usize) -> Self {
        Self {
            nodes: 1,
            size: 1 + bytes,
            height: 0,
        }
    }

    fn add(&mut self, part: Self) {
        self.nodes = self.nodes.saturating_add(part.nodes);
        self.size = self.size.saturating_add(part.size);
        self.height = self.height.max(part.height + 1);
    }
}

struct Pass<'t> {
    text: &'t str,
    /// In ASCII text, we can use the parser's character offsets as byte offsets.
    ascii: bool,
    nodes: Nodes<'t>,
    open: Vec<Open>,
    /// Anchors with a complete node. An alias inside of its own anchor therefore isn't found here.
    anchors: BTreeMap<usize, (NodeId, Weight)>,
    refusals: Vec<Refusal>,
    documents: usize,
    max_size: usize,
}

type Step = Result<(), Refusal>;

impl<'t> Pass<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            ascii: text.is_ascii(),
            nodes: Nodes {
                positions: Positions::for_text(text),
                contents: Vec::with_capacity(text.len() / BYTES_A_NODE),
            },
            open: Vec::new(),
            anchors: BTreeMap::new(),
            refusals: Vec::new(),
            documents: 0,
            // Real documents repeat little: four times the text's length is plenty.
            max_size: ALIAS_ALLOWANCE + 4 * text.len(),
        }
    }

    fn event(&mut self, event: Event<'t>, span: Span) -> Step {
        let at = span.start.index()..span.end.index();
        // Don't stop here. The user may want to know about all tags at once.
        if let Event::Scalar(_, _, _, Some(tag))
        | Event::SequenceStart(_, Some(tag))
        | Event::MappingStart(_, Some(tag)) = &event
        {
            self.refusals.push(Refusal::tag(tag, at.clone()));
        }
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => self.document(at),
            Event::Scalar(text, style, anchor, _) => self.scalar(text, style, anchor, &at),
            Event::SequenceStart(anchor, _) => self.start(anchor, false, at),
            Event::MappingStart(anchor, _) => self.start(anchor, true, at),
            Event::SequenceEnd | Event::MappingEnd => self.end(at.end),
            Event::Alias(anchor) => self.alias(anchor, at),
        }
    }

    fn document(&mut self, at: Range<usize>) -> Step {
        self.documents += 1;
        if self.documents > 1 {
            let refusal = Refusal::new("yaml-documents", at, "a second document starts here");
            return Err(refusal.help("keep one document in a file: remove the `---` between them"));
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        anchor: usize,
        at: &Range<usize>,
    ) -> Step {
        let is_plain = style == ScalarStyle::Plain;
        let scalar = match is_plain {
            true => resolve(&text),
            false => Scalar::Text,
        };
        let weight = Weight::node(text.len());
        if self.at_key() {
            self.key(&text, &scalar, text == "<<" && is_plain, at);
        } else if scalar == Scalar::Unrepresentable {
            let message = format!("`{}` is not a number JSON can hold", cut(&text));
            let refusal = Refusal::new("yaml-number", at.clone(), message)
                .help("write a finite number within 64 bits, or put it in quotes");
            self.refusals.push(refusal);
        }
        // With a refusal, the value doesn't matter anymore.
        let content = match scalar {
            Scalar::Null | Scalar::Unrepresentable => Content::Null,
            Scalar::Bool(bool) => Content::Bool(bool),
            Scalar::Number(number) => Content::Number(number),
            Scalar::Text => Content::Text(self.shrunk(text, at)),
        };
        let node = self.push(content, at)?;
        self.placed(node, anchor, weight)
    }

    /// Reduces the memory for a scalar.
    ///
    /// The parser's buffers are often several times too large, so we shrink them, or borrow from
    /// the text if the scalar is written there as it is.
    fn shrunk(&self, scalar: Cow<'t, str>, at: &Range<usize>) -> Cow<'t, str> {
        let written = self.ascii.then(|| self.text.get(at.clone())).flatten();
        match (scalar, written) {
            (Cow::Owned(scalar), Some(written)) if scalar == written => Cow::Borrowed(written),
            (Cow::Owned(mut scalar), _) => {
                scalar.shrink_to_fit();
                Cow::Owned(scalar)
            }
            (scalar, _) => scalar,
        }
    }

    /// Rejects merge keys and keys that aren't strings.
    fn key(&mut self, text: &str, scalar: &Scalar, merges: bool, at: &Range<usize>) {
        let refusal = if *scalar != Scalar::Text {
            let shown = if text.is_empty() {
                "nothing".to_owned()
            } else {
                format!("`{}`", cut(text))
            };
            let message = format!("a key must be a string, found {shown}");
            Refusal::new("yaml-key", at.clone(), message).help("put the key in quotes")
        } else if merges {
            let message = "merge keys (`<<`) are not supported";
            Refusal::new("yaml-merge", at.clone(), message).help("write the keys out")
        } else {
            return;
        };
        self.refusals.push(refusal);
    }

    fn start(&mut self, anchor: usize, mapping: bool, at: Range<usize>) -> Step {
        if self.open.len() >= MAX_DEPTH {
            return Err(Refusal::too_deep(at));
        }
        self.refuse_compound_key(&at)?;
        let content = if mapping {
            Content::Mapping(0)
        } else {
            Content::List(0)
        };
        let node = self.push(content, &at)?;
        self.open.push(Open {
            node,
            anchor,
            weight: Weight::node(0),
            last_end: 0,
            parts: 0,
            mapping,
        });
        Ok(())
    }

    fn end(&mut self, end: usize) -> Step {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let positions = &mut self.nodes.positions;
        let next = clamp(positions.nodes.len());
        let span = &mut positions.nodes[open.node as usize];
        // The parser only ends a block at the next token, after comments and empty lines. Use the
        // end of the last child for a block. A list in brackets has a range from the start, and we
        // trust its end.
        let flow = span.end > span.start;
        span.end = if flow || open.last_end == 0 {
            clamp(end).max(span.start)
        } else {
            open.last_end
        };
        span.next = next;
        self.nodes.contents[open.node as usize] = if open.mapping {
            Content::Mapping(open.parts / 2)
        } else {
            if open.parts > INDEXED {
                let items = positions.children(open.node).collect();
                positions.long_lists.insert(open.node, items);
            }
            Content::List(open.parts)
        };
        self.placed(open.node, open.anchor, open.weight)
    }

    fn alias(&mut self, anchor: usize, at: Range<usize>) -> Step {
        self.refuse_compound_key(&at)?;
        let Some((target, weight)) = self.anchors.get(&anchor).copied() else {
            let refusal = Refusal::new(
                "yaml-alias",
                at,
                "this alias is inside the value it repeats",
            );
            return Err(refusal.help("write the value out"));
        };
        // The depth of the document plus that of the repeated value.
        if self.open.len() + weight.height > MAX_DEPTH {
            return Err(Refusal::too_deep(at));
        }
        let node = self.push(Content::Alias(target), &at)?;
        self.nodes.positions.aliases.push((node, target));
        self.placed(node, 0, weight)
    }

    /// Rejects a list, mapping or alias in the place of a key.
    ///
    /// There's no way to continue after that.
    fn refuse_compound_key(&self, at: &Range<usize>) -> Step {
        if !self.at_key() {
            return Ok(());
        }
        let refusal = Refusal::new("yaml-key", at.clone(), "a key must be a plain string");
        Err(refusal.help("write the key as a word or in quotes"))
    }

    fn at_key(&self) -> bool {
        self.open.last().is_some_and(Open::at_key)
    }

    fn push(&mut self, content: Content<'t>, at: &Range<usize>) -> Result<NodeId, Refusal> {
        let nodes = &mut self.nodes.positions.nodes;
        if nodes.len() >= MAX_NODES {
            return Err(Refusal::too_many(at.clone()));
        }
        let node = clamp(nodes.len());
        nodes.push(NodeSpan {
            start: clamp(at.start),
            end: clamp(at.end),
            next: node.saturating_add(1),
        });
        self.nodes.contents.push(content);
        Ok(node)
    }

    /// Completes a node. From here on, aliases may repeat it, and its weight counts towards the
    /// node around it.
    fn placed(&mut self, node: NodeId, anchor: usize, weight: Weight) -> Step {
        if anchor != 0 {
            self.anchors.insert(anchor, (node, weight));
        }
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        let span = self.nodes.positions.span(node).unwrap_or(0..0);
        open.weight.add(weight);
        open.last_end = clamp(span.end);
        open.parts += 1;
        if open.weight.nodes > MAX_NODES || open.weight.size > self.max_size {
            return Err(Refusal::too_repetitive(span));
        }
        Ok(())
    }
}

fn clamp(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
