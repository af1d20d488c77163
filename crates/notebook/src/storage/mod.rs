//! Notebook file: format, edits and history.
//!
//! A notebook is one JSON document per repository, replaced as a whole under a lock.
//!
//! - Every entry keeps its original text. Unchanged entries are written back byte for byte, so that a change
//!   costs time by the size of the file, and unknown fields survive.
//! - Small parts (owner, revision, runbooks) precede the anchors. A runbook is found by reading the first 64
//!   KiB.
//! - Before a write, the former revision is stored in `history/`; a rollback writes such a file as a new
//!   revision. A crash between both steps leaves only an extra file.
//! - A file that is not valid JSON is read part by part (`salvage`), and set aside when it is overwritten.
//! - Revisions are ordered by number, never by time. The clock only decides which are too old to be retained,
//!   and never about the newest ten.

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
mod salvage;
pub(crate) mod saved_runbook;
mod set_aside;
mod strangers;
pub(crate) mod superseded;
mod unknown_fields;
