//! What is wrong with a document, by the whole of the specification: each finding with its place, the name of its rule
//! and what to do. An error breaks a MUST of the specification, or leaves the document without a meaning; a warning is
//! about a SHOULD, or about what contradicts itself.

mod extensions;
mod graph;
mod head;
mod history;
mod links;
mod names;
mod relations;
mod shapes;
mod threads;
mod times;
mod versions;

use windlass_base::{Diagnostic, Diagnostics, Place, Severity};

use crate::items::Items;
use crate::migrate::{MigrationChange, later_version, migrate};
use crate::{Container, Document, Encoding, Node};

pub use links::{Linked, LinkedFile};

/// What is looked at beside the document itself.
#[derive(Default, Clone, Copy)]
pub struct CheckOptions<'a> {
    /// The documents that it links to.
    pub linked: Option<&'a dyn Linked>,
    /// The same document as it was before: what may only grow is compared with it.
    pub before: Option<&'a Document>,
    /// What the document is called in commands that are advised; what its source is called, if nothing is said.
    pub called: Option<&'a str>,
}

/// The most findings that are reported; more help nobody.
const MAX_FINDINGS: usize = 200;

/// What is wrong with `document`, in the order of its text.
#[must_use]
pub fn check(document: &Document, options: &CheckOptions<'_>) -> Diagnostics {
    let mut checker = Checker {
        document,
        called: options
            .called
            .unwrap_or(document.source().name())
            .to_owned(),
        found: Vec::new(),
        compared: 0,
    };
    if checker.foreign() {
        return checker.finish();
    }
    let older = migrate(document.value())
        .map(|migrated| migrated.changes)
        .unwrap_or_default();
    checker.head();
    if let Some((container, node)) = document.container() {
        checker.container(container, node, options);
    }
    if let Some(before) = options.before {
        checker.versions(before);
    }
    checker.older(&older);
    checker.finish()
}

struct Checker<'d> {
    document: &'d Document,
    called: String,
    found: Vec<Diagnostic>,
    /// How many names were compared with ones that are not there.
    compared: usize,
}

impl<'d> Checker<'d> {
    fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// Whether there is more than anybody reads, so that further findings need not be worded well.
    fn is_full(&self) -> bool {
        self.found.len() > 2 * MAX_FINDINGS
    }

    /// Whether `null` is how a field is left out: in an instance of a class there is no other way.
    fn takes_null(&self) -> bool {
        self.document.encoding() == Encoding::Tron
    }

    fn container(&mut self, container: Container, node: Node<'d>, options: &CheckOptions<'_>) {
        self.entity(node, container.shape());
        let items = Items::of(container, node);
        self.names(container, node, &items);
        self.graph(&items);
        self.history(container, node, &items);
        self.times(container, node, &items);
        self.extensions();
        match container {
            Container::Playbook => self.threads(node),
            _ => {
                if let Some(embedded) = node.get("playbook") {
                    self.threads(embedded);
                }
            }
        }
        self.links(container, node, &items, options.linked);
    }

    /// Whether it is no document of this specification, or of a later version.
    fn foreign(&mut self) -> bool {
        let root = self.document.root();
        if root.value().as_object().is_none() {
            self.push(
                Diagnostic::error("not-an-object", "the document is no object")
                    .at(root.place())
                    .help("a document is `{\"vContextInfo\": {\"version\": \"0.4\"}, \"todoList\": {\"items\": []}}`, or has a `plan` or a `playbook`"),
            );
            return true;
        }
        let Some(later) = later_version(self.document.value()) else {
            return false;
        };
        let node = self.document.at(&later.at).unwrap_or(root);
        self.push(
            Diagnostic::error("later-version", later.to_string())
                .at(node.key_place())
                .help("update windlass, or write the document as version `0.4`"),
        );
        true
    }

    /// Tells what has an older shape; what is wrong only because of that goes without saying.
    fn older(&mut self, changes: &[MigrationChange]) {
        let count = changes.len();
        let mut changes: Vec<&MigrationChange> = changes.iter().collect();
        if count >= MAX_FINDINGS {
            // Nobody reads more, and what comes of them alone need not be told apart.
            changes.sort_by_key(|change| !change.breaks);
            changes.truncate(MAX_FINDINGS - 1);
            if changes.first().is_some_and(|change| change.breaks) {
                self.found.clear();
            }
        }
        let places: Vec<(Place, &MigrationChange)> = changes
            .iter()
            .map(|change| {
                let node = self.document.at(&change.at);
                let root = self.document.root();
                (
                    node.map_or_else(|| root.place(), |node| node.place()),
                    *change,
                )
            })
            .collect();
        if places.is_empty() {
            return;
        }
        self.found.retain(|finding| {
            let Some(place) = &finding.place else {
                return true;
            };
            let same_cause = |(older, change): &(Place, &MigrationChange)| {
                let is_inside =
                    older.range.start <= place.range.start && place.range.end <= older.range.end;
                let is_around =
                    place.range.start <= older.range.start && older.range.end <= place.range.end;
                let is_whole = change.at.is_empty();
                (is_inside && !is_whole && change.breaks)
                    || (finding.rule == "missing-field" && (is_around || is_whole))
                    || (finding.rule == "missing-info" && change.breaks)
                    || (finding.rule == "misspelt-field" && (is_inside || is_around))
            };
            finding.severity == Severity::Error && !places.iter().any(same_cause)
                || finding.severity == Severity::Warning
                    && !(finding.rule == "misspelt-field" && places.iter().any(same_cause))
        });
        let rest = count - changes.len();
        for change in &changes {
            let node = self.document.at(&change.at);
            let place = node.map_or_else(|| self.document.root().place(), |node| node.key_place());
            if change.left {
                let finding = Diagnostic::warning("two-names", change.what.clone()).at(place);
                self.push(finding.help(
                    "only the newer one is read: put them together, and take the older one out",
                ));
                continue;
            }
            let message = format!("this has an older shape: {}", change.what);
            let finding = match change.breaks {
                true => Diagnostic::error("older-shape", message),
                false => Diagnostic::warning("older-shape", message),
            };
            let help = "`windlass doc migrate` brings the document into the shape of version 0.4";
            self.push(finding.at(place).help(help));
        }
        if rest > 0 {
            let last = places.iter().map(|(place, _)| place);
            let last = last.max_by_key(|place| place.range.start).cloned();
            let message = format!("and {rest} more have an older shape");
            let mut finding = Diagnostic::warning("older-shape", message)
                .help("`windlass doc migrate` brings the document into the shape of version 0.4");
            finding.place = last;
            self.push(finding);
        }
    }

    /// The findings in order, as many as are worth reading.
    fn finish(self) -> Diagnostics {
        let mut all = Diagnostics::default();
        all.extend(self.found);
        all.sort();
        let count = all.iter().len();
        if count <= MAX_FINDINGS {
            return all;
        }
        let has_errors = all
            .iter()
            .skip(MAX_FINDINGS)
            .any(|one| one.severity == Severity::Error);
        let last = all.iter().last().and_then(|one| one.place.clone());
        let mut some = Diagnostics::default();
        some.extend(all.into_iter().take(MAX_FINDINGS));
        let message = format!("and {} more", count - MAX_FINDINGS);
        let mut rest = match has_errors {
            true => Diagnostic::error("more", message),
            false => Diagnostic::warning("more", message),
        };
        rest.place = last;
        some.push(rest.help("fix these first, then check again"));
        some
    }
}
