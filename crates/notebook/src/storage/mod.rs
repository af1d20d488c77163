//! The format, edits and history of the notebook file.
//!
//! A notebook is a JSON document for one repository. Each write takes the lock and replaces the
//! whole file, so readers do not need a lock: they see either the old or the new file.
//!
//! - Unchanged entries are written back byte for byte, which preserves unknown fields and makes
//!   changes fast.
//! - Small parts (owner, revision, runbooks) come before the anchors. It's usually enough to read
//!   the first 64 KiB to find a runbook.
//! - Before a write, we copy the current revision to `history/`. A rollback writes such a copy as a
//!   new revision. If we crash between copying and writing, that only leaves an extra file.
//! - If the file isn't valid JSON, we read it part by part (`salvage`), and move it aside before
//!   the next write.
//! - Revisions are ordered by number, not by time. The clock only decides which old revisions to
//!   drop. It may be wrong, so the newest ten are always exempt.

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
