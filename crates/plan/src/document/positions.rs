use std::collections::BTreeMap;
use std::ops::Range;

/// The number of a node; the nodes are in the order of the text, keys included.
pub(crate) type NodeId = u32;

/// How many parts a list or mapping has before they get an index.
pub(super) const INDEXED: usize = 64;

/// Where the nodes of a text stand.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    pub(super) nodes: Vec<NodeSpan>,
    /// The aliases and the nodes they repeat, sorted.
    pub(super) aliases: Vec<(NodeId, NodeId)>,
    /// The items of long lists: walking them for each lookup would take quadratic time.
    pub(super) long_lists: BTreeMap<NodeId, Vec<NodeId>>,
    /// The keys of large mappings, for the same reason.
    pub(super) large_mappings: BTreeMap<NodeId, BTreeMap<String, NodeId>>,
}

/// One node: its place in characters, and the number of the first node after it and all it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeSpan {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: NodeId,
}

/// A node takes more bytes than this in most texts: with so much room set aside, few have to be moved later.
pub(super) const BYTES_A_NODE: usize = 4;

impl Positions {
    /// With room for the nodes of `text`.
    pub(super) fn for_text(text: &str) -> Self {
        Self {
            nodes: Vec::with_capacity(text.len() / BYTES_A_NODE),
            ..Self::default()
        }
    }

    /// Adds a node that holds what is added until it is closed.
    pub(crate) fn open(&mut self, span: &Range<usize>) -> NodeId {
        let [start, end] = [span.start, span.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let node = self.next_node();
        let next = node + 1;
        self.nodes.push(NodeSpan { start, end, next });
        node
    }

    /// Says that `node` holds no more than what was added by now.
    pub(crate) fn close(&mut self, node: NodeId) {
        let next = self.next_node();
        if let Some(span) = self.nodes.get_mut(node as usize) {
            span.next = next;
        }
    }

    /// The number of the node that is added next.
    pub(crate) fn next_node(&self) -> NodeId {
        NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Notes the items of a list, if it is long.
    pub(crate) fn index_list(&mut self, list: NodeId, items: Vec<NodeId>) {
        if items.len() > INDEXED {
            self.long_lists.insert(list, items);
        }
    }

    /// Notes the keys of a mapping, if it is large.
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
            return Some((key, self.next(key)?));
        }
        let mut nodes = self.children(mapping).skip(2 * at()?);
        Some((nodes.next()?, nodes.next()?))
    }

    /// The node itself, or what it repeats.
    fn target(&self, node: NodeId) -> NodeId {
        let found = self
            .aliases
            .binary_search_by_key(&node, |(alias, _)| *alias);
        found.map_or(node, |at| self.aliases[at].1)
    }

    /// The first node after `node` and all it holds.
    pub(super) fn next(&self, node: NodeId) -> Option<NodeId> {
        Some(self.nodes.get(node as usize)?.next)
    }

    /// The nodes a node holds: items, or keys and values by turns. An alias holds what it repeats.
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
