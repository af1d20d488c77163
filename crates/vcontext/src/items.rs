//! Items of a TodoList or Plan, at any nesting depth.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Container, Node};

/// Item with its position in the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) node: Node<'a>,
    /// Scope of its name: its list, or a plan with all its stages.
    pub(crate) scope: usize,
    /// List that contains it.
    pub(crate) list: usize,
    /// Item that contains it.
    pub(crate) parent: Option<usize>,
    /// Number of items that contain it.
    pub(crate) depth: usize,
    /// True if it is a stage of a plan.
    pub(crate) is_stage: bool,
}

/// All items, each before its parts.
#[derive(Debug, Default)]
pub(crate) struct Items<'a> {
    pub(crate) all: Vec<Item<'a>>,
    /// Enclosing scope of each scope.
    outer: Vec<Option<usize>>,
    lists: usize,
    names: BTreeMap<(usize, &'a str), usize>,
}

impl<'a> Items<'a> {
    /// Collects the items of a container.
    pub(crate) fn of(container: Container, node: Node<'a>) -> Self {
        let mut items = Self::default();
        if container != Container::Playbook {
            items.outer.push(None);
            items.list(node, "items", 0, None, 0, container == Container::Plan);
        }
        for (at, item) in items.all.iter().enumerate() {
            if let Some(id) = item.node.text_of("id") {
                items.names.entry((item.scope, id)).or_insert(at);
            }
        }
        items
    }

    fn list(
        &mut self,
        node: Node<'a>,
        field: &str,
        scope: usize,
        parent: Option<usize>,
        depth: usize,
        is_stage: bool,
    ) {
        let list = self.lists;
        self.lists += 1;
        for item in node.items_of(field) {
            let at = self.all.len();
            self.all.push(Item {
                node: item,
                scope,
                list,
                parent,
                depth,
                is_stage,
            });
            if !is_stage {
                continue;
            }
            self.list(item, "subItems", scope, Some(at), depth + 1, true);
            if let Some(inner) = item.get("todoList") {
                let inner_scope = self.outer.len();
                self.outer.push(Some(scope));
                self.list(inner, "items", inner_scope, Some(at), depth + 1, false);
            }
        }
    }

    /// Returns the item that `id` refers to in `scope`: in its own list, or in the enclosing plan.
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

    /// Returns the path of an item's scope: the stages that contain its list. Empty for the whole document.
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

    /// Returns the names that are visible in `scope`.
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

    /// Returns the items in the `dependencies` of item number `at`, without duplicates.
    pub(crate) fn dependencies(&self, at: usize) -> Vec<(usize, Node<'a>)> {
        let Some(item) = self.all.get(at) else {
            return Vec::new();
        };
        let mut known = BTreeSet::new();
        let named = item.node.items_of("dependencies").filter_map(|node| {
            let needs = self.named(item.scope, node.text()?)?;
            Some((needs, node))
        });
        named.filter(|(needs, _)| known.insert(*needs)).collect()
    }

    /// Returns the items of each list, in order.
    pub(crate) fn by_list(&self) -> Vec<Vec<usize>> {
        let mut lists = vec![Vec::new(); self.lists];
        for (at, item) in self.all.iter().enumerate() {
            if let Some(list) = lists.get_mut(item.list) {
                list.push(at);
            }
        }
        lists
    }

    /// Returns the name of an item for messages: its id, else its title.
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
