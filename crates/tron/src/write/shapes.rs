//! The shape of an object is the list of its keys: both `{"a":1,"b":2}` and `{"a":3,"b":4}` have
//! the shape `a,b`.
//!
//! Shapes are paths in a tree with a key on each edge. We follow one edge for each key of an object
//! to find its shape, so there is no need to collect its keys first.

use std::collections::BTreeMap;

use super::quote::quote;
use crate::scan::is_plain_name;

pub(crate) struct Shapes {
    nodes: Vec<Node>,
    keys: Vec<Key>,
    ids: BTreeMap<Box<str>, usize>,
    /// The edges that are not in `Node::next`, from node and key to node.
    edges: BTreeMap<(usize, usize), usize>,
}

struct Node {
    parent: usize,
    key: usize,
    depth: usize,
    /// The first few children. Any others are in `Shapes::edges`.
    next: Vec<usize>,
}

pub(crate) struct Key {
    pub(crate) raw: Box<str>,
    /// The key as a JSON string, including its quotes.
    pub(crate) quoted: Box<str>,
    /// True if the key does not need quotes in a class.
    pub(crate) is_plain: bool,
}

/// Maximum number of children to search one by one. After most keys, there are only a few that can
/// follow.
const MAX_LINEAR: usize = 8;

pub(crate) const EMPTY: usize = 0;

impl Default for Shapes {
    fn default() -> Self {
        let root = Node {
            parent: EMPTY,
            key: 0,
            depth: 0,
            next: Vec::new(),
        };
        Self {
            nodes: vec![root],
            keys: Vec::new(),
            ids: BTreeMap::new(),
            edges: BTreeMap::new(),
        }
    }
}

impl Shapes {
    /// The shape of `shape` with `key` added at the end.
    #[inline]
    pub(crate) fn step(&mut self, shape: usize, key: &str) -> usize {
        for next in &self.nodes[shape].next {
            if *self.keys[self.nodes[*next].key].raw == *key {
                return *next;
            }
        }
        self.new_step(shape, key)
    }

    fn new_step(&mut self, shape: usize, key: &str) -> usize {
        let id = match self.ids.get(key) {
            Some(id) => *id,
            None => self.new_key(key),
        };
        if let Some(next) = self.edges.get(&(shape, id)) {
            return *next;
        }
        let new = self.nodes.len();
        let depth = self.nodes[shape].depth + 1;
        self.nodes.push(Node {
            parent: shape,
            key: id,
            depth,
            next: Vec::new(),
        });
        let next = &mut self.nodes[shape].next;
        if next.len() < MAX_LINEAR {
            next.push(new);
        } else {
            self.edges.insert((shape, id), new);
        }
        new
    }

    fn new_key(&mut self, key: &str) -> usize {
        let mut quoted = String::with_capacity(key.len() + 2);
        quote(key, &mut quoted);
        self.keys.push(Key {
            raw: key.into(),
            quoted: quoted.into(),
            is_plain: is_plain_name(key),
        });
        let id = self.keys.len() - 1;
        self.ids.insert(key.into(), id);
        id
    }

    pub(crate) fn key(&self, id: usize) -> &Key {
        &self.keys[id]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn count(&self, shape: usize) -> usize {
        self.nodes[shape].depth
    }

    pub(crate) fn keys(&self, shape: usize) -> Vec<usize> {
        let mut keys = Vec::with_capacity(self.nodes[shape].depth);
        let mut at = shape;
        while at != EMPTY {
            keys.push(self.nodes[at].key);
            at = self.nodes[at].parent;
        }
        keys.reverse();
        keys
    }
}
