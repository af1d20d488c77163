//! What waits for what.

use std::collections::{BTreeMap, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use windlass_base::Diagnostic;

use super::Checker;
use crate::ItemStatus;
use crate::items::Items;

/// The deepest nesting that the specification advises.
const MAX_DEPTH: usize = 4;
/// How many items of a circle are named.
const SHOWN: usize = 12;

impl<'d> Checker<'d> {
    pub(super) fn graph(&mut self, items: &Items<'d>) {
        for (at, item) in items.all.iter().enumerate() {
            self.dependencies(items, at);
            if item.depth == MAX_DEPTH {
                let message = format!(
                    "the item {} is the fifth level of items inside of items",
                    items.told(at)
                );
                self.push(
                    Diagnostic::warning("nesting-depth", message)
                        .at(item.node.place())
                        .help("at most four are advised: put a part into a document of its own, and link it"),
                );
            }
        }
        self.circles(items);
    }

    fn dependencies(&mut self, items: &Items<'d>, at: usize) {
        let item = items.all[at];
        let mut seen: BTreeMap<&str, windlass_base::Place> = BTreeMap::new();
        for node in item.node.items_of("dependencies") {
            let Some(id) = node.text() else {
                continue;
            };
            if let Some(first) = seen.get(id) {
                let message = format!("the dependency on `{id}` is there twice");
                let finding = Diagnostic::warning("duplicate-dependency", message).at(node.place());
                self.push(
                    finding
                        .see(first.clone(), "the first one")
                        .help("remove one of them"),
                );
                continue;
            }
            seen.insert(id, node.place());
            match items.named(item.scope, id) {
                None => {
                    let near = match self.is_full() {
                        true => None,
                        false => {
                            let names = items.names(item.scope);
                            self.near(id, names.len(), names.into_iter())
                        }
                    };
                    let help = near.map_or_else(
                        || "name the `id` of an item of the same list or plan".to_owned(),
                        |near| format!("did you mean `{near}`?"),
                    );
                    let message = format!("there is no item `{id}` to depend on");
                    self.push(
                        Diagnostic::error("unknown-dependency", message)
                            .at(node.place())
                            .help(help),
                    );
                }
                Some(needs) => self.order(items, at, needs, node),
            }
        }
    }

    /// Whether an item that is done waited for what it depends on.
    fn order(&mut self, items: &Items<'d>, at: usize, needs: usize, node: crate::Node<'d>) {
        let status = |at: usize| {
            let text = items.all[at].node.text_of("status")?;
            ItemStatus::from_word(text)
        };
        let is_open = matches!(
            status(needs),
            Some(ItemStatus::Pending | ItemStatus::InProgress | ItemStatus::Blocked)
        );
        if at != needs && is_open && status(at) == Some(ItemStatus::Completed) {
            let message = format!(
                "{} is completed, and {}, which it depends on, is not",
                items.told(at),
                items.told(needs)
            );
            let finding = Diagnostic::warning("completed-early", message).at(node.place());
            self.push(finding.help("correct one of the two, or take the dependency out"));
        }
    }

    /// An item has a beginning and an end. Its parts begin after it and end before it; it begins after what it depends
    /// on has ended. A circle of these can never be worked through.
    fn circles(&mut self, items: &Items<'d>) {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in 0..2 * items.all.len() {
            graph.add_node(());
        }
        let begins = |at: usize| NodeIndex::new(2 * at);
        let ends = |at: usize| NodeIndex::new(2 * at + 1);
        for (at, item) in items.all.iter().enumerate() {
            graph.add_edge(ends(at), begins(at), ());
            for (needs, _) in items.dependencies(at) {
                graph.add_edge(begins(at), ends(needs), ());
            }
            if let Some(parent) = item.parent {
                graph.add_edge(begins(at), begins(parent), ());
                graph.add_edge(ends(parent), ends(at), ());
            }
        }
        let mut knots = kosaraju_scc(&graph);
        knots.retain(|knot| knot.len() > 1);
        for knot in &mut knots {
            knot.sort_unstable();
        }
        knots.sort_unstable();
        for knot in &knots {
            self.circle(items, &graph, knot);
        }
    }

    fn circle(&mut self, items: &Items<'d>, graph: &DiGraph<(), ()>, knot: &[NodeIndex]) {
        let mut path: Vec<usize> = round(graph, knot)
            .iter()
            .map(|node| node.index() / 2)
            .collect();
        path.dedup();
        if path.len() > 1 && path.first() == path.last() {
            path.pop();
        }
        let mut names: Vec<String> = path.iter().take(SHOWN).map(|at| items.told(*at)).collect();
        if path.len() > SHOWN {
            names.push(format!("… {} more …", path.len() - SHOWN));
        }
        names.extend(path.first().map(|at| items.told(*at)));
        let message = format!(
            "the items wait for each other in a circle: {}",
            names.join(" -> ")
        );
        let mut finding = Diagnostic::error("dependency-cycle", message)
            .help("`a -> b` means that `a` waits for `b`, or is a part of it: take one of these dependencies out");
        let named = path.iter().flat_map(|at| {
            let dependencies = items.dependencies(*at).into_iter();
            dependencies.filter(|(needs, _)| path.contains(needs))
        });
        for (needs, node) in named.take(SHOWN) {
            let place = node.place();
            finding = match finding.place {
                None => finding.at(place),
                Some(_) => finding.see(place, format!("{} is depended on here", items.told(needs))),
            };
        }
        self.push(finding);
    }
}

/// The shortest way from the first node of a knot back to itself.
fn round(graph: &DiGraph<(), ()>, knot: &[NodeIndex]) -> Vec<NodeIndex> {
    let start = knot[0];
    let mut came_from: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        let mut next: Vec<NodeIndex> = graph.neighbors(at).collect();
        next.sort_unstable();
        for next in next {
            if next == start {
                let mut path = vec![at];
                while let Some(before) = came_from.get(&path[path.len() - 1]) {
                    path.push(*before);
                }
                path.reverse();
                return path;
            }
            if knot.binary_search(&next).is_ok() && !came_from.contains_key(&next) {
                came_from.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    vec![start]
}
