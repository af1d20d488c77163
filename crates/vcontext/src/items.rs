//! The items of a TodoList or Plan, however deep they are nested.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Container, Node};

/// An item among all of its document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) node: Node<'a>,
    /// The names that hold where it stands: those of a list, or of a plan with all its stages.
    pub(crate) scope: usize,
    /// The list it stands in.
    pub(crate) list: usize,
    /// The item it is a part of.
    pub(crate) parent: Option<usize>,
    /// How many items it is a part of.
    pub(crate) depth: usize,
    /// Whether it is a stage of a plan.
    pub(crate) is_stage: bool,
}

/// All items, each before its parts.
#[derive(Debug, Default)]
pub(crate) struct Items<'a> {
    pub(crate) all: Vec<Item<'a>>,
    /// The scope that each scope stands in.
    outer: Vec<Option<usize>>,
    lists: usize,
    names: BTreeMap<(usize, &'a str), usize>,
}

impl<'a> Items<'a> {
    /// Those of a container.
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

    /// The item that `id` names for somebody in `scope`: of its own list, or of the plan around it.
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

    /// What the scope of an item is called: the stages whose list it stands in. That of the whole document has no name.
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

    /// The names that somebody in `scope` can use.
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

    /// The items that item number `at` waits for, by its `dependencies`, each once.
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

    /// The items of each list, in order.
    pub(crate) fn by_list(&self) -> Vec<Vec<usize>> {
        let mut lists = vec![Vec::new(); self.lists];
        for (at, item) in self.all.iter().enumerate() {
            if let Some(list) = lists.get_mut(item.list) {
                list.push(at);
            }
        }
        lists
    }

    /// What an item is called in a message: its id, else its title.
    pub(crate) fn told(&self, at: usize) -> String {
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
