//! Format, edits and history of the notebook file.
//!
//! A notebook is a JSON document for a repository. It is replaced as a whole while its lock is held.
//!
//! - Every entry keeps its original text. Unchanged entries are written back byte for byte, so that unknown fields
//!   survive and a change is fast.
//! - Small parts (owner, revision, runbooks) precede the anchors. Usually a runbook is found by reading only the first
//!   64 KiB.
//! - Before a write, the current revision is copied to `history/`. A rollback writes such a copy as a new revision. A
//!   crash between copying and writing leaves only an extra file.
//! - A file that is not valid JSON is read part by part (`salvage`). When it is overwritten, it is moved aside.
//! - Revisions are ordered by number and not by time. The clock only determines which revisions are too old to be
//!   retained. The newest ten are always exempt.

pub(crate) mod damage;
pub(crate) mod declined;
pub(crate) mod edit;
pub(crate) mod edit_mode;
pub(crate) mod notebook_document;
pub(crate) mod notebook_file;
pub(crate) mod notebook_limits;
mod notebook_place;
pub(crate) mod noted_changes;
pub(crate) mod ownership;
mod parsed_notebook;
pub(crate) mod read_notebook;
mod rewriting;
pub(crate) mod salvage;
pub(crate) mod saved_runbook;
mod set_aside;
mod strangers;
pub(crate) mod superseded;
mod unknown_fields;
