//! Recall: ranking a memory's records for a question.
//!
//! [`build_index`] turns a memory into the bytes of an index, which [`RecallIndex`] searches in
//! place. Rebuilding it for every edit would be slow, so [`renew_index`] stores later changes in a
//! second layer. Once there are too many of them, it builds a new index instead. To see how much
//! each word contributed to a score, use [`Hit::explained`].
//!
//! - `index` defines the documents, their terms and the encoding.
//! - `question` splits questions into words and corrects their spelling.
//! - `rank` computes scores and confidence, and learns from feedback.
//! - `passages` selects the parts of a record that are worth reading.

mod index;
mod passages;
mod question;
mod rank;
#[cfg(test)]
mod tests;

pub(crate) use index::build_other_index;
pub use index::{RecallIndex, Recallable, Renewed, build_index, renew_index};
pub(crate) use index::{base_of, no_changes};
pub(crate) use passages::PASSAGE;
pub use passages::{Passage, best_passage, best_window, matched_by_line, passages};
pub use question::{Query, QueryWord};
pub(crate) use question::{asked_fields, fields_for};
pub(crate) use rank::listed_words;
pub use rank::{Hit, Level, Ranking, TermShare, Tuning};

/// Number of searchable fields in a document.
const FIELDS: usize = 5;
/// Names of the fields, in the order of their numbers.
const FIELD_NAMES: [&str; FIELDS] = ["title", "keywords", "aliases", "headings", "body"];
/// Number of the body field.
const BODY: usize = FIELDS - 1;
/// Version of the index encoding. We discard an index with another version and build a new one.
pub(crate) const INDEX_VERSION: u32 = 16;
