//! Checks a document against the whole specification.
//!
//! Each finding states a location, the name of its rule and a suggestion. It is an error if the
//! document violates a MUST of the specification or has no meaning, and only a warning if it
//! violates a SHOULD or contradicts itself.
//!
//! We compare fields with the specification first ([`FieldShapes`]). The other checks are about
//! more than one field, and have to cope with fields that are missing or of the wrong type.

mod arrows;
mod change_history;
mod document_head;
mod document_links;
mod entry_relations;
mod event_log;
mod event_threads;
mod field_shapes;
mod findings;
mod grown_versions;
mod item_names;
mod item_times;
mod item_waits;
mod older_shape;
mod plan_edges;
mod plan_items;

use windlass_base::Diagnostics;

use self::field_shapes::FieldShapes;
use self::findings::Findings;
use crate::items::Items;
use crate::migrate::older_shapes;
use crate::specification::Needs;
use crate::{Container, Document, Encoding, Node};

pub use document_links::{Linked, LinkedFile};

/// Additional input of a check, besides the document itself.
#[derive(Default, Clone, Copy)]
pub struct CheckOptions<'a> {
    /// If set, we also check links to other documents.
    pub linked: Option<&'a dyn Linked>,
    /// The previous version of the document.
    ///
    /// If set, values such as the sequence must not have decreased.
    pub before: Option<&'a Document>,
}

/// Checks `document`, and returns the findings in text order.
#[must_use]
pub fn check(document: &Document, options: &CheckOptions<'_>) -> Diagnostics {
    let mut found = Findings::default();
    if let Some(foreign) = document_head::foreign(document) {
        found.push(foreign);
        return found.in_order();
    }
    let older = older_shapes(document.value());
    // An instance of a TRON class has a value for each of its fields, so `null` is the only way to
    // omit one.
    let takes_null = document.encoding() == Encoding::Tron;
    let version = document.version();
    let mut shapes = FieldShapes::new(takes_null, version, &mut found);
    document_head::check(document, &mut shapes);
    if let Some((container, node)) = document.container() {
        shapes.entity(node, version.shape(container.entity()));
        check_container(document, (container, node), options, &mut found);
    }
    if let Some(before) = options.before {
        grown_versions::check(document, before, &mut found);
    }
    older_shape::report_older(document, &older, &mut found);
    found.in_order()
}

fn check_container(
    document: &Document,
    (container, node): (Container, Node<'_>),
    options: &CheckOptions<'_>,
    found: &mut Findings,
) {
    let items = Items::of(container, node);
    item_names::check(container, node, &items, found);
    item_waits::check(&items, found);
    if document.version().needs == Needs::Edges {
        plan_items::check(node, &items, found);
        plan_edges::check(node, &items, found);
    }
    found.extend(change_history::check(container, node, &items));
    found.extend(item_times::check(
        document.info(),
        (container, node),
        &items,
    ));
    if let Some(playbook) = document.playbook() {
        event_threads::check(playbook, found);
    }
    if let Some(linked) = options.linked {
        found.extend(document_links::check(container, node, &items, linked));
    }
}
