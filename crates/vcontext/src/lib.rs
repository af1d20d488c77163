//! vContext documents: records of work to do (TodoList), approaches (Plan) and experience
//! (Playbook), for agents and people.
//!
//! This crate supports version 0.4 of the specification with its twelve common extensions, and
//! versions 0.5 to 0.8 of its successor xBRIEF.
//!
//! - [`Document`] is a document as written, in JSON or TRON. Unknown fields, the order of fields
//!   and the text of numbers survive any rewrite ([`write`]).
//! - [`Shape`] describes an entity of the specification. We derive checks and JSON Schemas from a
//!   table of all shapes. A [`Version`] is a row in a table of differences.
//! - [`DocumentService`] reads, checks and changes documents in files of a [`windlass_site::Site`].
//!
//! A `null` field of the specification counts as absent. That is for the sake of TRON, where an
//! instance of a class needs a value for each property, and `null` is the only way to omit one.
//!
//! This crate never reads a file, a clock, the environment or a random number, except through the
//! site of its service. No document should be able to cause a panic, unbounded recursion, or a loss
//! of data.

mod as_formula;
mod as_plan;
mod check;
mod compare;
mod container;
mod document;
mod edges;
mod edit;
mod encoding;
mod index;
mod items;
mod json;
mod markdown;
mod merge;
mod migrate;
mod node;
mod nulls;
mod order;
mod parts;
mod patch;
mod playbook;
mod schema;
mod select;
mod service;
mod specification;
mod status;
mod time;

pub use as_formula::{ITEM_KEY, StepItem, as_formula, work_digest};
pub use as_plan::as_plan;
pub use check::{CheckOptions, Linked, LinkedFile, check};
pub use compare::{Difference, differences};
pub use container::Container;
pub use document::{Document, MAX_DOCUMENT_BYTES};
pub use edit::{
    Author, EditError, EditedItem, Note, accepted, add_item, follow_status, held_by, keeps_locked,
    locked_items, set_item, set_plan_status, stamp_item,
};
pub use encoding::{Encoding, Layout, convert_text, lightest_tron, write};
pub use json::to_json;
pub use markdown::markdown;
pub use merge::{MergeConflict, MergedDocument, fork, forkable, merge_documents};
pub use migrate::{
    LaterVersion, MigrateError, Migrated, MigrationChange, NO_TIME, later_version, migrate,
    migrate_to,
};
pub use node::Node;
pub use nulls::without_nulls;
pub use playbook::{
    AppendError, Appended, Deduplicated, Duplicate, Entry, Folded, MergedPlaybook, Metrics,
    NewEvent, append_event, deduplicate, derived_metrics, fold, merge_playbooks,
};
pub use schema::{document_schema, playbook_schema};
pub use select::{EntryQuery, ItemQuery, WorkItem, work_items};
pub use service::{
    DocumentDraft, DocumentError, DocumentService, EventRequest, ForkRequest, Forked, ItemRequest,
    ItemWork, MergedVcontext, Recorded,
};
pub use specification::{
    AgentKind, ChangeKind, ItemKind, ItemStatus, Kind, Operation, PlanStatus, PlaybookStatus,
    Priority, Shape, Version,
};
pub use windlass_tron::{Object, Value, exact};

/// The version of vContext that this crate implements. New documents have this version.
pub const VERSION: &str = "0.4";
