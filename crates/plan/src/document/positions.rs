use std::collections::BTreeMap;
use std::ops::Range;

/// A node's index in text order. Keys are nodes too.
pub(crate) type NodeId = u32;

/// We build an index for lists and mappings with more parts than this. Walking a shorter one is
/// fast enough.
pub(super) const INDEXED: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Positions {
    pub(super) nodes: Vec<NodeSpan>,
    /// Alias nodes and their targets. They are sorted, since we find aliases in text order.
    pub(super) aliases: Vec<(NodeId, NodeId)>,
    /// The items of long lists. Without them, reading all items of a list by index would take
    /// quadratic time.
    pub(super) long_lists: BTreeMap<NodeId, Vec<NodeId>>,
    /// The keys of large mappings, for the same reason.
    pub(super) large_mappings: BTreeMap<NodeId, BTreeMap<String, NodeId>>,
}

/// A node's range, in characters for YAML and in bytes otherwise.
///
/// `next` is the first node after the subtree, which is enough to walk over the children of any
/// node.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeSpan {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: NodeId,
}

/// The number of bytes of text that we assume for each node.
///
/// It is on the low side, so the list is usually allocated just once.
pub(super) const BYTES_A_NODE: usize = 4;

impl Positions {
    pub(super) fn for_text(text: &str) -> Self {
        Self {
            nodes: Vec::with_capacity(text.len() / BYTES_A_NODE),
            ..Self::default()
        }
    }

    /// Adds a node.
    ///
    /// All nodes added before the matching call to [`Positions::close`] are inside of it.
    pub(crate) fn open(&mut self, span: &Range<usize>) -> NodeId {
        let [start, end] = [span.start, span.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let node = self.next_node();
        let next = node + 1;
        self.nodes.push(NodeSpan { start, end, next });
        node
    }

    pub(crate) fn close(&mut self, node: NodeId) {
        let next = self.next_node();
        if let Some(span) = self.nodes.get_mut(node as usize) {
            span.next = next;
        }
    }

    pub(crate) fn next_node(&self) -> NodeId {
        NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn index_list(&mut self, list: NodeId, items: Vec<NodeId>) {
        if items.len() > INDEXED {
            self.long_lists.insert(list, items);
        }
    }

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

    pub(crate) fn span(&self, node: NodeId) -> Option<Range<usize>> {
        let span = self.nodes.get(node as usize)?;
        Some(span.start as usize..span.end as usize)
    }

    pub(crate) fn item(&self, list: NodeId, at: usize) -> Option<NodeId> {
        match self.long_lists.get(&self.target(list)) {
            Some(items) => items.get(at).copied(),
            None => self.children(list).nth(at),
        }
    }

    /// Returns the key and value of the field `name`.
    ///
    /// We only ask `at` for the number of the field if the mapping has no index.
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

    /// Returns the target of an alias. Any other node is its own target.
    fn target(&self, node: NodeId) -> NodeId {
        let found = self
            .aliases
            .binary_search_by_key(&node, |(alias, _)| *alias);
        found.map_or(node, |at| self.aliases[at].1)
    }

    pub(super) fn next(&self, node: NodeId) -> Option<NodeId> {
        Some(self.nodes.get(node as usize)?.next)
    }

    /// The direct children: either list items, or alternating keys and values.
    ///
    /// An alias has the children of its target.
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
