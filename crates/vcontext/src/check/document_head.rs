use windlass_base::Diagnostic;

use super::field_shapes::FieldShapes;
use crate::migrate::later_version;
use crate::specification::HEADERS;
use crate::{Container, Document, Node, Shape, Version};

/// Reports a document that is not vContext at all, or whose version is later than any we know.
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
    let help = format!(
        "update windlass, or write the document as version `{}`",
        later.newest
    );
    Some(finding.help(help))
}

/// Checks the document information, and that the document has exactly one container.
pub(super) fn check(document: &Document, shapes: &mut FieldShapes<'_>) {
    let (root, version) = (document.root(), document.version());
    match document.info() {
        None => {
            let (header, number) = (version.header(), version.number());
            let finding = Diagnostic::error("missing-info", format!("`{header}` is missing"));
            let help =
                format!("start the document with `\"{header}\": {{\"version\": \"{number}\"}}`");
            shapes.found.push(finding.at(root.place()).help(help));
        }
        Some(info) => {
            shapes.entity(info, Shape::of_info());
            shapes.found.extend(wrong_version(info, version));
            shapes.found.extend(second_header(root, info));
        }
    }
    let all = Container::ALL.into_iter();
    let found: Vec<Node<'_>> = all.filter_map(|one| root.get(one.field())).collect();
    let Some((first, others)) = found.split_first() else {
        return shapes.found.push(no_container(document));
    };
    if let Some(other) = foreign_container(document) {
        return shapes.found.push(other);
    }
    shapes.found.extend(others.iter().map(|other| {
        let message = "a document holds one container, but this is another one";
        Diagnostic::error("several-containers", message)
            .at(other.key_place())
            .see(first.key_place(), "the first one")
            .help("move it to its own document, and link it by `uris`")
    }));
}

/// Reports document information in another format, in addition to the one we read.
fn second_header(root: Node<'_>, info: Node<'_>) -> Option<Diagnostic> {
    let mut all = HEADERS
        .into_iter()
        .filter_map(|name| Some((name, root.member(name)?)));
    let (name, other) = all.find(|(_, one)| !std::ptr::eq(one.value(), info.value()))?;
    let message = format!("`{name}` is the document information of another format");
    let finding = Diagnostic::error("several-headers", message).at(other.key_place());
    Some(
        finding
            .see(info.key_place(), "the first one")
            .help(format!("remove `{name}`")),
    )
}

fn no_container(document: &Document) -> Diagnostic {
    let names = document
        .version()
        .containers()
        .map(|one| format!("`{}`", one.field()));
    let names: Vec<String> = names.collect();
    let message = match &names[..] {
        [others @ .., last] if !others.is_empty() => {
            format!("missing {} or {last}", others.join(", "))
        }
        _ => format!("missing {}", names.concat()),
    };
    let finding = Diagnostic::error("no-container", message).at(document.root().place());
    match names.len() {
        1 => finding.help("add it: an object with `title`, `status` and `items`"),
        _ => finding.help("a document holds exactly one of them"),
    }
}

/// Reports a container that the document's version does not have.
fn foreign_container(document: &Document) -> Option<Diagnostic> {
    let version = document.version();
    let known = |one: &Container| version.containers().any(|own| own == *one);
    let mut foreign = Container::ALL.into_iter().filter(|one| !known(one));
    let (one, node) = foreign.find_map(|one| Some((one, document.root().get(one.field())?)))?;
    let message = format!("version {} has no `{}`", version.number(), one.field());
    let finding = Diagnostic::error("foreign-container", message).at(node.key_place());
    Some(finding.help("move its contents to `plan`, or write the document as version `0.4`"))
}

fn wrong_version(info: Node<'_>, expected: &Version) -> Option<Diagnostic> {
    let version = info.get("version")?;
    let expected = expected.number();
    let text = version.text().filter(|text| *text != expected)?;
    let text: String = text.chars().take(20).collect();
    let message = format!("the version is `{text}`, expected `{expected}`");
    let finding = Diagnostic::error("wrong-version", message).at(version.place());
    Some(finding.help("run `windlass doc migrate` to convert an older document"))
}
