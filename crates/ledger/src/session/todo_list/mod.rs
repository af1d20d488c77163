//! Converts between beads and TodoList items, following the beads extension of vContext:
//!
//! | bead | item |
//! |---|---|
//! | `id` | `id`, `beadsId`, and a link of type `x-beads/issue` |
//! | `open`, `in_progress`, `hooked` | `pending`, `inProgress`, `inProgress`; `blocked` if another tool set it |
//! | `closed`, done or failed | `completed`, `cancelled` |
//! | `description`, `design`, `acceptance_criteria`, `notes` | `narrative`: `Overview`, `Proposal`, `Test`, `Observation` |
//! | dependencies of type `blocks` | `dependencies` |
//! | `labels`, `priority`, `assignee`, times | `tags`, `priority`, `participants`, `created`, `updated`, `completed` |
//!
//! All other fields of a bead go to the item's `metadata.beads`, and all other fields of an item to
//! the bead's `vcontext` field, so a round trip loses nothing.

mod extra_fields;
mod item_update;
mod todo_export;
mod todo_import;

use crate::bead::{Bead, BeadStatus};
use crate::event::Outcome;
use windlass_site::Error;
use windlass_vcontext::{ItemStatus, Value};

pub use self::todo_export::ExportReport;
pub(super) use self::todo_import::{bead_ids, check_list, is_document, records};

/// The narratives of an item, with the bead fields they stand for.
const NARRATIVES: [(&str, &str); 4] = [
    ("Overview", "description"),
    ("Proposal", "design"),
    ("Test", "acceptance_criteria"),
    ("Observation", "notes"),
];

const LINK: &str = "beads://";
const LINK_TYPE: &str = "x-beads/issue";
/// Key in an item's `metadata` for the bead fields that an item cannot have.
const REST: &str = "beads";

/// Bead field for the item fields that a bead cannot have.
const EXTRA_FIELD: &str = "vcontext";

fn status_of(bead: &Bead) -> ItemStatus {
    match (bead.status, bead.foreign_status()) {
        (BeadStatus::Open, Some("blocked")) => ItemStatus::Blocked,
        (BeadStatus::Open, _) => ItemStatus::Pending,
        (BeadStatus::InProgress | BeadStatus::Hooked, _) => ItemStatus::InProgress,
        (BeadStatus::Closed, _) => match bead.ending() {
            Some(Outcome::Failed) => ItemStatus::Cancelled,
            _ => ItemStatus::Completed,
        },
    }
}

fn value(json: serde_json::Value) -> Result<Value<'static>, Error> {
    serde::Deserialize::deserialize(json).map_err(|error: serde_json::Error| Error::internal(error))
}
