//! Reduces the graph to the remaining steps and their needs.
//!
//! We visit the nodes in topological order. By the time we get to a node, we know for each of its
//! predecessors which remaining steps stand for it, so a single pass is enough for chains of any
//! length.

use petgraph::Direction;
use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};
use windlass_plan::quote::cut;
use windlass_plan::{Findings, circle_of_steps, cycles};

use super::link::NodeEdge;
use super::{Draft, UnitId};
use crate::NeedKind;
use crate::library::Library;

/// Maximum number of needs shown with the message about a cycle.
///
/// Large cycles usually go through a loop or template, and more of the same would not help the
/// author.
const MAX_SHOWN: usize = 12;

pub(crate) struct Reduced {
    /// Indexed by unit. Empty for groups and removed steps.
    pub(crate) needs: Vec<Vec<(UnitId, NeedKind)>>,
    /// For each node that is not a remaining step: the steps its dependents need instead. The flag
    /// is true if a removed step is in between.
    stands_for: Vec<Vec<(UnitId, bool)>>,
    survives: Vec<bool>,
    graph: DiGraph<(), (), u32>,
}

pub(crate) enum Irreducible {
    /// The steps form a cycle, already reported.
    Cycle,
    /// The graph exceeds the allowed number of edges. It is up to the caller to report this.
    TooManyEdges,
}

impl Draft {
    /// Removes all nodes except those of the remaining steps. The dependents of a removed node
    /// inherit its needs.
    ///
    /// A removed node with `m` needs and `n` dependents can lead to `m * n` edges, so we check
    /// `max_edges` while we are at it rather than at the end.
    pub(crate) fn reduce(
        &self,
        max_edges: usize,
        library: &Library<'_>,
        found: &mut Findings,
    ) -> Result<Reduced, Irreducible> {
        let edges = self.node_edges();
        let mut graph = DiGraph::with_capacity(edges.len(), edges.len());
        for _ in &edges {
            graph.add_node(());
        }
        // `edges` has the needs of each node. For `toposort`, we turn them around, so that a node
        // comes after those it needs.
        for (from, needs) in edges.iter().enumerate() {
            for edge in needs {
                graph.add_edge(NodeIndex::new(edge.to), NodeIndex::new(from), ());
            }
        }
        let Ok(order) = toposort(&graph, None) else {
            for cycle in cycles(&graph) {
                self.report_cycle(&edges, &cycle, library, found);
            }
            return Err(Irreducible::Cycle);
        };
        let survives = (0..self.units.len())
            .map(|unit| self.units[unit].step.is_some() && self.removal_reason(unit).is_none())
            .collect();
        let mut reduced = Reduced {
            needs: vec![Vec::new(); self.units.len()],
            stands_for: vec![Vec::new(); edges.len()],
            survives,
            graph,
        };
        let mut count = 0;
        for node in order {
            count += reduced.take(self, node.index(), &edges[node.index()]);
            if count > max_edges {
                return Err(Irreducible::TooManyEdges);
            }
        }
        Ok(reduced)
    }

    fn report_cycle(
        &self,
        edges: &[Vec<NodeEdge>],
        cycle: &[NodeIndex],
        library: &Library<'_>,
        found: &mut Findings,
    ) {
        let unit = |node: &NodeIndex| &self.units[self.nodes[node.index()]];
        let mut names: Vec<String> = cycle.iter().map(|node| cut(&unit(node).id)).collect();
        // The start and the end of a group have the same name, so don't repeat it.
        names.dedup();
        if names.len() > 1 && names.first() == names.last() {
            names.pop();
        }
        let round = cycle.iter().zip(cycle.iter().cycle().skip(1));
        let needs = round.take(MAX_SHOWN).filter_map(|(from, to)| {
            let mut edges = edges[from.index()].iter();
            let spot = edges.find(|edge| edge.to == to.index())?.spot;
            let place = library.place(spot.source, spot.start, spot.end)?;
            let [from, to] = [from, to].map(|node| &unit(node).id);
            let why = || format!("`{}` needs `{}` here", cut(from), cut(to));
            (from != to).then(|| (place, why()))
        });
        found.push(circle_of_steps(&names, needs));
    }

