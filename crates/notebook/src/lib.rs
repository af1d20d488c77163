//! Stores a repository's anchors and runbooks, and finds runbooks by name.
//!
//! The notebook is a file in the user's private data folder ([`NotebookFile`]). Only
//! [`NotebookService::export`] and [`FirstRunbook::write`] write into the repository.
//!
//! [`NotebookService`] is the entry point for anchors, edits, lists and repairs. [`RunbookShelf`]
//! finds runbooks in the notebook and in the repository, but does not run them. This crate knows
//! neither the step kinds nor the user's trust, so callers have to provide a [`Runner`].
//!
//! Code in this crate must never
//!
//! - use another repository's notebook,
//! - drop an unknown field,
//! - write without the lock,
//! - save an anchor with unreadable evidence, or
//! - run a runbook.

mod anchor;
mod anchor_exchange;
mod anchor_lines;
mod anchor_place;
mod anchor_reports;
mod bounded_findings;
mod desk;
mod edit_mistakes;
mod edit_request;
mod handover;
mod judge_anchors;
mod listing;
mod named_by_steps;
mod notebook_change;
mod notebook_error;
mod notebook_operation;
mod notebook_service;
mod relocate_anchor;
mod relocation;
mod repair_anchors;
mod runbook_runner;
mod shelf;
mod storage;
mod suggestion_finders;
mod suggestions;
#[cfg(test)]
mod testing;
mod text_mark;
mod transact;
mod transaction;
mod unfit_places;
mod unknown_name;
mod upsert_anchor;

pub use anchor::{Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, LocatorKind};
pub use anchor_exchange::{
    Mark, SHARED_ANCHORS, Seen, SharedAnchor, SharedAnchors, SharedAnchorsDocument, may_be_imported,
};
pub use anchor_place::{AnchorPlace, AnchorRequest};
pub use anchor_reports::{AnchorReport, Checked, ExplainedAnchor, check_anchors};
pub use desk::NotebookDesk;
pub use edit_request::EditRequest;
pub use handover::{Became, EntrySort, HandOverRequest, HandedEntry, HandedOver, shared_anchors};
pub use judge_anchors::judge_all;
pub use listing::{
    AnchorFolder, AnchorList, ListFormat, ListPurpose, ListRequest, PlaceNow, RunbookReport,
    RunbookState, ShownAnchors, TextNow, anchors_by_folder, push_next, remark, what_to_do,
};
pub use named_by_steps::{ANCHORS_STEP, RUNBOOK_STEP};
pub use notebook_change::NotebookChange;
pub use notebook_error::NotebookError;
pub use notebook_operation::{AnchorDraft, Operation};
pub use notebook_service::{NotebookService, check_anchor_lines};
pub use relocate_anchor::Relocate;
pub use relocation::Relocation;
pub use repair_anchors::{NewPlace, RepairRequest, Repaired, RepairedAnchor};
pub use runbook_runner::Runner;
pub use shelf::{
    MAX_NESTING, RunbookEntry, RunbookError, RunbookFile, RunbookPlace, RunbookShelf, nested_steps,
};
pub use storage::damage::{Damage, DamageState, Lost};
pub use storage::declined::Declined;
pub use storage::edit::NotebookEdit;
pub use storage::edit_mode::EditMode;
pub use storage::notebook_file::{Edited, NotebookFile, Relative, SavedRunbooks};
pub use storage::notebook_limits::HistoryLimits;
pub use storage::noted_changes::{ChangeKind, ChangedNames, Changes, Named, Writer, Written};
pub use storage::ownership::Ownership;
pub use storage::read_notebook::Notebook;
#[doc(hidden)]
pub use storage::salvage::recovered_entries;
pub use storage::saved_runbook::SavedRunbook;
pub use storage::superseded::Revision;
pub use suggestion_finders::{FirstRunbook, MAX_ANCHORS, Suggestion, Suggestions, suggest};
pub use suggestions::{
    Applied, ApplyRequest, ReadPlace, SuggestRequest, SuggestionList, SuggestionPage,
    SuggestionService, unsaved_suggestions,
};
pub use transact::Work;
pub use transaction::{Transaction, transaction_schema};
pub use unfit_places::UnfitPlace;
