//! The items of a TodoList or Plan, at any nesting depth.
//!
//! The items are numbered in text order, with each item before its parts, and refer to each other
//! by number.

use std::collections::{BTreeMap, BTreeSet};

use crate::edges::{BLOCKS, edges_of};
use crate::parts::part_lists;
use crate::specification::Needs;
use crate::{Container, Node};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) node: Node<'a>,
    /// The scope in which names in this item are looked up: either its list, or a plan with all of
    /// its stages.
    pub(crate) scope: usize,
    /// The number of the item's list.
    pub(crate) list: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) depth: usize,
    /// False for an item of a TodoList, including one inside of a stage.
    pub(crate) is_stage: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Items<'a> {
    pub(crate) all: Vec<Item<'a>>,
    /// The scope around each scope.
    outer: Vec<Option<usize>>,
    lists: usize,
    names: BTreeMap<(usize, &'a str), usize>,
    /// Edges that make an item wait for another, by the `id` of the item that waits.
    waits: BTreeMap<&'a str, Vec<(&'a str, Node<'a>)>>,
}

impl<'a> Items<'a> {
    pub(crate) fn of(container: Container, node: Node<'a>) -> Self {
        let mut items = Self::default();
        if container != Container::Playbook {
            items.outer.push(None);
            if let Some(list) = node.get("items") {
                items.list(list, 0, None, 0, container == Container::Plan);
            }
        }
        for (at, item) in items.all.iter().enumerate() {
            // `item_names` reports duplicate names. Until then, the first item wins.
            if let Some(id) = item.node.text_of("id") {
                items.names.entry((item.scope, id)).or_insert(at);
            }
        }
        for edge in edges_of(node).filter(|edge| edge.kind == BLOCKS) {
            items
                .waits
                .entry(edge.to)
                .or_default()
                .push((edge.from, edge.node));
        }
        items
    }

    fn list(
        &mut self,
        node: Node<'a>,
        scope: usize,
        parent: Option<usize>,
        depth: usize,
        is_stage: bool,
    ) {
        let list = self.lists;
        self.lists += 1;
        for item in node.items() {
            let at = self.all.len();
            self.all.push(Item {
                node: item,
                scope,
                list,
                parent,
                depth,
                is_stage,
            });
            // Items of a TodoList have no parts.
            if !is_stage {
                continue;
            }
            for parts in part_lists(item) {
                let mut inner = scope;
                // A list inside of a stage has its own names. Its items can still refer to those in
                // the scope around it.
                if parts.is_scope {
                    inner = self.outer.len();
                    self.outer.push(Some(scope));
                }
                self.list(parts.list, inner, Some(at), depth + 1, !parts.is_scope);
            }
        }
    }

    /// Finds the item called `id`, starting from `scope`.
    ///
    /// If an item of a list refers to a name outside of the list, it may be in the plan around it.
    pub(crate) fn named(&self, scope: usize, id: &'a str) -> Option<usize> {
        let mut scope = Some(scope);
        while let Some(here) = scope {
            if let Some(found) = self.names.get(&(here, id)) {
                return Some(*found);
            }
            scope = self.outer.get(here).copied().flatten();
        }
        None
    }

    /// Describes an item's scope by the stages around its list. It's empty for the scope of the
    /// whole document.
    pub(crate) fn path(&self, at: usize) -> String {
        let mut path = String::new();
        let mut at = self.all.get(at);
        while let Some(item) = at {
            let outer = item.parent.and_then(|parent| self.all.get(parent));
            if let Some(outer) = outer.filter(|outer| outer.scope != item.scope) {
                path.push_str(outer.node.text_of("id").unwrap_or_default());
                path.push('/');
            }
            at = outer;
        }
        path
    }

    pub(crate) fn names(&self, scope: usize) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(here) = at {
            let own = self.names.range((here, "")..(here + 1, ""));
            names.extend(own.map(|((_, name), _)| *name));
            at = self.outer.get(here).copied().flatten();
        }
        names
    }

    /// The dependencies of item number `at` without duplicates, each with the node that declares
    /// it.
    ///
    /// Unknown names are left out, since the checks report them.
    pub(crate) fn dependencies(&self, at: usize) -> Vec<(usize, Node<'a>)> {
        let Some(item) = self.all.get(at) else {
            return Vec::new();
        };
        let mut known = BTreeSet::new();
        let listed: Vec<(&'a str, Node<'a>)> = match item.node.version().needs {
            Needs::Dependencies => {
                let all = item.node.items_of("dependencies");
                all.filter_map(|node| Some((node.text()?, node))).collect()
            }
            Needs::Edges => {
                let id = item.node.text_of("id");
                let own = id.and_then(|id| self.waits.get(id));
                own.cloned().unwrap_or_default()
            }
        };
        let named = listed.into_iter();
        let named = named.filter_map(|(id, node)| Some((self.named(item.scope, id)?, node)));
        named.filter(|(needs, _)| known.insert(*needs)).collect()
    }

    pub(crate) fn by_list(&self) -> Vec<Vec<usize>> {
        let mut lists = vec![Vec::new(); self.lists];
        for (at, item) in self.all.iter().enumerate() {
            if let Some(list) = lists.get_mut(item.list) {
                list.push(at);
            }
        }
        lists
    }

    /// The name of an item in messages: its `id` or its title.
    pub(crate) fn label(&self, at: usize) -> String {
        let node = self.all.get(at).map(|item| item.node);
        let text = node.and_then(|node| node.text_of("id").or_else(|| node.text_of("title")));
        let text: String = text
            .unwrap_or("an item without a title")
            .chars()
            .take(60)
            .collect();
        format!("`{text}`")
    }
}
