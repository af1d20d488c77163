//! Beads as items of a TodoList, and back, as the beads extension of vContext says:
//!
//! | bead | item |
//! |---|---|
//! | `id` | `id`, `beadsId`, and a link of type `x-beads/issue` |
//! | `open`, `in_progress`, `hooked` | `pending`, `inProgress`, `inProgress`; `blocked` where another tool said so |
//! | `closed`, done or failed | `completed`, `cancelled` |
//! | `description`, `design`, `acceptance_criteria`, `notes` | `narrative`: `Overview`, `Proposal`, `Test`, `Observation` |
//! | dependencies of type `blocks` | `dependencies` |
//! | `labels`, `priority`, `assignee`, times | `tags`, `priority`, `participants`, `created`, `updated`, `completed` |
//!
//! Whatever else a bead has stands under `metadata.beads`, and whatever else an item has in the field `vcontext` of the
//! bead, so that nothing gets lost on the way there and back.

mod item_update;
mod kept_fields;
mod todo_export;
mod todo_import;

use crate::bead::{Bead, BeadStatus};
use crate::event::Outcome;
use windlass_site::Error;
use windlass_vcontext::{ItemStatus, Value};

pub use self::todo_export::ExportReport;
pub(super) use self::todo_import::{bead_ids, check_list, is_document, records};

/// The narratives of an item, and the fields of a bead that they are.
const NARRATIVES: [(&str, &str); 4] = [
    ("Overview", "description"),
    ("Proposal", "design"),
    ("Test", "acceptance_criteria"),
    ("Observation", "notes"),
];

/// What a link to a bead begins with.
const LINK: &str = "beads://";
/// The type of such a link.
const LINK_TYPE: &str = "x-beads/issue";
/// The key of an item's `metadata` for what an item has no field for.
const REST: &str = "beads";

/// The field of a bead for what it has no field for.
const KEPT: &str = "vcontext";

/// How far the item of a bead is.
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

/// A value of JSON as one of vContext.
fn value(json: serde_json::Value) -> Result<Value<'static>, Error> {
    serde::Deserialize::deserialize(json).map_err(|error: serde_json::Error| Error::internal(error))
}
