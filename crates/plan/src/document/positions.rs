use std::collections::BTreeMap;
use std::ops::Range;

/// Index of a node in text order. Keys are nodes too.
pub(crate) type NodeId = u32;

/// Number of parts above which a list or mapping gets an index. Shorter ones are searched linearly.
pub(super) const INDEXED: usize = 64;

/// Positions of all nodes in a text.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    pub(super) nodes: Vec<NodeSpan>,
    /// Alias nodes with their targets, sorted.
    pub(super) aliases: Vec<(NodeId, NodeId)>,
    /// Items of long lists, so that a lookup need not walk the list.
    pub(super) long_lists: BTreeMap<NodeId, Vec<NodeId>>,
    /// Keys of large mappings, so that a lookup need not walk the mapping.
    pub(super) large_mappings: BTreeMap<NodeId, BTreeMap<String, NodeId>>,
}

/// Position of a node in characters, and the index of the first node after its subtree.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeSpan {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: NodeId,
}

/// Assumed number of text bytes per node. It is a low estimate, so that most of the list is allocated up front.
pub(super) const BYTES_A_NODE: usize = 4;

impl Positions {
    /// Creates an empty list that has room for the nodes of `text`.
    pub(super) fn for_text(text: &str) -> Self {
        Self {
            nodes: Vec::with_capacity(text.len() / BYTES_A_NODE),
            ..Self::default()
        }
    }

    /// Adds a node. It contains all nodes that are added until [`Positions::close`] is called for it.
    pub(crate) fn open(&mut self, span: &Range<usize>) -> NodeId {
        let [start, end] = [span.start, span.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let node = self.next_node();
        let next = node + 1;
        self.nodes.push(NodeSpan { start, end, next });
        node
    }

    /// Ends the subtree of `node`. Nodes added later are not part of it.
    pub(crate) fn close(&mut self, node: NodeId) {
        let next = self.next_node();
        if let Some(span) = self.nodes.get_mut(node as usize) {
            span.next = next;
        }
    }

    /// Returns the index that the next node will get.
    pub(crate) fn next_node(&self) -> NodeId {
        NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Indexes the items of a list if it is long.
    pub(crate) fn index_list(&mut self, list: NodeId, items: Vec<NodeId>) {
        if items.len() > INDEXED {
            self.long_lists.insert(list, items);
        }
    }

    /// Indexes the keys of a mapping if it is large.
    pub(crate) fn index_mapping<'n>(
        &mut self,
        mapping: NodeId,
        names: impl Iterator<Item = &'n String>,
        keys: Vec<NodeId>,
    ) {
        if keys.len() > INDEXED {
            let index = names.cloned().zip(keys).collect();
            self.large_mappings.insert(mapping, index);
        }
    }

    /// Returns the position of a node in characters.
    pub(crate) fn span(&self, node: NodeId) -> Option<Range<usize>> {
        let span = self.nodes.get(node as usize)?;
        Some(span.start as usize..span.end as usize)
    }

    /// Returns the list item with the number `at`.
    pub(crate) fn item(&self, list: NodeId, at: usize) -> Option<NodeId> {
        match self.long_lists.get(&self.target(list)) {
            Some(items) => items.get(at).copied(),
            None => self.children(list).nth(at),
        }
    }

    /// Returns the key and the value of the field `name` in a mapping. `at` is called for the field's number if the
    /// mapping has no index.
    pub(crate) fn field(
        &self,
        mapping: NodeId,
        name: &str,
        at: impl FnOnce() -> Option<usize>,
    ) -> Option<(NodeId, NodeId)> {
        if let Some(keys) = self.large_mappings.get(&self.target(mapping)) {
            let key = *keys.get(name)?;
            return Some((key, self.next(key)?));
        }
        let mut nodes = self.children(mapping).skip(2 * at()?);
        Some((nodes.next()?, nodes.next()?))
    }

    /// Returns the target of an alias, or the node itself.
    fn target(&self, node: NodeId) -> NodeId {
        let found = self
            .aliases
            .binary_search_by_key(&node, |(alias, _)| *alias);
        found.map_or(node, |at| self.aliases[at].1)
    }

    /// Returns the first node after the subtree of `node`.
    pub(super) fn next(&self, node: NodeId) -> Option<NodeId> {
        Some(self.nodes.get(node as usize)?.next)
    }

    /// Iterates over the direct children, which are list items or alternating keys and values. An alias has the
    /// children of its target.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        let target = self.target(node);
        let end = self.next(target).unwrap_or(0);
        let mut at = target.saturating_add(1);
        std::iter::from_fn(move || {
            let child = (at < end).then_some(at)?;
            at = self.next(child)?;
            Some(child)
        })
    }
}
