//! Checks the order of changes, and that forks and locks make sense.

use windlass_base::Diagnostic;

use super::item_times::time_order;
use crate::items::Items;
use crate::time::moment;
use crate::{Container, Node};

pub(super) fn check(container: Container, node: Node<'_>, items: &Items<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if container != Container::Playbook {
        change_log(node, &mut found);
        fork(node, &mut found);
    }
    for item in &items.all {
        if let Some(inner) = item.node.get("todoList") {
            change_log(inner, &mut found);
            fork(inner, &mut found);
        }
        if let Some(lock) = item.node.get("lockedBy") {
            found.extend(time_order(lock, "acquiredAt", "expiresAt"));
        }
    }
    found
}

fn change_log<'d>(node: Node<'d>, found: &mut Vec<Diagnostic>) {
    let mut last: Option<(i64, Node<'d>)> = None;
    let mut before: Option<Node<'d>> = None;
    for change in node.items_of("changeLog") {
        if let (Some(sequence), Some(own)) = (change.whole_of("sequence"), change.get("sequence")) {
            if let Some((most, first)) = last.filter(|(most, _)| sequence < *most) {
                let message = format!("the sequence decreases from {most} to {sequence}");
                let finding = Diagnostic::error("sequence-order", message).at(own.place());
                let finding = finding.see(first.place(), "the previous one");
                found.push(finding.help(IN_ORDER));
            }
            if last.is_none_or(|(most, _)| sequence > most) {
                last = Some((sequence, own));
            }
        }
        if let Some(own) = before.and_then(|before| made_before(before, change)) {
            let message = "this change is older than the one above it";
            let finding = Diagnostic::warning("change-order", message).at(own.place());
            found.push(finding.help(IN_ORDER));
        }
        before = Some(change);
    }
    if let (Some((most, change)), Some(own), Some(sequence)) =
        (last, node.get("sequence"), node.whole_of("sequence"))
        && sequence < most
    {
        let message = format!("the sequence is {sequence}, but the last change has {most}");
        let finding = Diagnostic::error("sequence-behind", message)
            .at(own.place())
            .see(change.place(), "that change");
        found.push(finding.help(format!("set it to {most}: a sequence never decreases")));
    }
}

const IN_ORDER: &str = "sort the changes by time";

/// Returns the time of a change if it is earlier than that of the change above it.
fn made_before<'d>(above: Node<'d>, change: Node<'d>) -> Option<Node<'d>> {
    let time = |node: Node<'d>| node.text_of("timestamp").and_then(moment);
    let own = change.get("timestamp")?;
    (time(change)? < time(above)?).then_some(own)
}

fn fork(node: Node<'_>, found: &mut Vec<Diagnostic>) {
    let Some(fork) = node.get("fork") else {
        return;
    };
    let sequences = fork
        .whole_of("parentSequence")
        .zip(node.whole_of("sequence"));
    if let (Some((parent, own)), Some(place)) = (sequences, fork.get("parentSequence"))
        && parent > own
    {
        let message = format!("the fork was created at a later sequence than its own, {own}");
        let finding = Diagnostic::warning("fork-sequence", message).at(place.place());
        found.push(
            finding.help("a fork starts with the sequence of its parent, and counts up from there"),
        );
    }
    let is_merged = fork.text_of("mergeStatus") == Some("merged");
    if let Some(status) = fork.get("mergeStatus").filter(|_| is_merged) {
        if fork.get("mergedAt").is_none() {
            let message = "the fork is merged, but has no `mergedAt`";
            let finding = Diagnostic::warning("merged-when", message).at(status.place());
            found.push(finding.help("add `mergedAt`, and `mergedBy`"));
        }
        let conflicts = fork.get("conflictResolution");
        let all = conflicts
            .into_iter()
            .flat_map(|node| node.items_of("conflicts"));
        let open = all.filter(|node| node.text_of("status") == Some("unresolved"));
        found.extend(open.map(|conflict| {
            let message = "the fork is merged, but this conflict is not resolved";
            let finding = Diagnostic::warning("unresolved-conflict", message).at(conflict.place());
            finding.help("resolve it, or set `mergeStatus` to `conflict`")
        }));
    }
    found.extend(time_order(fork, "forkedAt", "mergedAt"));
}
