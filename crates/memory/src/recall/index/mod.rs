//! The index: the terms of all documents in a memory, encoded as bytes.

mod build;
mod changes;
mod document;
mod documents;
mod encode;
mod entry;
mod field_texts;
mod layers;
mod posting;
mod recall_index;
mod renew;
mod segment;
mod stamp;
mod statistics;
mod term_counts;

pub(crate) use build::build_other_index;
pub use build::{Recallable, build_index};
pub(crate) use changes::{base_of, no_changes};
pub(super) use entry::{Entry, EntryStats};
pub(super) use layers::Layers;
pub(super) use posting::Posting;
pub use recall_index::RecallIndex;
#[cfg(test)]
pub(super) use renew::renew_within;
pub use renew::{Renewed, renew_index};
pub(super) use statistics::Statistics;
