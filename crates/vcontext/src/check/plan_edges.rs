//! Checks that the edges of a plan connect existing items and form no cycles.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Diagnostic, Place};

use super::arrows::Arrows;
use super::findings::Findings;
use crate::Node;
use crate::edges::{BLOCKS, PlanEdge, edges_of};
use crate::items::Items;

/// The maximum number of items that we show for a cycle.
const SHOWN: usize = 12;

pub(super) fn check<'d>(plan: Node<'d>, items: &Items<'d>, found: &mut Findings) {
    let edges: Vec<PlanEdge<'d>> = edges_of(plan).collect();
    let ids: BTreeSet<&str> = items
        .all
        .iter()
        .filter_map(|item| item.node.text_of("id"))
        .collect();
    let mut seen: BTreeMap<[&str; 3], Place> = BTreeMap::new();
    for edge in &edges {
        for (end, id) in [("from", edge.from), ("to", edge.to)] {
            if !ids.contains(id) {
                unknown(edge, end, id, &ids, found);
            }
        }
        let key = [edge.from, edge.to, edge.kind];
        if let Some(first) = seen.insert(key, edge.node.place()) {
            let message = format!("duplicate edge from `{}` to `{}`", edge.from, edge.to);
            let finding =
                Diagnostic::warning("duplicate-dependency", message).at(edge.node.place());
            found.push(
                finding
                    .see(first, "the first one")
                    .help("remove one of them"),
            );
        }
    }
    cycles(&edges, found);
}

fn unknown(edge: &PlanEdge<'_>, end: &str, id: &str, ids: &BTreeSet<&str>, found: &mut Findings) {
    let near = match found.is_full() {
        true => None,
        false => found.near(id, ids.len(), ids.iter().copied()),
    };
    let help = near.map_or_else(
        || "use the `id` of an item of the plan".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    let place = edge.node.get(end).unwrap_or(edge.node).place();
    let message = format!("unknown item `{id}` in an edge");
    found.push(
        Diagnostic::error("unknown-dependency", message)
            .at(place)
            .help(help),
    );
}

/// Reports cycles with at least one edge that does not make an item wait.
///
/// If all of the edges make items wait, `item_waits` reports a dependency cycle instead.
fn cycles(edges: &[PlanEdge<'_>], found: &mut Findings) {
    let arrows: Arrows<&str> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    for edge in edges
        .iter()
        .filter(|edge| edge.from == edge.to && edge.kind != BLOCKS)
    {
        let message = format!("an edge leads from `{}` to itself", edge.from);
        let finding = Diagnostic::error("edge-cycle", message).at(edge.node.place());
        found.push(finding.help("remove the edge"));
    }
    for knot in arrows.knots() {
        let round = arrows.round(&knot);
        let next = round.iter().skip(1).chain(round.first());
        let pairs: Vec<(&str, &str)> = round.iter().copied().zip(next.copied()).collect();
        let of_pair = |pair: &(&str, &str)| {
            let mut own = edges.iter().filter(|edge| (edge.from, edge.to) == *pair);
            own.clone()
                .find(|edge| edge.kind == BLOCKS)
                .or_else(|| own.next())
        };
        let links: Vec<&PlanEdge<'_>> = pairs.iter().filter_map(of_pair).collect();
        let Some(other) = links.iter().find(|edge| edge.kind != BLOCKS) else {
            continue;
        };
        let mut names: Vec<String> = round
            .iter()
            .take(SHOWN)
            .map(|id| format!("`{id}`"))
            .collect();
        names.extend((round.len() > SHOWN).then(|| "…".to_owned()));
        names.extend(round.first().map(|id| format!("`{id}`")));
        let message = format!("the edges form a cycle: {}", names.join(" -> "));
        let finding = Diagnostic::error("edge-cycle", message).at(other.node.place());
        found.push(finding.help("remove one of these edges"));
    }
}
