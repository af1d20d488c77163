//! The notebook of a repository: the anchors and runbooks people and agents have saved, and the runbooks that can be run
//! by name.
//!
//! It lives in the user's private data folder, one file for each repository ([`NotebookFile`]), and is never written into the
//! repository itself, but for what [`NotebookService::export`] hands over. [`NotebookService`] is the front door: anchors, edits,
//! lists, repairs. [`RunbookShelf`] finds runbooks, in the notebook and in the repository. Who runs them is a [`Runner`].
//!
//! This crate must never let a notebook serve a repository it does not belong to, drop a field it does not
//! know, write without the lock, save an anchor whose evidence cannot be read, or run a runbook.

mod anchor;
mod anchor_line_faults;
mod anchor_lines;
mod anchor_place;
mod anchor_reports;
pub mod conventions;
mod desk;
mod edit_document;
mod edit_mistakes;
mod edit_request;
mod handover;
mod judging;
mod kept;
mod listing;
mod named_by_steps;
mod notebook_change;
mod notebook_error;
mod notebook_service;
mod operation;
mod relocate;
mod relocation;
mod repair_anchors;
mod runner;
pub mod shared;
mod shelf;
pub mod suggest;
mod suggestions;
#[cfg(test)]
mod testing;
mod text_mark;
mod transact;
mod transaction_schema;
mod upsert;

pub use anchor::{Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, LocatorKind};
pub use anchor_place::{AnchorPlace, AnchorRequest};
pub use anchor_reports::{AnchorReport, Checked, ExplainedAnchor, check_anchors};
pub use desk::NotebookDesk;
pub use edit_document::{Asked, AskedAnchor, AskedPlace, AskedRunbook, Request, Transaction};
pub use edit_request::EditRequest;
pub use handover::{Became, EntrySort, HandOverRequest, HandedEntry, HandedOver, shared_anchors};
pub use judging::judge_all;
pub use kept::damage::{Damage, DamageState, Lost};
pub use kept::declined::Declined;
pub use kept::edit::NotebookEdit;
pub use kept::edit_mode::EditMode;
pub use kept::notebook_file::{Edited, NotebookFile, Relative, SavedRunbooks};
pub use kept::notebook_limits::HistoryLimits;
pub use kept::noted_changes::{ChangeKind, ChangedNames, Changes, Named, Writer, Written};
pub use kept::ownership::Ownership;
pub use kept::read_notebook::Notebook;
pub use kept::saved_runbook::SavedRunbook;
pub use kept::superseded::Revision;
pub use listing::{
    AnchorList, ListFormat, ListPurpose, ListRequest, PlaceNow, RunbookReport, RunbookState,
    ShownAnchors, TextNow, push_next, remark, what_to_do_with,
};
pub use named_by_steps::{ANCHORS_STEP, RUNBOOK_STEP};
pub use notebook_change::NotebookChange;
pub use notebook_error::NotebookError;
pub use notebook_service::{NotebookService, check_anchor_lines};
pub use operation::{AnchorDraft, Operation};
pub use relocate::Relocate;
pub use relocation::Relocation;
pub use repair_anchors::{NewPlace, RepairRequest, Repaired, RepairedAnchor};
pub use runner::Runner;
pub use shelf::{
    MAX_NESTING, RunbookEntry, RunbookError, RunbookFile, RunbookPlace, RunbookShelf, nested_steps,
};
pub use suggestions::{
    Applied, ApplyRequest, ReadPlace, SuggestRequest, SuggestionList, SuggestionPage,
    SuggestionService,
};
pub use transact::Work;
pub use transaction_schema::transaction_schema;
