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
        let Some(target) = text.strip_prefix("file://.") else {
            return;
        };
        let target = target.trim_start_matches('/');
        let (path, fragment) = match target.split_once('#') {
            Some((path, fragment)) => (path, Some(fragment)),
            None => (target, None),
        };
        if path.is_empty() {
            return;
        }
        let kind = link.text_of("type").unwrap_or_default();
        let wanted = Container::ALL
            .into_iter()
            .find(|one| one.link_type() == kind);
        match linked.file(path) {
            LinkedFile::NotLookedAt => {}
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
