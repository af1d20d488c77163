use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

/// Directed links, e.g. from each item to its dependencies.
pub(super) struct Arrows<N>(BTreeMap<N, BTreeSet<N>>);

impl<N: Ord> FromIterator<(N, N)> for Arrows<N> {
    fn from_iter<I: IntoIterator<Item = (N, N)>>(arrows: I) -> Self {
        let mut all: BTreeMap<N, BTreeSet<N>> = BTreeMap::new();
        for (from, to) in arrows {
            all.entry(from).or_default().insert(to);
        }
        Self(all)
    }
}

impl<N: Copy + Ord> Arrows<N> {
    /// Returns the groups of nodes in which each node can reach every other.
    ///
    /// The groups and their members are sorted. A node that only links to itself does not count as
    /// a group.
    pub(super) fn knots(&self) -> Vec<Vec<N>> {
        let nodes: Vec<N> = self.0.keys().copied().collect();
        let number = |node: &N| u32::try_from(nodes.binary_search(node).ok()?).ok();
        let arrows = self.0.iter().flat_map(|(from, all)| {
            let from = number(from);
            // A node without outgoing links has no number. It can't be part of a cycle.
            all.iter().filter_map(move |to| from.zip(number(to)))
        });
        let graph: DiGraph<(), ()> = DiGraph::from_edges(arrows);
        let mut knots: Vec<Vec<N>> = kosaraju_scc(&graph)
            .into_iter()
            .filter(|knot| knot.len() > 1)
            .map(|knot| {
                let members = knot.iter().filter_map(|node| nodes.get(node.index()));
                let mut members: Vec<N> = members.copied().collect();
                members.sort_unstable();
                members
            })
            .collect();
        knots.sort_unstable();
        knots
    }

    /// Returns the shortest cycle through the first member of a group.
    pub(super) fn round(&self, knot: &[N]) -> Vec<N> {
        let Some(start) = knot.first().copied() else {
            return Vec::new();
        };
        let mut came_from: BTreeMap<N, N> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for next in self.0.get(&at).into_iter().flatten().copied() {
                if next == start {
                    let before = |at: &N| came_from.get(at).copied();
                    let mut path: Vec<N> = std::iter::successors(Some(at), before).collect();
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
}
