//! Shapes of objects. A shape is an object's ordered list of keys: `{"a":1,"b":2}` and
//! `{"a":3,"b":4}` share the shape `a,b`. We store shapes as paths in a tree whose branches are
//! keys, so finding an object's shape needs one lookup per key.

use std::collections::BTreeMap;

use super::quote::quote;
use crate::scan::is_plain_name;

pub(crate) struct Shapes {
    nodes: Vec<Node>,
    keys: Vec<Key>,
    ids: BTreeMap<Box<str>, usize>,
    /// Edges of nodes with many branches, from (node, key) to node.
    edges: BTreeMap<(usize, usize), usize>,
}

struct Node {
    parent: usize,
    key: usize,
    /// Number of keys on the path from the root.
    depth: usize,
    /// The first few child nodes. Further ones are in `edges`.
    next: Vec<usize>,
}

pub(crate) struct Key {
    pub(crate) raw: Box<str>,
    /// The key in JSON notation, with its quotation marks.
    pub(crate) quoted: Box<str>,
    /// True if a class can list the key without quotes.
    pub(crate) is_plain: bool,
}

/// Maximum number of branches we search one by one.
const MAX_LINEAR: usize = 8;

/// Shape of an object without members.
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
    /// Returns the shape `shape` with `key` added.
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

    /// Returns the number of shapes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of keys in a shape.
    pub(crate) fn count(&self, shape: usize) -> usize {
        self.nodes[shape].depth
    }

    /// Returns the keys of a shape, in order.
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
