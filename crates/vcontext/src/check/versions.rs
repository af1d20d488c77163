//! What may only grow, compared with the document as it was before.

use std::collections::BTreeMap;

use windlass_base::Diagnostic;

use super::Checker;
use crate::{Document, Node};

impl<'d> Checker<'d> {
    pub(super) fn versions(&mut self, before: &Document) {
        let (Some((own, node)), Some((other, old))) =
            (self.document.container(), before.container())
        else {
            return;
        };
        if own != other {
            let message = format!("this was a {other} before, and is a {own} now");
            self.push(Diagnostic::error("other-container", message).at(node.key_place()));
            return;
        }
        for name in ["sequence", "version"] {
            let Some((now, then)) = node.whole_of(name).zip(old.whole_of(name)) else {
                continue;
            };
            if let Some(place) = node.get(name).filter(|_| now < then) {
                let message = format!("`{name}` went back from {then} to {now}");
                let finding = Diagnostic::error("sequence-decreased", message).at(place.place());
                self.push(finding.help(format!("write at least {then}")));
            }
        }
        for (node, old) in [
            (Some(node), Some(old)),
            (node.get("playbook"), old.get("playbook")),
        ] {
            if let (Some(node), Some(old)) = (node, old) {
                self.events_kept(node, old);
            }
        }
    }

    /// An event is never changed or taken out.
    fn events_kept(&mut self, node: Node<'d>, old: Node<'_>) {
        let events: BTreeMap<&str, Node<'d>> = node
            .items_of("items")
            .filter_map(|event| Some((event.text_of("eventId")?, event)))
            .collect();
        for event in old.items_of("items") {
            let Some(id) = event.text_of("eventId") else {
                continue;
            };
            match events.get(id) {
                None => {
                    let place = node.get("items").unwrap_or(node).key_place();
                    let finding = Diagnostic::error(
                        "event-removed",
                        format!("the event `{id}` was taken out"),
                    );
                    self.push(
                        finding
                            .at(place)
                            .help("put it back; an entry ends by an event that deprecates it"),
                    );
                }
                Some(own) if own.value() != event.value() => {
                    let finding =
                        Diagnostic::error("event-changed", format!("the event `{id}` was changed"));
                    self.push(
                        finding
                            .at(own.place())
                            .help("put it back as it was, and append an `update`"),
                    );
                }
                Some(_) => {}
            }
        }
    }
}
