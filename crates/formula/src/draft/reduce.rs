//! The steps that are left, and what each of them needs.

use petgraph::Direction;
use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};
use windlass_plan::quote::cut;
use windlass_plan::{Findings, circle_of_steps, cycles};

use super::link::NodeEdge;
use super::{Draft, UnitId};
use crate::NeedKind;
use crate::library::Library;

/// How many steps of a cycle are named.
const SHOWN: usize = 12;

/// The graph of the steps that are left.
pub(crate) struct Reduced {
    /// What each step needs, in the order of the units.
    pub(crate) needs: Vec<Vec<(UnitId, NeedKind)>>,
    /// The steps that each node which is none stands for, and whether a step that was left out lies between.
    stands_for: Vec<Vec<(UnitId, bool)>>,
    survives: Vec<bool>,
    graph: DiGraph<(), (), u32>,
}

/// Why there is no such graph.
pub(crate) enum Irreducible {
    /// The steps need each other in a circle; that was reported.
    Cycle,
    /// It has more edges than are allowed.
    TooManyEdges,
}

impl Draft {
    /// Takes out of the graph whatever is no step that is left; what needs it needs what it needs.
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
            .map(|unit| self.units[unit].step.is_some() && self.why_left_out(unit).is_none())
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
        names.dedup();
        if names.len() > 1 && names.first() == names.last() {
            names.pop();
        }
        let round = cycle.iter().zip(cycle.iter().cycle().skip(1));
        let needs = round.take(SHOWN).filter_map(|(from, to)| {
            let mut edges = edges[from.index()].iter();
            let spot = edges.find(|edge| edge.to == to.index())?.spot;
            let place = library.place(spot.source, spot.start, spot.end)?;
            let [from, to] = [from, to].map(|node| &unit(node).id);
            let why = || format!("`{}` needs `{}` here", cut(from), cut(to));
            (from != to).then(|| (place, why()))
        });
        found.push(circle_of_steps(&names, needs));
    }

    /// The step that a node is.
    fn step_at(&self, node: usize) -> Option<UnitId> {
        let unit = self.nodes[node];
        let this = &self.units[unit];
        (this.step.is_some() && this.core[0] == node).then_some(unit)
    }
}

impl Reduced {
    /// Works out what a node needs, those that it needs being worked out; gives the number of edges it took.
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
            needs.sort_unstable();
            needs.dedup_by_key(|(needed, _)| *needed);
            let count = needs.len();
            self.needs[unit] = needs;
            return count;
        }
        // A step that is left out lies between whoever needs it and what it needs.
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

    /// Whether a step is left.
    pub(crate) fn survives(&self, unit: UnitId) -> bool {
        self.survives[unit]
    }

    /// The last steps of a unit that are left: those which nothing else in it needs.
    pub(crate) fn lasts(&self, draft: &Draft, unit: UnitId) -> Vec<UnitId> {
        let this = &draft.units[unit];
        if this.step.is_some() {
            return Vec::from_iter(self.survives[unit].then_some(unit));
        }
        let ends = self.stands_for[this.core[1]].iter().map(|(end, _)| *end);
        ends.filter(|end| draft.is_within(*end, unit)).collect()
    }

    /// The first steps of a unit that are left: those which need nothing else in it.
    pub(crate) fn firsts(&self, draft: &Draft, unit: UnitId) -> Vec<UnitId> {
        let this = &draft.units[unit];
        if this.step.is_some() {
            return Vec::from_iter(self.survives[unit].then_some(unit));
        }
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
        // Those that another comes before, by way of its own needs, are not among the first.
        firsts.retain(|step| {
            let mut needs = self.needs[*step].iter();
            !needs.any(|(needed, _)| draft.is_within(*needed, unit))
        });
        firsts
    }
}
