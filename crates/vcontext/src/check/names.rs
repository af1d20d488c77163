//! `id` and `uid`, and the titles of narratives.

use std::collections::BTreeMap;

use windlass_base::Diagnostic;

use super::Checker;
use crate::items::Items;
use crate::{Container, Narratives, Node};

/// The titles that narratives of items have by the specification.
const TITLES: [&str; 13] = [
    "Overview",
    "Background",
    "Problem",
    "Constraint",
    "Proposal",
    "Hypothesis",
    "Alternative",
    "Risk",
    "Test",
    "Action",
    "Observation",
    "Result",
    "Reflection",
];

impl<'d> Checker<'d> {
    pub(super) fn names(&mut self, container: Container, node: Node<'d>, items: &Items<'d>) {
        let mut ids: BTreeMap<(usize, &str), Node<'d>> = BTreeMap::new();
        let mut uids: BTreeMap<&str, Node<'d>> = BTreeMap::new();
        if let Some(uid) = node.get("uid")
            && let Some(text) = uid.text()
        {
            uids.insert(text, uid);
        }
        for item in &items.all {
            if let Some(id) = item.node.get("id")
                && let Some(text) = id.text()
                && let Some(first) = ids.get(&(item.scope, text))
            {
                self.push(
                    Diagnostic::error("duplicate-id", format!("there are two items `{text}`"))
                        .at(id.place())
                        .see(first.place(), "the first one")
                        .help(
                            "give one of them another `id`, and name that where it is depended on",
                        ),
                );
            } else if let Some(id) = item.node.get("id")
                && let Some(text) = id.text()
            {
                ids.insert((item.scope, text), id);
            }
            let Some(uid) = item.node.get("uid") else {
                continue;
            };
            let Some(text) = uid.text() else {
                continue;
            };
            if let Some(first) = uids.get(text) {
                self.push(
                    Diagnostic::warning(
                        "duplicate-uid",
                        format!("the `uid` `{text}` is there twice"),
                    )
                    .at(uid.place())
                    .see(first.place(), "the first one")
                    .help("a `uid` is to be unique everywhere"),
                );
            } else {
                uids.insert(text, uid);
            }
        }
        self.titles(container, node);
        for item in &items.all {
            self.item_titles(item.node);
        }
    }

    /// The keys of a plan's narratives are in lower case, those of all others begin with a capital.
    fn titles(&mut self, container: Container, node: Node<'d>) {
        match container {
            Container::Plan => {
                let Some(narratives) = node.get("narratives") else {
                    return;
                };
                for (key, member) in narratives.members() {
                    let lower = key.to_lowercase();
                    let is_other_case = Narratives::shape().field(key).is_none()
                        && Narratives::shape().field(&lower).is_some();
                    if is_other_case {
                        self.other_case(member, key, &lower);
                    }
                }
            }
            Container::TodoList => self.item_titles(node),
            Container::Playbook => node
                .items_of("items")
                .for_each(|event| self.item_titles(event)),
        }
    }

    fn item_titles(&mut self, node: Node<'d>) {
        let Some(narrative) = node.get("narrative") else {
            return;
        };
        for (key, member) in narrative.members() {
            if let Some(title) = TITLES
                .iter()
                .find(|title| title.eq_ignore_ascii_case(key) && **title != key)
            {
                self.other_case(member, key, title);
            }
        }
    }

    fn other_case(&mut self, member: Node<'d>, key: &str, standard: &str) {
        let message = format!("the narrative `{key}` is called `{standard}` here");
        let finding = Diagnostic::warning("narrative-title", message).at(member.key_place());
        self.push(finding.help(format!("write `{standard}`, so that it is found")));
    }
}
