//! Builds and validates the graph of a plan.
//!
//! A plan may be a chain of 100,000 steps, so nothing here may recurse. That rules out some
//! algorithms of petgraph: `toposort` and `kosaraju_scc` are iterative, but `tarjan_scc` and
//! `is_cyclic_directed` are not.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use petgraph::Direction;
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use windlass_base::{Diagnostic, Ident, Place, counted};

use crate::{Edge, EdgeReason, Findings, PlannedOutput, PlannedStep, StepIndex};

/// Maximum number of steps and positions in a message about a cycle.
const MAX_SHOWN: usize = 12;

/// The graph of a plan. Edges point from a step to its dependents, i.e. in the order of execution.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    /// Each edge has its range in `reasons` as its weight.
    pub(crate) edges: DiGraph<(), Range<u32>, u32>,
    /// The reasons of all edges in a single list, which saves an allocation per edge.
    pub(crate) reasons: Vec<EdgeReason>,
}

impl Graph {
    pub(crate) fn reasons(&self, step: NodeIndex, needs: NodeIndex) -> &[EdgeReason] {
        let edge = self.edges.find_edge(needs, step);
        edge.map_or(&[], |edge| self.reasons_at(edge))
    }

    fn reasons_at(&self, edge: EdgeIndex) -> &[EdgeReason] {
        let range = &self.edges[edge];
        let range = range.start as usize..range.end as usize;
        self.reasons.get(range).unwrap_or_default()
    }
}

/// Indexes the steps by name, and reports duplicates. For a duplicate name, the first step wins.
pub(crate) fn index_ids(steps: &[PlannedStep], found: &mut Findings) -> BTreeMap<Ident, StepIndex> {
    let mut by_id = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        if let Some(first) = by_id.get(&step.id).copied() {
            if found.is_full() {
                found.count_error();
                continue;
            }
            let first: StepIndex = first;
            let mut twice =
                Diagnostic::error("duplicate-step", format!("duplicate step `{}`", step.id))
                    .help("give one of them another id");
            twice.place = step.place.clone();
            if let Some(place) = steps[first.index()].place.clone() {
                twice = twice.see(place, "the first one");
            }
            found.push(twice);
        } else {
            by_id.insert(step.id.clone(), StepIndex::new(at));
        }
    }
    by_id
}

pub(crate) fn check_outputs(
    steps: &[PlannedStep],
    outputs: &[PlannedOutput],
    found: &mut Findings,
) {
    for output in outputs {
        if output.from.index() >= steps.len() {
            let message = format!(
                "section `{}` shows step number {}, which does not exist",
                output.id, output.from
            );
            let mut wrong = Diagnostic::error("unknown-step", message);
            wrong.place = output.place.clone();
            found.push(wrong);
        }
    }
}

/// Builds the graph. We also add the needs from `edges` to the `needs` of each step, and sort them.
pub(crate) fn build(steps: &mut [PlannedStep], edges: Vec<Edge>, found: &mut Findings) -> Graph {
    let with_reason = |edge: Edge| ((edge.step, edge.needs), Some(edge.reason));
    let mut edges: Vec<_> = edges.into_iter().map(with_reason).collect();
    for (at, step) in steps.iter_mut().enumerate() {
        let step_needs = std::mem::take(&mut step.needs).into_iter();
        edges.extend(step_needs.map(|needs| ((StepIndex::new(at), needs), None)));
    }
    // The sort has to be stable, because the reasons of an edge are in document order.
    edges.sort_by_key(|(ends, _)| *ends);
    let mut graph = Graph {
        edges: DiGraph::with_capacity(steps.len(), edges.len()),
        reasons: Vec::with_capacity(edges.len()),
    };
    for _ in steps.iter() {
        graph.edges.add_node(());
    }
    let mut edges = edges.into_iter().peekable();
    while let Some((ends, first)) = edges.next() {
        let from = graph.reasons.len();
        graph
            .reasons
            // A need without an explicit edge only gets a reason if it would have none otherwise.
            .push(first.unwrap_or(EdgeReason::Needs { place: None }));
        while let Some((_, more)) = edges.next_if(|(next, _)| *next == ends) {
            graph.reasons.extend(more);
        }
        let (step, needs) = ends;
        match wrong_edge(steps, step, needs, &graph.reasons[from..]) {
            Some(wrong) => found.push(wrong),
            None => {
                steps[step.index()].needs.push(needs);
                let range = clamp(from)..clamp(graph.reasons.len());
                graph.edges.add_edge(node(needs), node(step), range);
            }
        }
    }
    graph
}

