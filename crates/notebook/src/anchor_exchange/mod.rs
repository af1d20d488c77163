//! Anchors shared through the repository: one file that people review and git merges.
//!
//! Each anchor has one canonical form, so that equal anchors have equal bytes in every clone. [`Seen`] keeps
//! the marks that both sides once shared, which tell a change of one side from a change of both, and an older
//! state from a newer one. Without a mark, neither side overwrites the other.
//!
//! Shared anchors that the notebook never had ([`crate::Notebook::not_imported`]) are reported by checks and
//! steps, and not verified.

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

/// Path of the exported anchors.
pub const SHARED_ANCHORS: &str = ".windlass/anchors.json";

/// The newest version of the format.
const SCHEMA_VERSION: u64 = 1;
