//! The notebook of a repository: the anchors and runbooks people and agents have saved.
//!
//! It lives in the user's private data folder, one file for each repository, and is never written into the
//! repository itself.
//!
//! This crate must never let a notebook serve a repository it does not belong to, drop a field it does not
//! know, write without the lock, or save an anchor whose evidence cannot be read.

mod adoption;
mod anchor;
mod anchor_line_faults;
mod anchor_lines;
mod changes;
pub mod conventions;
mod damage;
mod declined;
mod desk_error;
mod document;
mod edit;
mod error;
mod fields;
mod file;
mod history;
mod judging;
mod limits;
mod notebook;
mod operation;
mod ownership;
mod reading;
mod relocation;
mod runbook;
mod salvage;
pub mod shared;
mod strangers;
pub mod suggest;
mod transaction;
mod transaction_schema;

pub use adoption::Relative;
pub use anchor::{Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, LocatorKind};
pub use anchor_lines::{AnchorLine, read_anchor_lines};
pub use changes::{ChangeKind, ChangedNames, Changes, Named, Writer, Written};
pub use damage::{Damage, DamageState, Lost};
pub use declined::Declined;
pub use desk_error::DeskError;
pub use edit::NotebookEdit;
pub use error::NotebookError;
pub use file::{EditMode, Edited, NotebookFile, SavedRunbooks};
pub use history::Revision;
pub use judging::judge_all;
pub use limits::HistoryLimits;
pub use notebook::Notebook;
pub use operation::{AnchorDraft, Operation};
pub use ownership::Ownership;
pub use relocation::{Relocate, Relocation};
pub use runbook::SavedRunbook;
pub use transaction::{Asked, AskedAnchor, AskedPlace, AskedRunbook, Request, Transaction};
pub use transaction_schema::transaction_schema;
