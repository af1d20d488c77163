use windlass_base::Diagnostic;

use super::field_shapes::FieldShapes;
use crate::migrate::later_version;
use crate::{Container, Document, Node, Shape, VERSION};

/// Returns a finding if the document is not vContext, or of a later version.
pub(super) fn foreign(document: &Document) -> Option<Diagnostic> {
    let root = document.root();
    if root.value().as_object().is_none() {
        let finding = Diagnostic::error("not-an-object", "the document is not an object");
        return Some(finding.at(root.place()).help(
            "a document is `{\"vContextInfo\": {\"version\": \"0.4\"}, \"todoList\": {\"items\": []}}`, or has a `plan` or a `playbook`",
        ));
    }
    let later = later_version(document.value())?;
    let node = document.at(&later.at).unwrap_or(root);
    let finding = Diagnostic::error("later-version", later.to_string()).at(node.key_place());
    Some(finding.help("update windlass, or write the document as version `0.4`"))
}

/// Checks `vContextInfo`, and that there is exactly one container.
pub(super) fn check(root: Node<'_>, shapes: &mut FieldShapes<'_>) {
    match root.get("vContextInfo") {
        None => shapes.found.push(
            Diagnostic::error("missing-info", "`vContextInfo` is missing")
                .at(root.place())
                .help("start the document with `\"vContextInfo\": {\"version\": \"0.4\"}`"),
        ),
        Some(info) => {
            shapes.entity(info, Shape::of_info());
            shapes.found.extend(version(info));
        }
    }
    let all = Container::ALL.into_iter();
    let found: Vec<Node<'_>> = all.filter_map(|one| root.get(one.field())).collect();
    let Some((first, others)) = found.split_first() else {
        let message = "missing `todoList`, `plan` or `playbook`";
        let finding = Diagnostic::error("no-container", message).at(root.place());
        return shapes
            .found
            .push(finding.help("a document holds exactly one of them"));
    };
    shapes.found.extend(others.iter().map(|other| {
        let message = "a document holds one container, but this is another one";
        Diagnostic::error("several-containers", message)
            .at(other.key_place())
            .see(first.key_place(), "the first one")
            .help("move it to its own document, and link it by `uris`")
    }));
}

fn version(info: Node<'_>) -> Option<Diagnostic> {
    let version = info.get("version")?;
    let text = version.text().filter(|text| *text != VERSION)?;
    let text: String = text.chars().take(20).collect();
    let message = format!("the version is `{text}`, expected `{VERSION}`");
    let finding = Diagnostic::error("wrong-version", message).at(version.place());
    Some(finding.help("run `windlass doc migrate` to convert an older document"))
}
