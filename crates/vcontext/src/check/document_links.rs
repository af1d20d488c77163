//! Checks links to other documents.
//!
//! Without access to the file system, the checks ask [`Linked`] for the target of a link. All
//! findings are just warnings, because the file may exist for other users even if it is missing
//! here.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use windlass_base::Diagnostic;

use super::plan_items::plan_refs;
use crate::items::Items;
use crate::{Container, Document, Node};

/// Access to linked documents for the checks.
pub trait Linked {
    /// Reads a linked file. `path` is relative to the folder of the document, and always uses `/`.
    fn file(&self, path: &str) -> LinkedFile;
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedFile {
    /// The file does not exist.
    Missing,
    /// The contents of the file.
    Bytes(Vec<u8>),
    /// The path leads out of the repository, so we do not read the file.
    Outside,
    /// The target is elsewhere, secret or not a file. We do not read it, and that does no harm of
    /// the document.
    NotLookedAt,
}

pub(super) fn check<'d>(
    container: Container,
    node: Node<'d>,
    items: &Items<'d>,
    linked: &dyn Linked,
) -> Vec<Diagnostic> {
    // A list in a stage has links of its own.
    let lists = items
        .all
        .iter()
        .filter_map(|item| item.node.get("todoList"));
    let holders = std::iter::once(node)
        .chain(items.all.iter().map(|item| item.node))
        .chain(lists);
    let links = holders.flat_map(|holder| holder.items_of("uris"));
    let references = node.items_of("references");
    // Only plans have `references`.
    let references = references.filter(|_| container == Container::Plan);
    let all = links.chain(references).filter_map(|link| {
        let kind = link.text_of("type").unwrap_or_default();
        Some((kind, link.get("uri")?))
    });
    let plans = items.all.iter().flat_map(|item| plan_refs(item.node));
    let all = all.chain(plans.map(|link| (PLAN_LINK, link)));
    all.flat_map(|(kind, uri)| {
        uri.text().map_or_else(Vec::new, |text| {
            let found = link_of(kind, text, linked).into_iter();
            found.map(|finding| finding.at(uri.place())).collect()
        })
    })
    .collect()
}

/// The type of the links that plan items have in later versions.
const PLAN_LINK: &str = "x-xbrief/plan";

/// Returns the problems of a link. The caller adds its location.
fn link_of(kind: &str, uri: &str, linked: &dyn Linked) -> Vec<Diagnostic> {
    let (path, fragment) = match target_of(uri) {
        Target::Beside { path, fragment } => (path, fragment),
        Target::OtherHost(host) => {
            let message = format!("`{host}` is read as a host name, not as a folder");
            return vec![Diagnostic::warning("link-host", message).help(
                "write `file://./PATH` for a file beside this document, `file:///PATH` for a file of this machine",
            )];
        }
        Target::Elsewhere => return Vec::new(),
    };
    match linked.file(&path) {
        LinkedFile::NotLookedAt => Vec::new(),
        LinkedFile::Outside => {
            let message = format!("`{path}` leads out of the repository, and is not checked");
            vec![Diagnostic::warning("link-outside", message).help(
                "link to a file in the repository, or by `https://`: other users have no other files",
            )]
        }
        LinkedFile::Missing => {
            let message = format!("no file `{path}` beside this document");
            vec![
                Diagnostic::warning("link-missing", message)
                    .help("correct the path, which is relative to the folder of this document"),
            ]
        }
        LinkedFile::Bytes(bytes) => {
            let is_document = [PLAN_LINK, "x-vbrief/plan"].contains(&kind);
            match is_document || kind.starts_with("x-vcontext") {
                true => linked_document(&path, fragment.as_deref(), kind, &bytes),
                false => Vec::new(),
            }
        }
    }
}

fn linked_document(
    path: &str,
    fragment: Option<&str>,
    kind: &str,
    bytes: &[u8],
) -> Vec<Diagnostic> {
    let document = Document::parse(path, bytes).ok();
    let Some((container, node)) = document.as_ref().and_then(Document::container) else {
        let finding = Diagnostic::warning(
            "link-target",
            format!("`{path}` is not a vContext document"),
        );
        return vec![finding.help("run `windlass doc check` on it")];
    };
    let mut found = Vec::new();
    let mut wanted = Container::ALL.into_iter();
    let wanted = wanted.find(|one| one.link_type() == kind && *one != container);
    if let Some(wanted) = wanted {
        let message = format!("`{path}` holds a {container}, not a {wanted}");
        let finding = Diagnostic::warning("link-target", message);
        found.push(finding.help(format!("write `{}` as its type", container.link_type())));
    }
    if let Some(id) = fragment.filter(|id| !id.is_empty()) {
        let has = |node: Node<'_>, field: &str| node.text_of(field) == Some(id);
        let items = Items::of(container, node);
        let is_known = has(node, "id")
            || items.all.iter().any(|item| has(item.node, "id"))
            // The entries of a playbook have no `id`, and are named by their events instead.
            || container == Container::Playbook
                && node.items_of("items").any(|event| has(event, "targetId"));
        if !is_known {
            let message = format!("no item `{id}` in `{path}`");
            let finding = Diagnostic::warning("link-fragment", message);
            found.push(finding.help("use the `id` of an item there as the fragment"));
        }
    }
    found
}

enum Target {
    /// A file below or beside the document. `path` is relative to the document's folder.
    Beside {
        path: String,
        fragment: Option<String>,
    },
    /// A file on another host. Authors usually mean a folder.
    OtherHost(String),
    /// Any other target, which we do not check.
    Elsewhere,
}

/// Parses the target of a link.
///
/// In RFC 8089, `file://HOST/PATH` is a file on a host, or on this machine if `HOST` is empty or
/// `localhost`. The specification writes a path relative to the document as `file://./PATH`. By the
/// same logic, `file://../PATH` leads upwards.
fn target_of(uri: &str) -> Target {
    let is_file = uri
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    let Some(rest) = uri.get(5..).filter(|_| is_file) else {
        return Target::Elsewhere;
    };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(decoded(fragment))),
        None => (rest, None),
    };
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    let (relative, has_host) = match rest.strip_prefix("//") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let (first, path) = relative.split_once('/').unwrap_or((relative, ""));
    match first {
        "." | ".." if !path.is_empty() => Target::Beside {
            path: decoded(relative.strip_prefix("./").unwrap_or(relative)),
            fragment,
        },
        "" | "." | ".." => Target::Elsewhere,
        host if !has_host || host.eq_ignore_ascii_case("localhost") => Target::Elsewhere,
        host => Target::OtherHost(host.chars().take(60).collect()),
    }
}

/// Decodes escapes such as `%20`. The text stays as it is if they do not give valid UTF-8.
fn decoded(text: &str) -> String {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map_or_else(|_| text.to_owned(), Cow::into_owned)
}
