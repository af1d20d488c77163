//! Checks `id`, `uid` and the titles of narratives.

use std::collections::BTreeMap;

use windlass_base::Diagnostic;

use super::findings::Findings;
use crate::items::Items;
use crate::specification::Titles;
use crate::{Container, Kind, Node, Shape};

pub(super) fn check<'d>(
    container: Container,
    node: Node<'d>,
    items: &Items<'d>,
    found: &mut Findings,
) {
    let mut ids: BTreeMap<(usize, &str), Node<'d>> = BTreeMap::new();
    let mut uids: BTreeMap<&str, Node<'d>> = BTreeMap::new();
    let named =
        |node: Node<'d>, field: &str| node.get(field).and_then(|own| Some((own, own.text()?)));
    // The container may have a `uid` as well, and no item may share it.
    if let Some((uid, text)) = named(node, "uid") {
        uids.insert(text, uid);
    }
    for item in &items.all {
        if let Some((id, text)) = named(item.node, "id") {
            let first = *ids.entry((item.scope, text)).or_insert(id);
            if !std::ptr::eq(first.value(), id.value()) {
                let message = format!("duplicate item `{text}`");
                let finding = Diagnostic::error("duplicate-id", message).at(id.place());
                found.push(
                    finding
                        .see(first.place(), "the first one")
                        .help("give one of them another `id`, and update the dependencies on it"),
                );
            }
        }
        if let Some((uid, text)) = named(item.node, "uid") {
            let first = *uids.entry(text).or_insert(uid);
            if !std::ptr::eq(first.value(), uid.value()) {
                let message = format!("duplicate `uid` `{text}`");
                let finding = Diagnostic::warning("duplicate-uid", message).at(uid.place());
                let finding = finding.see(first.place(), "the first one");
                found.push(
                    finding.help("give one of them another `uid`: it has to be unique everywhere"),
                );
            }
        }
    }
    match container {
        Container::Plan if node.version().titles == Titles::Lower => {
            found.extend(node.get("narratives").into_iter().flat_map(plan_titles));
        }
        Container::Plan => found.extend(item_titles(node, "narratives")),
        Container::TodoList => found.extend(item_titles(node, "narrative")),
        Container::Playbook => {
            let items = node.items_of("items");
            found.extend(items.flat_map(|item| item_titles(item, "narrative")));
        }
    }
    let all = items.all.iter();
    found.extend(all.flat_map(|item| item_titles(item.node, "narrative")));
}

/// Checks that the titles of a plan's narratives are in lower case.
fn plan_titles(narratives: Node<'_>) -> impl Iterator<Item = Diagnostic> {
    narratives.members().filter_map(|(key, member)| {
        let lower = key.to_lowercase();
        let shape = Shape::of("Narratives");
        let is_other_case = shape.field(key).is_none() && shape.field(&lower).is_some();
        is_other_case.then(|| other_case(member, key, &lower))
    })
}

/// Checks that the titles of all other narratives start with a capital letter.
fn item_titles(node: Node<'_>, field: &'static str) -> impl Iterator<Item = Diagnostic> {
    let narrative = node.get(field).into_iter().flat_map(Node::members);
    narrative.filter_map(|(key, member)| {
        let lower = key.to_ascii_lowercase();
        let field = Shape::of("Narratives").field(&lower);
        // Other keys aren't titles of narratives, so we leave them alone.
        field.filter(|field| matches!(field.kind, Kind::Text | Kind::Name))?;
        let (first, rest) = lower.split_at(1);
        let title = format!("{}{rest}", first.to_ascii_uppercase());
        (title != key).then(|| other_case(member, key, &title))
    })
}

fn other_case(member: Node<'_>, key: &str, standard: &str) -> Diagnostic {
    let message = format!("the narrative `{key}` has to be named `{standard}` here");
    let finding = Diagnostic::warning("narrative-title", message).at(member.key_place());
    finding.help(format!("write `{standard}`"))
}
