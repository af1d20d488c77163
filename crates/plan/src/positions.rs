//! Where everything of a YAML text stands, and what of YAML is refused.
//!
//! This pass over the parser's events runs before anything is deserialised. It holds one small record per
//! node, and refuses what could mean two things, or cost more than the text is long.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use crate::scalar::{Plain, classify};
use crate::words::cut;

/// The deepest nesting of lists and mappings.
pub(crate) const MAX_DEPTH: usize = 64;

/// The most values, keys included. A text of 4 MiB can hold 4 million, which would take seconds to read.
const MAX_NODES: usize = 1_000_000;

/// What aliases may make of a text: this many nodes and bytes, plus a multiple of its length.
const ALIAS_ALLOWANCE: u64 = 100_000;

/// The most findings of this pass that are kept.
const MAX_FINDINGS: usize = 200;

/// The number of a node; the nodes are in the order of the text, keys included.
pub(crate) type NodeId = u32;

/// Where the nodes of a text stand.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    nodes: Vec<NodeSpan>,
    /// What stands at an alias: the node it repeats.
    aliases: BTreeMap<NodeId, NodeId>,
    /// The items of long lists: walking them for each lookup would take quadratic time.
    long_lists: BTreeMap<NodeId, Vec<NodeId>>,
    /// The keys of large mappings, for the same reason.
    large_mappings: BTreeMap<NodeId, BTreeMap<String, NodeId>>,
}

/// How many parts a list or mapping has before they get an index.
const INDEXED: usize = 64;

/// One node: its place in characters, and the number of the first node after it and all it holds.
#[derive(Debug, Clone, Copy)]
struct NodeSpan {
    start: u32,
    end: u32,
    next: NodeId,
}

/// Something that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) help: String,
    /// Where, in characters.
    pub(crate) span: Range<usize>,
    /// The first of two equal keys, in characters.
    pub(crate) first: Option<Range<usize>>,
}

impl Refusal {
    fn new(rule: &'static str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
            help: String::new(),
            span,
            first: None,
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl Positions {
    /// Reads the events of `text`.
    pub(crate) fn scan(text: &str) -> Result<Self, Vec<Refusal>> {
        // The parser holds a whole list in brackets before its first event: count before it starts.
        if let Some((at, _)) = text.match_indices(',').nth(MAX_NODES) {
            let at = text[..at].chars().count();
            return Err(vec![too_many(at..at)]);
        }
        let mut pass = Pass::new(text);
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let step = match event {
                Ok((event, span)) => pass.event(event, span),
                Err(error) => Err(syntax(error.info(), *error.marker())),
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
            pass.refusals.push(empty());
        }
        if pass.refusals.is_empty() {
            Ok(pass.positions)
        } else {
            Err(pass.refusals)
        }
    }

    /// The place of a node, in characters.
    pub(crate) fn span(&self, node: NodeId) -> Option<Range<usize>> {
        let span = self.nodes.get(node as usize)?;
        Some(span.start as usize..span.end as usize)
    }

    /// The item number `at` of a list.
    pub(crate) fn item(&self, list: NodeId, at: usize) -> Option<NodeId> {
        match self.long_lists.get(&self.target(list)) {
            Some(items) => items.get(at).copied(),
            None => self.children(list).nth(at),
        }
    }

    /// Key and value of the field `name` of a mapping, which is field number `at` if `at` is given.
    pub(crate) fn field(
        &self,
        mapping: NodeId,
        name: &str,
        at: impl FnOnce() -> Option<usize>,
    ) -> Option<(NodeId, NodeId)> {
        if let Some(keys) = self.large_mappings.get(&self.target(mapping)) {
            let key = *keys.get(name)?;
            return Some((key, self.nodes.get(key as usize)?.next));
        }
        let mut nodes = self.children(mapping).skip(2 * at()?);
        Some((nodes.next()?, nodes.next()?))
    }

    /// The node itself, or what it repeats.
    fn target(&self, node: NodeId) -> NodeId {
        self.aliases.get(&node).copied().unwrap_or(node)
    }

    /// The nodes a node holds: items, or keys and values by turns. An alias holds what it repeats.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let target = self.target(node);
        let end = self.nodes.get(target as usize).map_or(0, |span| span.next);
        let mut at = target.saturating_add(1);
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.nodes.get(child as usize)?.next;
            Some(child)
        })
    }
}