    /// The step at a node, or `None` for the start or end of a group.
    fn step_at(&self, node: usize) -> Option<UnitId> {
        let unit = self.nodes[node];
        let this = &self.units[unit];
        (this.step.is_some() && this.core[0] == node).then_some(unit)
    }
}

impl Reduced {
    /// Computes the needs of a node and returns their number. The needs of all its predecessors
    /// must be known already.
    fn take(&mut self, draft: &Draft, node: usize, edges: &[NodeEdge]) -> usize {
        let step = draft.step_at(node);
        let left = step.filter(|unit| self.survives[*unit]);
        if let Some(unit) = left {
            let mut needs: Vec<(UnitId, NeedKind)> = Vec::with_capacity(edges.len());
            for edge in edges {
                if let Some(needed) = self.survivor(draft, edge.to) {
                    needs.push((needed, edge.kind));
                    continue;
                }
                for (needed, bridged) in &self.stands_for[edge.to] {
                    let kind = if *bridged {
                        NeedKind::Bridge
                    } else {
                        edge.kind
                    };
                    needs.push((*needed, kind));
                }
            }
            // If there are several reasons to need the same step, keep the first in the order of
            // `NeedKind`.
            needs.sort_unstable();
            needs.dedup_by_key(|(needed, _)| *needed);
            let count = needs.len();
            self.needs[unit] = needs;
            return count;
        }
        // If this is a removed step (rather than the start or end of a group), the original reason
        // for the edge is lost.
        let between = step.is_some();
        let mut needs: Vec<(UnitId, bool)> = Vec::with_capacity(edges.len());
        for edge in edges {
            match self.survivor(draft, edge.to) {
                Some(needed) => needs.push((needed, between)),
                None => {
                    let further = &self.stands_for[edge.to];
                    needs.extend(
                        further
                            .iter()
                            .map(|(needed, bridged)| (*needed, *bridged || between)),
                    );
                }
            }
        }
        needs.sort_unstable();
        needs.dedup_by_key(|(needed, _)| *needed);
        let count = needs.len();
        self.stands_for[node] = needs;
        count
    }

    fn survivor(&self, draft: &Draft, node: usize) -> Option<UnitId> {
        draft.step_at(node).filter(|unit| self.survives[*unit])
    }

    pub(crate) fn survives(&self, unit: UnitId) -> bool {
        self.survives[unit]
    }

    /// A unit's last remaining steps, i.e. those not needed by other steps of the unit.
    pub(crate) fn lasts(&self, draft: &Draft, unit: UnitId) -> Vec<UnitId> {
        let this = &draft.units[unit];
        if this.step.is_some() {
            return Vec::from_iter(self.survives[unit].then_some(unit));
        }
        let ends = self.stands_for[this.core[1]].iter().map(|(end, _)| *end);
        ends.filter(|end| draft.is_within(*end, unit)).collect()
    }

    /// A unit's first remaining steps, i.e. those without needs in the same unit.
    pub(crate) fn firsts(&self, draft: &Draft, unit: UnitId) -> Vec<UnitId> {
        let this = &draft.units[unit];
        if this.step.is_some() {
            return Vec::from_iter(self.survives[unit].then_some(unit));
        }
        // Follow the edges from the start of the group, up to the first remaining step on each
        // path.
        let mut firsts = Vec::new();
        let mut stack = vec![NodeIndex::new(this.core[0])];
        let mut seen = std::collections::BTreeSet::from_iter(stack.iter().copied());
        while let Some(node) = stack.pop() {
            if let Some(step) = self.survivor(draft, node.index()) {
                firsts.push(step);
                continue;
            }
            for next in self.graph.neighbors_directed(node, Direction::Outgoing) {
                let inside = draft.is_within(draft.nodes[next.index()], unit);
                if inside && next.index() != this.core[1] && seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        firsts.sort_unstable();
        // A step with needs inside the group may still be reached directly from its start. Only
        // keep those without such needs.
        firsts.retain(|step| {
            let mut needs = self.needs[*step].iter();
            !needs.any(|(needed, _)| draft.is_within(*needed, unit))
        });
        firsts
    }
}
