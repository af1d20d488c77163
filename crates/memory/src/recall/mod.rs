//! Recall ranks a memory's records for a question.
//!
//! [`build_index`] turns a memory into bytes for [`RecallIndex`], searchable without decoding
//! everything. An index is never updated: if the memory changes, we build a new one.
//! [`Hit::explained`] shows how much each word contributed to a score.
//!
//! - `index` defines the documents, their terms and the encoding.
//! - `question` splits questions into words and corrects their spelling.
//! - `rank` computes scores and confidence, and learns from feedback.
//! - `passages` selects the relevant parts of a record.

mod index;
mod passages;
mod question;
mod rank;
#[cfg(test)]
mod tests;

pub(crate) use index::build_other_index;
pub use index::{RecallIndex, Recallable, build_index};
pub(crate) use passages::PASSAGE;
pub use passages::{Passage, best_passage, best_window, matched_by_line, passages};
pub use question::{Query, QueryWord};
pub(crate) use question::{asked_fields, fields_for};
pub(crate) use rank::listed_words;
pub use rank::{Hit, Level, Ranking, TermShare, Tuning};

const FIELDS: usize = 5;
const FIELD_NAMES: [&str; FIELDS] = ["title", "keywords", "aliases", "headings", "body"];
const BODY: usize = FIELDS - 1;
/// Version of the index format. If an index has another version, we discard it and build a new one.
pub(crate) const INDEX_VERSION: u32 = 18;
