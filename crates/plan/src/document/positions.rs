use std::collections::BTreeMap;
use std::ops::Range;

/// A node's index in text order. Keys are nodes too.
pub(crate) type NodeId = u32;

/// Number of parts above which we index a list or mapping. We search shorter ones linearly.
pub(super) const INDEXED: usize = 64;

/// The positions of all nodes in a text.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    pub(super) nodes: Vec<NodeSpan>,
    /// Alias nodes with their targets, sorted.
    pub(super) aliases: Vec<(NodeId, NodeId)>,
    /// Items of long lists, for looking them up without walking the list.
    pub(super) long_lists: BTreeMap<NodeId, Vec<NodeId>>,
    /// Keys of large mappings, for looking them up without walking the mapping.
    pub(super) large_mappings: BTreeMap<NodeId, BTreeMap<String, NodeId>>,
}

/// A node's position in characters, with the index of the first node after its subtree.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeSpan {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: NodeId,
}

/// Assumed number of text bytes per node. We estimate low, so that most of the list is allocated up
/// front.
pub(super) const BYTES_A_NODE: usize = 4;

impl Positions {
    /// Creates an empty list with room for the nodes of `text`.
    pub(super) fn for_text(text: &str) -> Self {
        Self {
            nodes: Vec::with_capacity(text.len() / BYTES_A_NODE),
            ..Self::default()
        }
    }

    /// Adds a node. All nodes added before the matching call to [`Positions::close`] belong to it.
    pub(crate) fn open(&mut self, span: &Range<usize>) -> NodeId {
        let [start, end] = [span.start, span.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let node = self.next_node();
        let next = node + 1;
        self.nodes.push(NodeSpan { start, end, next });
        node
    }

    /// Ends the subtree of `node`, so that later nodes aren't part of it.
    pub(crate) fn close(&mut self, node: NodeId) {
        let next = self.next_node();
        if let Some(span) = self.nodes.get_mut(node as usize) {
            span.next = next;
        }
    }

    /// Returns the index of the next node to be added.
    pub(crate) fn next_node(&self) -> NodeId {
        NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Indexes a list's items if it's long.
    pub(crate) fn index_list(&mut self, list: NodeId, items: Vec<NodeId>) {
        if items.len() > INDEXED {
            self.long_lists.insert(list, items);
        }
    }

    /// Indexes a mapping's keys if it's large.
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

    /// Returns a node's position in characters.
    pub(crate) fn span(&self, node: NodeId) -> Option<Range<usize>> {
        let span = self.nodes.get(node as usize)?;
        Some(span.start as usize..span.end as usize)
    }

    /// Returns the list item with the index `at`.
    pub(crate) fn item(&self, list: NodeId, at: usize) -> Option<NodeId> {
        match self.long_lists.get(&self.target(list)) {
            Some(items) => items.get(at).copied(),
            None => self.children(list).nth(at),
        }
    }

    /// Returns the key and value of the field `name` in a mapping. If the mapping has no index,
    /// calls `at` for the field's number.
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

    /// Returns an alias's target, or else the node itself.
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

    /// Iterates over the direct children: list items, or alternating keys and values. For an alias,
    /// these are its target's children.
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
