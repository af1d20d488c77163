//! The notebook of a repository: the anchors people and agents have saved.
//!
//! It lives in the user's private data folder, one file for each repository, and is never written into the
//! repository itself.
//!
//! This crate must never let a notebook serve a repository it does not belong to, drop a field it does not
//! know, write without the lock, or save an anchor whose evidence cannot be read.

mod anchor;
mod anchor_line_faults;
mod anchor_lines;
mod document;
mod edit;
mod error;
mod fields;
mod file;
mod judging;
mod notebook;
mod ownership;

pub use anchor::{Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, LocatorKind};
pub use anchor_lines::{AnchorLine, read_anchor_lines};
pub use edit::NotebookEdit;
pub use error::NotebookError;
pub use file::NotebookFile;
pub use judging::judge_all;
pub use notebook::Notebook;
pub use ownership::Ownership;
