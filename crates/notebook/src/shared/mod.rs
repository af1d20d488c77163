//! What is handed over to others by way of the repository: anchors in one file that people review and git merges.
//!
//! The file holds each anchor in one form, whatever the notebook it came from, so that the same notes are the same
//! bytes. What two sides saw of each other is kept as marks ([`Seen`]): they tell what one side changed from what
//! both did.

mod anchor;
mod document;
mod fault;
mod mark;
mod meeting;
mod tree;

pub(crate) use fault::message_of;

pub use anchor::SharedAnchor;
pub use document::{SharedAnchors, SharedAnchorsDocument};
pub use mark::{Mark, Seen};
pub use meeting::{Export, Import, export_step, import_step};

/// Where the anchors of a repository are handed over.
pub const SHARED_ANCHORS: &str = ".windlass/anchors.json";

/// The newest version of the format.
const SCHEMA_VERSION: u64 = 1;
