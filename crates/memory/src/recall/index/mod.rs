//! The index of a memory: its encoded documents, and a map from terms to documents.

mod build;
mod counts;
mod document;
mod documents;
mod encode;
mod entry;
mod field_texts;
mod posting;
mod recall_index;
mod segment;
mod statistics;
mod term_counts;

pub(crate) use build::build_other_index;
pub use build::{Recallable, build_index};
pub(super) use entry::{Entry, EntryStats};
pub(super) use posting::Posting;
pub use recall_index::RecallIndex;
pub(super) use segment::Segment;
pub(super) use statistics::Statistics;
