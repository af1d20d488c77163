//! Builds values from nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::MAX_FINDINGS;
use super::yaml_events::{Content, Nodes};
use super::yaml_refusal::Refusal;
use crate::document::positions::{INDEXED, NodeId, Positions};
use crate::quote::cut;

pub(super) fn build(nodes: Nodes<'_>) -> Result<(Value, Positions), Vec<Refusal>> {
    let mut builder = Builder {
        once: nodes.positions.aliases.is_empty(),
        repeating: 0,
        nodes,
        refusals: Vec::new(),
    };
    let value = builder.value(0);
    if builder.refusals.is_empty() {
        Ok((value, builder.nodes.positions))
    } else {
        Err(builder.refusals)
    }
}

struct Builder<'t> {
    nodes: Nodes<'t>,
    /// True if each node is used only once, i.e. there are no aliases.
    ///
    /// We can then move the texts instead of copying them.
    once: bool,
    /// The number of aliases around the current node.
    ///
    /// If there are any, we report and index nothing, since the node was already visited.
    repeating: usize,
    refusals: Vec<Refusal>,
}

impl Builder<'_> {
    /// Recursion is safe here, because the depth was checked when the nodes were read.
    fn value(&mut self, node: NodeId) -> Value {
        match self.nodes.contents.get(node as usize) {
            None | Some(Content::Null) => Value::Null,
            Some(Content::Bool(bool)) => Value::Bool(*bool),
            Some(Content::Number(number)) => Value::Number(number.clone()),
            Some(Content::Text(_)) => Value::String(self.text(node)),
            Some(Content::List(length)) => {
                let mut items = Vec::with_capacity(*length);
                let mut at = node + 1;
                for _ in 0..*length {
                    items.push(self.value(at));
                    at = self.next(at);
                }
                Value::Array(items)
            }
            Some(Content::Mapping(length)) => Value::Object(self.mapping(node, *length)),
            Some(Content::Alias(target)) => {
                let target = *target;
                self.repeating += 1;
                let value = self.value(target);
                self.repeating -= 1;
                value
            }
        }
    }

    fn mapping(&mut self, node: NodeId, length: usize) -> Map<String, Value> {
        let mut fields = Map::with_capacity(length);
        let mut keys = Vec::with_capacity(length);
        let mut repeated = Vec::new();
        let mut at = node + 1;
        for _ in 0..length {
            let (key, name) = (at, self.text(at));
            at = self.next(key);
            let value = self.value(at);
            at = self.next(at);
            match fields.entry(name) {
                Entry::Vacant(vacant) => {
                    keys.push(key);
                    vacant.insert(value);
                }
                Entry::Occupied(occupied) => {
                    if self.repeating == 0 && repeated.len() < self.findings_left() {
                        repeated.push((occupied.key().clone(), key));
                    }
                }
            }
        }
        if !repeated.is_empty() {
            let first: BTreeMap<&String, NodeId> =
                fields.keys().zip(keys.iter().copied()).collect();
            for (name, key) in repeated.iter().take(self.findings_left()) {
                self.duplicate(name, *key, first.get(name).copied());
            }
        }
        if length > INDEXED && self.repeating == 0 {
            let index = fields.keys().cloned().zip(keys).collect();
            self.nodes.positions.large_mappings.insert(node, index);
        }
        fields
    }

    fn findings_left(&self) -> usize {
        MAX_FINDINGS.saturating_sub(self.refusals.len())
    }

    fn duplicate(&mut self, name: &str, key: NodeId, first: Option<NodeId>) {
        let span = |node| self.nodes.positions.span(node);
        let message = format!("duplicate key `{}`", cut(name));
        let mut refusal = Refusal::new("yaml-duplicate-key", span(key).unwrap_or(0..0), message)
            .help("remove one of the two, or rename it");
        refusal.first = first.and_then(span);
        self.refusals.push(refusal);
    }

    /// Takes the text of a key or value.
    ///
    /// A node that isn't a text gives an empty string. That only happens for keys, which are
    /// refused anyway.
    fn text(&mut self, node: NodeId) -> String {
        match self.nodes.contents.get_mut(node as usize) {
            Some(Content::Text(text)) if self.once => std::mem::take(text).into_owned(),
            Some(Content::Text(text)) => Cow::clone(text).into_owned(),
            _ => String::new(),
        }
    }

    fn next(&self, node: NodeId) -> NodeId {
        self.nodes.positions.next(node).unwrap_or(node)
    }
}
