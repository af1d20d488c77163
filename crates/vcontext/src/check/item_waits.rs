//! Checks the dependencies between items.

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, Place};

use super::arrows::Arrows;
use super::findings::Findings;
use crate::items::{Item, Items};
use crate::specification::Needs;
use crate::status::status_of;
use crate::{ItemStatus, Node};

/// The maximum number of items that we show for a cycle.
const SHOWN: usize = 12;

pub(super) fn check(items: &Items<'_>, found: &mut Findings) {
    for (at, item) in items.all.iter().enumerate() {
        match item.node.version().needs {
            Needs::Dependencies => dependencies(items, at, item, found),
            Needs::Edges => {
                let needs = items.dependencies(at).into_iter();
                // `plan_edges` checks the edges themselves.
                found.extend(
                    needs.filter_map(|(needs, node)| completed_early(items, at, needs, node)),
                );
            }
        }
        if item.node.version().max_depth == Some(item.depth) {
            let label = items.label(at);
            let message = format!("the item {label} is at the fifth level of nesting");
            let finding = Diagnostic::warning("nesting-depth", message).at(item.node.place());
            found.push(finding.help(
                "at most four levels are recommended: move a part to its own document, and link it",
            ));
        }
    }
    let waits = waits(items);
    found.extend(
        waits
            .knots()
            .iter()
            .map(|knot| circle(items, &waits.round(knot))),
    );
}

fn dependencies<'d>(items: &Items<'d>, at: usize, item: &Item<'d>, found: &mut Findings) {
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for node in item.node.items_of("dependencies") {
        let Some(id) = node.text() else {
            continue;
        };
        if let Some(first) = seen.get(id) {
            let message = format!("duplicate dependency on `{id}`");
            let finding = Diagnostic::warning("duplicate-dependency", message).at(node.place());
            let finding = finding.see(first.clone(), "the first one");
            found.push(finding.help("remove one of them"));
            continue;
        }
        seen.insert(id, node.place());
        if let Some(needs) = items.named(item.scope, id) {
            found.extend(completed_early(items, at, needs, node));
            continue;
        }
        let near = match found.is_full() {
            true => None,
            false => {
                let names = items.names(item.scope);
                found.near(id, names.len(), names.into_iter())
            }
        };
        let help = near.map_or_else(
            || "use the `id` of an item of the same list or plan".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("unknown item `{id}` as a dependency");
        let finding = Diagnostic::error("unknown-dependency", message).at(node.place());
        found.push(finding.help(help));
    }
}

/// Reports an item that was completed before one of its dependencies.
fn completed_early(
    items: &Items<'_>,
    at: usize,
    needs: usize,
    node: Node<'_>,
) -> Option<Diagnostic> {
    let status = |at: usize| status_of(items.all.get(at)?.node);
    let is_open = matches!(
        status(needs),
        Some(
            ItemStatus::Pending | ItemStatus::InProgress | ItemStatus::Blocked | ItemStatus::Failed
        )
    );
    if at == needs || !is_open || status(at) != Some(ItemStatus::Completed) {
        return None;
    }
    let (own, needed) = (items.label(at), items.label(needs));
    let message = format!("{own} is completed, but {needed}, which it depends on, is not");
    let finding = Diagnostic::warning("completed-early", message).at(node.place());
    Some(finding.help("correct one of the two, or remove the dependency"))
}

/// Links the starts and ends of all items to what has to happen before them.
///
/// An item is started before it ends, and after the ends of its dependencies. Its parts start after
/// it and end before it ends. Items in a cycle of these links can never be completed.
///
/// The start of item `n` is the node `2 * n`, and its end is the node after that.
fn waits(items: &Items<'_>) -> Arrows<usize> {
    let begins = |at: usize| 2 * at;
    let ends = |at: usize| 2 * at + 1;
    let each = items.all.iter().enumerate();
    let all = each.flat_map(|(at, item)| {
        let needs = items.dependencies(at).into_iter();
        let needs = needs.map(move |(needs, _)| (begins(at), ends(needs)));
        let parent = item.parent.into_iter();
        let inside =
            parent.flat_map(move |parent| [(begins(at), begins(parent)), (ends(parent), ends(at))]);
        std::iter::once((ends(at), begins(at)))
            .chain(needs)
            .chain(inside)
    });
    all.collect()
}

fn circle(items: &Items<'_>, round: &[usize]) -> Diagnostic {
    // The start and the end of an item belong to the same item.
    let mut path: Vec<usize> = round.iter().map(|node| node / 2).collect();
    path.dedup();
    if path.len() > 1 && path.first() == path.last() {
        path.pop();
    }
    let mut names: Vec<String> = path.iter().take(SHOWN).map(|at| items.label(*at)).collect();
    if path.len() > SHOWN {
        names.push(format!("… {} more …", path.len() - SHOWN));
    }
    names.extend(path.first().map(|at| items.label(*at)));
    let message = format!(
        "the items wait for each other in a cycle: {}",
        names.join(" -> ")
    );
    let mut finding = Diagnostic::error("dependency-cycle", message)
        .help("`a -> b` means that `a` waits for `b`, or is a part of it: remove one of these dependencies");
    let named = path.iter().flat_map(|at| {
        let dependencies = items.dependencies(*at).into_iter();
        dependencies.filter(|(needs, _)| path.contains(needs))
    });
    for (needs, node) in named.take(SHOWN) {
        let place = node.place();
        finding = match finding.place {
            None => finding.at(place),
            Some(_) => finding.see(place, format!("dependency on {}", items.label(needs))),
        };
    }
    finding
}
