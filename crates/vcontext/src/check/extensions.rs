//! The extensions that a document says it uses.

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, did_you_mean};

use super::Checker;
use crate::{Extension, Kind, Node, Shape, VContextInfo};

impl<'d> Checker<'d> {
    /// Only where the document lists them: it need not.
    pub(super) fn extensions(&mut self) {
        let root = self.document.root();
        let list = root
            .get("vContextInfo")
            .and_then(|info| info.get("metadata")?.get("extensions"));
        let Some(list) = list.filter(|list| list.value().as_array().is_some()) else {
            return;
        };
        let mut declared: BTreeMap<Extension, Node<'d>> = BTreeMap::new();
        for node in list.items() {
            let Some(slug) = node.text() else {
                continue;
            };
            match Extension::from_slug(slug) {
                Some(extension) => drop(declared.insert(extension, node)),
                None => {
                    if let Some(near) = did_you_mean(slug, Extension::ALL.map(Extension::slug)) {
                        let message = format!("there is no common extension `{slug}`");
                        let finding =
                            Diagnostic::warning("unknown-extension", message).at(node.place());
                        self.push(finding.help(format!("did you mean `{near}`?")));
                    }
                }
            }
        }
        for (extension, node) in &declared {
            if let Some(needed) = extension
                .needs()
                .filter(|needed| !declared.contains_key(needed))
            {
                let message = format!(
                    "extension {} (`{}`) builds on extension {}, which is not listed",
                    extension.number(),
                    extension.slug(),
                    needed.number()
                );
                let finding =
                    Diagnostic::warning("extension-prerequisite", message).at(node.place());
                self.push(finding.help(format!("list `{}` as well", needed.slug())));
            }
        }
        let mut used = BTreeMap::new();
        if let Some(info) = root.get("vContextInfo") {
            uses(info, VContextInfo::shape(), &mut used);
        }
        if let Some((container, node)) = self.document.container() {
            uses(node, container.shape(), &mut used);
        }
        for (extension, (field, node)) in used {
            if extension != Extension::Core && !declared.contains_key(&extension) {
                let message = format!(
                    "`{field}` is from extension {} (`{}`), which is not listed",
                    extension.number(),
                    extension.slug()
                );
                let finding =
                    Diagnostic::warning("undeclared-extension", message).at(node.key_place());
                let why = "the extensions that are listed";
                let help = format!(
                    "add `{}` to `vContextInfo.metadata.extensions`",
                    extension.slug()
                );
                self.push(finding.see(list.key_place(), why).help(help));
            }
        }
    }
}

/// The extensions that fields are from, each with the first such field.
fn uses<'d>(
    node: Node<'d>,
    shape: &'static Shape,
    used: &mut BTreeMap<Extension, (&'static str, Node<'d>)>,
) {
    for (key, member) in node.members() {
        let Some(field) = shape.field(key).filter(|_| !member.value().is_null()) else {
            continue;
        };
        used.entry(field.extension).or_insert((field.name, member));
        match field.kind {
            Kind::Entity(inner) => uses(member, inner(), used),
            Kind::List(Kind::Entity(inner)) => {
                member.items().for_each(|item| uses(item, inner(), used));
            }
            _ => {}
        }
    }
}