fn syntax(info: &str, mark: Marker) -> Refusal {
    let at = mark.index();
    let message = format!("this is not YAML: {info}");
    if info.contains("recursion limit") {
        return too_deep(at..at);
    }
    let refusal = Refusal::new("yaml-syntax", at..at, message);
    if info.contains("tab") {
        return refusal.help("indent with spaces: YAML does not allow tabs there");
    }
    refusal.help("look at this line and the one before: indentation, quotes, brackets and colons")
}

fn too_deep(span: Range<usize>) -> Refusal {
    let message = format!("lists and mappings are nested more than {MAX_DEPTH} deep");
    Refusal::new("yaml-depth", span, message).help("flatten the document")
}

fn too_many(span: Range<usize>) -> Refusal {
    let message = format!("the document holds more than {MAX_NODES} values");
    Refusal::new("document-size", span, message)
        .help("split it, or keep data in files that steps read")
}

fn empty() -> Refusal {
    Refusal::new("yaml-empty", 0..0, "the document is empty")
        .help("start it with `schema_version: 1`")
}

/// A list or mapping whose end has not come yet.
struct Open<'t> {
    node: NodeId,
    anchor: usize,
    /// How many nodes and bytes it holds, with aliases expanded.
    weight: u64,
    /// How deep it is below itself.
    height: usize,
    /// Where the last thing it holds ends.
    last_end: u32,
    /// The items so far, if it is a list.
    items: Vec<NodeId>,
    /// The keys so far, if it is a mapping.
    keys: Option<BTreeMap<Cow<'t, str>, NodeId>>,
    /// Whether the next node of a mapping is a key.
    at_key: bool,
}

/// What is known of an anchor once its node has ended.
struct Anchor {
    node: NodeId,
    weight: u64,
    height: usize,
}

struct Pass<'t> {
    positions: Positions,
    open: Vec<Open<'t>>,
    anchors: BTreeMap<usize, Anchor>,
    refusals: Vec<Refusal>,
    documents: usize,
    max_weight: u64,
}

type Step = Result<(), Refusal>;

impl<'t> Pass<'t> {
    fn new(text: &str) -> Self {
        Self {
            positions: Positions::default(),
            open: Vec::new(),
            anchors: BTreeMap::new(),
            refusals: Vec::new(),
            documents: 0,
            max_weight: ALIAS_ALLOWANCE + 4 * text.len() as u64,
        }
    }

