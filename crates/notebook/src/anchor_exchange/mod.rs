//! Shares anchors through a single file in the repository, reviewed by people and merged by git.
//!
//! Each anchor has a canonical form, so equal anchors consist of equal bytes in every clone. A
//! [`Mark`](crate::Mark) is a digest of that form, and [`Seen`] stores the marks that both sides
//! had in common. From these, we can tell if one or both sides changed an anchor, and which state
//! is older. If both sides have an anchor of the same name but never had a mark in common, neither
//! overwrites the other.
//!
//! Checks and steps count the shared anchors that aren't imported yet
//! ([`crate::Notebook::not_imported`]), but don't verify them.

mod as_suggested;
mod json_tree;
mod meeting;
mod seen_marks;
mod shared_anchor;
mod shared_faults;
mod shared_file;

pub(crate) use json_tree::fields_in_order;
pub(crate) use meeting::{Export, Import, export_step, import_step};
pub(crate) use shared_faults::message_of;

pub use seen_marks::Seen;
pub use shared_anchor::{SharedAnchor, may_be_imported};
pub use shared_file::{SharedAnchors, SharedAnchorsDocument};

pub use crate::text_mark::Mark;

/// Path of the file with the shared anchors, relative to the root.
pub const SHARED_ANCHORS: &str = ".windlass/anchors.json";

/// Version of the format that we write, and the newest that we can read.
///
/// Unknown fields survive, so a new optional field isn't a reason to raise this.
const SCHEMA_VERSION: u64 = 1;
