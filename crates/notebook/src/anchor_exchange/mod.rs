//! What is handed over to others by way of the repository: anchors in one file that people review and git merges.
//!
//! The file holds each anchor in one form, whatever the notebook it came from, so that the same notes are the same
//! bytes. What two sides saw of each other is kept as marks ([`Seen`]): they tell what one side changed from what
//! both did.

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

/// Where the anchors of a repository are handed over.
pub const SHARED_ANCHORS: &str = ".windlass/anchors.json";

/// The newest version of the format.
const SCHEMA_VERSION: u64 = 1;