/// Converts an index to `u32`. Documents are far too short for it to saturate.
fn clamp(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn wrong_edge(
    steps: &[PlannedStep],
    step: StepIndex,
    needs: StepIndex,
    reasons: &[EdgeReason],
) -> Option<Diagnostic> {
    let (Some(from), Some(to)) = (steps.get(step.index()), steps.get(needs.index())) else {
        let message = format!(
            "step number {step} needs step number {needs}, but the plan has {}",
            counted(steps.len(), "step")
        );
        return Some(Diagnostic::error("unknown-step", message));
    };
    let mut wrong = if step == needs {
        Diagnostic::error("self-reference", format!("step `{}` needs itself", from.id))
            .help("remove the reference, or name another step")
    } else if to.finally && !from.finally {
        let message = format!(
            "step `{}` needs `{}`, which runs only when all others have ended",
            from.id, to.id
        );
        Diagnostic::error("needs-finally", message).help(format!(
            "move `{}` from `finally` to `steps`, or `{}` to `finally`",
            to.id, from.id
        ))
    } else {
        return None;
    };
    wrong.place = reasons.iter().find_map(EdgeReason::place).cloned();
    Some(wrong)
}

pub(crate) fn report_cycles(graph: &Graph, steps: &[PlannedStep], found: &mut Findings) {
    for cycle in cycles(&graph.edges) {
        found.push(describe_cycle(graph, steps, &cycle));
    }
}

/// Finds one cycle in each strongly connected component. Edges point from a node to its dependents.
#[must_use]
pub fn cycles<E>(edges: &DiGraph<(), E, u32>) -> Vec<Vec<NodeIndex>> {
    if toposort(edges, None).is_ok() {
        return Vec::new();
    }
    // Only components with more than one node contain a cycle. `wrong_edge` has already rejected
    // edges from a node to itself.
    let mut knots = kosaraju_scc(edges);
    knots.retain(|knot| knot.len() > 1);
    for knot in &mut knots {
        knot.sort_unstable();
    }
    // The order of components depends on the algorithm. Sort them, so that messages don't change
    // with another version of petgraph.
    knots.sort_unstable();
    knots
        .iter()
        .map(|knot| shortest_cycle(edges, knot))
        .collect()
}

/// Returns the shortest cycle through the first node of a component.
///
/// With a breadth-first search, the first path back to the start is the shortest.
fn shortest_cycle<E>(edges: &DiGraph<(), E, u32>, knot: &[NodeIndex]) -> Vec<NodeIndex> {
    let start = knot[0];
    let inside = |node: &NodeIndex| knot.binary_search(node).is_ok();
    let mut came_from: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        let mut needs: Vec<_> = edges
            .neighbors_directed(at, Direction::Incoming)
            .filter(inside)
            .collect();
        needs.sort_unstable();
        for next in needs {
            if next == start {
                let mut path = vec![at];
                while let Some(before) = came_from.get(&path[path.len() - 1]) {
                    path.push(*before);
                }
                path.reverse();
                return path;
            }
            if let Entry::Vacant(unseen) = came_from.entry(next) {
                unseen.insert(at);
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

fn describe_cycle(graph: &Graph, steps: &[PlannedStep], cycle: &[NodeIndex]) -> Diagnostic {
    let name = |node: &NodeIndex| steps[node.index()].id.to_string();
    let names: Vec<String> = cycle.iter().map(name).collect();
    let round = cycle.iter().zip(cycle.iter().cycle().skip(1));
    let needs = round.take(MAX_SHOWN).filter_map(|(step, needs)| {
        let reasons = graph.reasons(*step, *needs);
        let place = reasons.iter().find_map(EdgeReason::place)?.clone();
        let why = format!("`{}` needs `{}` here", name(step), name(needs));
        Some((place, why))
    });
    circle_of_steps(&names, needs)
}

/// Builds the error for a cycle of steps.
///
/// `needs` has a position and a text for each edge to show, and it is up to the caller to limit
/// their number.
pub fn circle_of_steps(
    names: &[String],
    needs: impl IntoIterator<Item = (Place, String)>,
) -> Diagnostic {
    let mut shown = names[..names.len().min(MAX_SHOWN)].to_vec();
    if names.len() > MAX_SHOWN {
        shown.push(format!("… {} more …", names.len() - MAX_SHOWN));
    }
    // Repeat the first name at the end, as in `a -> b -> a`.
    shown.extend(names.first().cloned());
    let shown = shown.join(" -> ");
    let message = format!("the steps need each other in a circle: {shown}");
    let mut wrong = Diagnostic::error("cycle", message)
        .help("`a -> b` means that `a` needs `b`: remove one of these needs");
    for (place, why) in needs {
        match wrong.place {
            None => wrong.place = Some(place),
            Some(_) => wrong = wrong.see(place, why),
        }
    }
    wrong
}

/// Puts each step one layer below its deepest need, and the `finally` steps below all others.
pub(crate) fn layers(steps: &[PlannedStep], graph: &Graph) -> Vec<Vec<StepIndex>> {
    let mut depth = vec![0usize; steps.len()];
    // `toposort` fails for a graph with cycles, but a plan has none.
    let order = toposort(&graph.edges, None).unwrap_or_default();
    let mut floor = 0;
    for finally in [false, true] {
        let mut deepest = floor;
        for node in &order {
            let at = node.index();
            if steps[at].finally != finally {
                continue;
            }
            let below = |needs: &StepIndex| depth[needs.index()] + 1;
            depth[at] = steps[at]
                .needs
                .iter()
                .map(below)
                .max()
                .unwrap_or(0)
                .max(floor);
            deepest = deepest.max(depth[at] + 1);
        }
        floor = deepest;
    }
    let mut layers: Vec<Vec<StepIndex>> = vec![Vec::new(); floor];
    for (at, depth) in depth.into_iter().enumerate() {
        if let Some(layer) = layers.get_mut(depth) {
            layer.push(StepIndex::new(at));
        }
    }
    layers
}

fn node(step: StepIndex) -> NodeIndex {
    NodeIndex::new(step.index())
}

#[cfg(test)]
mod tests;
