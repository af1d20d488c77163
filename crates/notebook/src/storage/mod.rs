//! The format, edits and history of the notebook file.
//!
//! A notebook is a JSON document for one repository. We replace it as a whole while holding its
//! lock.
//!
//! - Every entry keeps its original text, and unchanged entries are written back byte for byte.
//!   This preserves unknown fields and makes changes fast.
//! - Small parts (owner, revision, runbooks) come before the anchors. To find a runbook, reading
//!   the first 64 KiB is usually enough.
//! - Before a write, the current revision is copied to `history/`. A rollback writes such a copy as
//!   a new revision. After a crash between copying and writing, there's just an extra file.
//! - If a file isn't valid JSON, we read it part by part (`salvage`), and move it aside before
//!   overwriting it.
//! - Revisions are ordered by number, not by time. We use the clock only to drop old revisions, and
//!   since it may be wrong, the newest ten are always exempt.

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
