//! Compares a document with its previous version, since some values may only grow.

use std::collections::BTreeMap;

use windlass_base::Diagnostic;

use super::findings::Findings;
use crate::items::Items;
use crate::{Document, Node};

pub(super) fn check(document: &Document, before: &Document, found: &mut Findings) {
    let (Some((own, node)), Some((other, old))) = (document.container(), before.container()) else {
        return;
    };
    if own != other {
        let message = format!("the document was a {other}, but is a {own} now");
        found.push(Diagnostic::error("other-container", message).at(node.key_place()));
        return;
    }
    let inner = node.get("playbook").zip(old.get("playbook"));
    grows(node, old, "", found);
    events_kept(node, old, found);
    if let Some((node, old)) = inner {
        events_kept(node, old, found);
        grows(node, old, "of the playbook ", found);
    }
    items_grow(&Items::of(own, node), &Items::of(other, old), found);
}

/// Checks that the counters of changes have not decreased.
fn grows(node: Node<'_>, old: Node<'_>, whose: &str, found: &mut Findings) {
    for name in ["sequence", "version"] {
        let Some((now, then)) = node.whole_of(name).zip(old.whole_of(name)) else {
            continue;
        };
        if let Some(place) = node.get(name).filter(|_| now < then) {
            let message = format!("`{name}` {whose}decreased from {then} to {now}");
            let finding = Diagnostic::error("sequence-decreased", message).at(place.place());
            found.push(finding.help(format!("set it to at least {then}")));
        }
    }
}

/// Checks the counters of items, and of the lists in stages.
///
/// We find the previous version of an item by its `uid`, which stays the same wherever the item is
/// moved. If that fails, it's the item with the same `id` in the same list.
fn items_grow(items: &Items<'_>, old: &Items<'_>, found: &mut Findings) {
    let mut by_uid: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    let mut by_id: BTreeMap<(String, &str), Node<'_>> = BTreeMap::new();
    for (at, item) in old.all.iter().enumerate() {
        if let Some(uid) = item.node.text_of("uid") {
            by_uid.entry(uid).or_insert(item.node);
        }
        if let Some(id) = item.node.text_of("id") {
            by_id.entry((old.path(at), id)).or_insert(item.node);
        }
    }
    for (at, item) in items.all.iter().enumerate() {
        let uid = item.node.text_of("uid");
        let id = item.node.text_of("id");
        let before = uid.and_then(|uid| by_uid.get(uid)).or_else(|| {
            let before = by_id.get(&(items.path(at), id?))?;
            // If both have a `uid` and they differ, they're different items.
            let other = before.text_of("uid");
            (uid.is_none() || other.is_none()).then_some(before)
        });
        let Some(before) = before else {
            continue;
        };
        let whose = format!("of {} ", items.label(at));
        grows(item.node, *before, &whose, found);
        if let (Some(list), Some(before)) = (item.node.get("todoList"), before.get("todoList")) {
            grows(
                list,
                before,
                &format!("of the list in {} ", items.label(at)),
                found,
            );
        }
    }
}

/// Checks that all events are still there and unchanged.
fn events_kept<'d>(node: Node<'d>, old: Node<'_>, found: &mut Findings) {
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
                let finding =
                    Diagnostic::error("event-removed", format!("the event `{id}` was removed"));
                found.push(
                    finding
                        .at(place)
                        .help("restore it; to end an entry, append an event that deprecates it"),
                );
            }
            Some(own) if own.value() != event.value() => {
                let finding =
                    Diagnostic::error("event-changed", format!("the event `{id}` was changed"));
                found.push(
                    finding
                        .at(own.place())
                        .help("restore it, and append an `update`"),
                );
            }
            Some(_) => {}
        }
    }
}
