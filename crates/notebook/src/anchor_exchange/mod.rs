//! Anchors shared through a single file in the repository, which people review and git merges.
//!
//! Each anchor has a canonical form, so equal anchors have equal bytes in every clone. A
//! [`Mark`](crate::Mark) is a digest of that form, and [`Seen`] stores the marks that both sides
//! once shared. From these we can tell whether one or both sides changed an anchor, and which state
//! is older. Without a shared mark, neither side overwrites the other.
//!
//! Checks and steps report shared anchors that the notebook never had
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

/// Path of the file for shared anchors, relative to the root.
pub const SHARED_ANCHORS: &str = ".windlass/anchors.json";

/// Newest supported version of the format.
const SCHEMA_VERSION: u64 = 1;
