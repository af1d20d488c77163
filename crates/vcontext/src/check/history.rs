//! Sequences, logs of changes, forks and locks.

use windlass_base::Diagnostic;

use super::Checker;
use crate::items::Items;
use crate::time::moment;
use crate::{Container, Node};

impl<'d> Checker<'d> {
    pub(super) fn history(&mut self, container: Container, node: Node<'d>, items: &Items<'d>) {
        if container != Container::Playbook {
            self.change_log(node);
            self.fork(node);
        }
        for item in &items.all {
            if let Some(inner) = item.node.get("todoList") {
                self.change_log(inner);
                self.fork(inner);
            }
            if let Some(lock) = item.node.get("lockedBy") {
                self.time_order(lock, "acquiredAt", "expiresAt");
            }
        }
    }

    fn change_log(&mut self, node: Node<'d>) {
        let mut last: Option<(i64, Node<'d>)> = None;
        let mut before: Option<Node<'d>> = None;
        for change in node.items_of("changeLog") {
            if let (Some(sequence), Some(own)) =
                (change.whole_of("sequence"), change.get("sequence"))
            {
                if let Some((most, first)) = last.filter(|(most, _)| sequence < *most) {
                    let message = format!("the sequence goes back from {most} to {sequence}");
                    self.push(
                        Diagnostic::error("sequence-order", message)
                            .at(own.place())
                            .see(first.place(), "the one before")
                            .help("put the changes in the order in which they were made"),
                    );
                }
                if last.is_none_or(|(most, _)| sequence > most) {
                    last = Some((sequence, own));
                }
            }
            let time = |node: Node<'d>| node.text_of("timestamp").and_then(moment);
            if let (Some(earlier), Some(own)) = (before, change.get("timestamp"))
                && let (Some(one), Some(other)) = (time(earlier), time(change))
                && other < one
            {
                let finding = Diagnostic::warning(
                    "change-order",
                    "this change was made before the one above it",
                );
                self.push(
                    finding
                        .at(own.place())
                        .help("put the changes in the order in which they were made"),
                );
            }
            before = Some(change);
        }
        if let (Some((most, change)), Some(own), Some(sequence)) =
            (last, node.get("sequence"), node.whole_of("sequence"))
            && sequence < most
        {
            let message = format!("the sequence is {sequence}, and the last change has {most}");
            self.push(
                Diagnostic::error("sequence-behind", message)
                    .at(own.place())
                    .see(change.place(), "that change")
                    .help(format!("write {most}: a sequence never goes back")),
            );
        }
    }

    fn fork(&mut self, node: Node<'d>) {
        let Some(fork) = node.get("fork") else {
            return;
        };
        if let (Some(parent), Some(own)) = (fork.get("parentSequence"), node.whole_of("sequence"))
            && parent
                .value()
                .as_number()
                .and_then(windlass_tron::Number::as_i64)
                .is_some_and(|parent| parent > own)
        {
            let message = format!("it was copied at a later sequence than its own, {own}");
            let finding = Diagnostic::warning("fork-sequence", message).at(parent.place());
            self.push(
                finding
                    .help("a copy begins with the sequence of its parent, and goes on from there"),
            );
        }
        let is_merged = fork.text_of("mergeStatus") == Some("merged");
        if let Some(status) = fork.get("mergeStatus").filter(|_| is_merged) {
            if fork.get("mergedAt").is_none() {
                let finding =
                    Diagnostic::warning("merged-when", "it is merged, and nothing says when");
                self.push(
                    finding
                        .at(status.place())
                        .help("add `mergedAt`, and `mergedBy`"),
                );
            }
            let conflicts = fork.get("conflictResolution");
            let open = conflicts
                .into_iter()
                .flat_map(|node| node.items_of("conflicts"));
            for conflict in open.filter(|node| node.text_of("status") == Some("unresolved")) {
                let finding = Diagnostic::warning(
                    "unresolved-conflict",
                    "it is merged, and this conflict is not resolved",
                );
                self.push(
                    finding
                        .at(conflict.place())
                        .help("resolve it, or set `mergeStatus` to `conflict`"),
                );
            }
        }
        self.time_order(fork, "forkedAt", "mergedAt");
    }
}
