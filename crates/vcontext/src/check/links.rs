//! Links to other documents.

use windlass_base::Diagnostic;

use super::Checker;
use crate::items::Items;
use crate::{Container, Document, Node};

/// The documents that a document links to.
pub trait Linked {
    /// The file at `path`, which is relative to the folder of the document, with `/`.
    fn file(&self, path: &str) -> LinkedFile;
}

/// What is at the end of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedFile {
    /// Nothing.
    Missing,
    /// A file with these bytes.
    Bytes(Vec<u8>),
    /// The path leads out of the repository, so that it is not looked at.
    Outside,
    /// Something that is not looked at: it lies elsewhere, is secret, or is no file.
    NotLookedAt,
}

impl<'d> Checker<'d> {
    pub(super) fn links(
        &mut self,
        container: Container,
        node: Node<'d>,
        items: &Items<'d>,
        linked: Option<&dyn Linked>,
    ) {
        let mut all: Vec<Node<'d>> = Vec::new();
        let nested = items
            .all
            .iter()
            .filter_map(|item| item.node.get("todoList"));
        let holders = std::iter::once(node)
            .chain(items.all.iter().map(|item| item.node))
            .chain(nested);
        for holder in holders {
            all.extend(holder.items_of("uris"));
        }
        if container == Container::Plan {
            all.extend(node.items_of("references"));
        }
        for link in all {
            let (Some(uri), Some(linked)) = (link.get("uri"), linked) else {
                continue;
            };
            if let Some(text) = uri.text() {
                self.link(link, uri, text, linked);
            }
        }
    }

    fn link(&mut self, link: Node<'d>, uri: Node<'d>, text: &str, linked: &dyn Linked) {
        let (path, fragment) = match target_of(text) {
            Target::Beside { path, fragment } => (path, fragment),
            Target::OtherHost(host) => {
                let message = format!("`{host}` is the name of a machine here, not of a folder");
                let finding = Diagnostic::warning("link-host", message).at(uri.place());
                let help = "a file beside this document is `file://./PATH`, one of this machine `file:///PATH`";
                return self.push(finding.help(help));
            }
            Target::Elsewhere => return,
        };
        let (path, fragment) = (path.as_str(), fragment.as_deref());
        let kind = link.text_of("type").unwrap_or_default();
        let wanted = Container::ALL
            .into_iter()
            .find(|one| one.link_type() == kind);
        match linked.file(path) {
            LinkedFile::NotLookedAt => {}
            LinkedFile::Outside => {
                let message = format!("`{path}` leads out of the repository, and is not looked at");
                let finding = Diagnostic::warning("link-outside", message).at(uri.place());
                let help = "others have only what is in the repository: link to a file in it, or by `https://`";
                self.push(finding.help(help));
            }
            LinkedFile::Missing => {
                let finding = Diagnostic::warning(
                    "link-missing",
                    format!("there is no file `{path}` beside this document"),
                );
                self.push(
                    finding
                        .at(uri.place())
                        .help("correct the path, which is meant from the folder of this document"),
                );
            }
            LinkedFile::Bytes(bytes) => {
                if kind.starts_with("x-vcontext") {
                    self.target(uri, path, fragment, wanted, &bytes);
                }
            }
        }
    }

    fn target(
        &mut self,
        uri: Node<'d>,
        path: &str,
        fragment: Option<&str>,
        wanted: Option<Container>,
        bytes: &[u8],
    ) {
        let found = Document::parse(path, bytes).ok();
        let found = found.as_ref().and_then(Document::container);
        let Some((container, node)) = found else {
            let finding =
                Diagnostic::warning("link-target", format!("`{path}` is no vContext document"));
            self.push(
                finding
                    .at(uri.place())
                    .help("`windlass doc check` says what is wrong with it"),
            );
            return;
        };
        if let Some(wanted) = wanted.filter(|wanted| *wanted != container) {
            let finding = Diagnostic::warning(
                "link-target",
                format!("`{path}` holds a {container}, not a {wanted}"),
            );
            self.push(
                finding
                    .at(uri.place())
                    .help(format!("write `{}` as its type", container.link_type())),
            );
        }
        let Some(id) = fragment.filter(|id| !id.is_empty()) else {
            return;
        };
        let items = Items::of(container, node);
        let in_items = items
            .all
            .iter()
            .any(|item| item.node.text_of("id") == Some(id));
        let in_events = node
            .items_of("items")
            .any(|event| event.text_of("targetId") == Some(id));
        let is_known = in_items
            || container == Container::Playbook && in_events
            || node.text_of("id") == Some(id);
        if !is_known {
            let finding =
                Diagnostic::warning("link-fragment", format!("there is no `{id}` in `{path}`"));
            self.push(
                finding
                    .at(uri.place())
                    .help("a fragment is the `id` of an item there"),
            );
        }
    }
}

/// What a URI leads to.
enum Target {
    /// A file, by a path that is relative to the folder of the document.
    Beside {
        path: String,
        fragment: Option<String>,
    },
    /// A file of another machine.
    OtherHost(String),
    /// Something that is not looked at.
    Elsewhere,
}

/// By RFC 8089 `file://HOST/PATH` is a file of a machine, of this one where `HOST` is empty or `localhost`. The
/// specification writes what is relative to the document as `file://./PATH`, and so `file://../PATH` leads upwards.
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

/// A text with `%20` and the like as what they stand for; as it is, where they stand for nothing.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let hex = hex.filter(|hex| *first == b'%' && !hex.starts_with('+'));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