    fn event(&mut self, event: Event<'t>, span: Span) -> Step {
        let at = span.start.index()..span.end.index();
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => self.document(at),
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), &at);
                self.scalar(text, style, anchor, at)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(tag.is_some(), &at);
                self.start(anchor, None, at)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(tag.is_some(), &at);
                self.start(anchor, Some(BTreeMap::new()), at)
            }
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

    fn refuse_tag(&mut self, tagged: bool, at: &Range<usize>) {
        if tagged {
            let refusal = Refusal::new("yaml-tag", at.clone(), "tags (`!…`) are not supported");
            self.refusals
                .push(refusal.help("remove the tag; to keep a value a text, put it in quotes"));
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        anchor: usize,
        at: Range<usize>,
    ) -> Step {
        let plain = match style {
            ScalarStyle::Plain => classify(&text),
            _ => Plain::Text,
        };
        let weight = 1 + text.len() as u64;
        let node = self.push(&at)?;
        if self.at_key() {
            self.key(text, style, plain, node, at);
        } else if plain == Plain::Unrepresentable {
            let refusal = Refusal::new(
                "yaml-number",
                at,
                format!("`{}` is not a number JSON can hold", cut(&text)),
            );
            self.refusals
                .push(refusal.help("write a finite number within 64 bits, or put it in quotes"));
        }
        if anchor != 0 {
            let height = 0;
            self.anchors.insert(
                anchor,
                Anchor {
                    node,
                    weight,
                    height,
                },
            );
        }
        self.placed(node, weight, 0)
    }

    fn key(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        plain: Plain,
        node: NodeId,
        at: Range<usize>,
    ) {
        if plain != Plain::Text {
            let shown = if text.is_empty() {
                "nothing".to_owned()
            } else {
                format!("`{}`", cut(&text))
            };
            let message = format!("a key must be a text, and {shown} is none");
            self.refusals
                .push(Refusal::new("yaml-key", at, message).help("put the key in quotes"));
            return;
        }
        if text == "<<" && style == ScalarStyle::Plain {
            let refusal = Refusal::new("yaml-merge", at, "merge keys (`<<`) are not supported");
            self.refusals.push(refusal.help("write the keys out"));
            return;
        }
        let Some(keys) = self.open.last_mut().and_then(|open| open.keys.as_mut()) else {
            return;
        };
        if let Some(first) = keys.get(&text) {
            let message = format!("the key `{}` stands here a second time", cut(&text));
            let mut refusal = Refusal::new("yaml-duplicate-key", at, message)
                .help("remove one of the two, or rename it");
            refusal.first = self.positions.span(*first);
            self.refusals.push(refusal);
        } else {
            keys.insert(text, node);
        }
    }

    fn start(
        &mut self,
        anchor: usize,
        keys: Option<BTreeMap<Cow<'t, str>, NodeId>>,
        at: Range<usize>,
    ) -> Step {
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(at));
        }
        self.refuse_compound_key(&at)?;
        let node = self.push(&at)?;
        self.open.push(Open {
            node,
            anchor,
            weight: 1,
            height: 0,
            last_end: 0,
            items: Vec::new(),
            at_key: keys.is_some(),
            keys,
        });
        Ok(())
    }

    fn end(&mut self, end: usize) -> Step {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let next = clamp(self.positions.nodes.len());
        let span = &mut self.positions.nodes[open.node as usize];
        // The parser ends a block only at the next token; what it holds ends earlier.
        let flow = span.end > span.start;
        span.end = if flow || open.last_end == 0 {
            clamp(end).max(span.start)
        } else {
            open.last_end
        };
        span.next = next;
        if open.items.len() > INDEXED {
            self.positions.long_lists.insert(open.node, open.items);
        }
        if let Some(keys) = open.keys.filter(|keys| keys.len() > INDEXED) {
            let keys = keys.into_iter().map(|(key, node)| (key.into_owned(), node));
            self.positions
                .large_mappings
                .insert(open.node, keys.collect());
        }
        if open.anchor != 0 {
            let anchor = Anchor {
                node: open.node,
                weight: open.weight,
                height: open.height,
            };
            self.anchors.insert(open.anchor, anchor);
        }
        self.placed(open.node, open.weight, open.height)
    }

    fn alias(&mut self, anchor: usize, at: Range<usize>) -> Step {
        self.refuse_compound_key(&at)?;
        let Some(Anchor {
            node: target,
            weight,
            height,
        }) = self.anchors.get(&anchor)
        else {
            let refusal =
                Refusal::new("yaml-alias", at, "this alias stands inside what it repeats");
            return Err(refusal.help("write the value out"));
        };
        let (target, weight, height) = (*target, *weight, *height);
        if self.open.len() + height > MAX_DEPTH {
            return Err(too_deep(at));
        }
        let node = self.push(&at)?;
        self.positions.aliases.insert(node, target);
        self.placed(node, weight, height)
    }

    /// A key that is a list, a mapping or an alias.
    fn refuse_compound_key(&self, at: &Range<usize>) -> Step {
        if !self.at_key() {
            return Ok(());
        }
        let refusal = Refusal::new("yaml-key", at.clone(), "a key must be a plain text");
        Err(refusal.help("write the key as a word or in quotes"))
    }

    fn at_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.at_key)
    }

    fn push(&mut self, at: &Range<usize>) -> Result<NodeId, Refusal> {
        let node = clamp(self.positions.nodes.len());
        if self.positions.nodes.len() >= MAX_NODES {
            return Err(too_many(at.clone()));
        }
        self.positions.nodes.push(NodeSpan {
            start: clamp(at.start),
            end: clamp(at.end),
            next: node.saturating_add(1),
        });
        Ok(node)
    }

    /// A node has ended: its weight and height count for what holds it.
    fn placed(&mut self, node: NodeId, weight: u64, height: usize) -> Step {
        let span = self.positions.span(node).unwrap_or(0..0);
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        open.weight = open.weight.saturating_add(weight);
        open.height = open.height.max(height + 1);
        open.last_end = clamp(span.end);
        if open.keys.is_none() {
            open.items.push(node);
        }
        open.at_key = open.keys.is_some() && !open.at_key;
        if open.weight <= self.max_weight {
            return Ok(());
        }
        let refusal = Refusal::new("yaml-alias", span, "the aliases repeat too much");
        Err(refusal.help("write the values out, or repeat less"))
    }
}

fn clamp(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
