//! Recall: ranking of the records of a memory for a question.
//!
//! [`build_index`] turns a memory into the bytes of an index, and [`RecallIndex`] searches them without unpacking.
//! [`renew_index`] stores later changes in a second layer, until they are so many that a whole new index is cheaper.
//! [`Hit::explained`] gives the share of each word in a score.
//!
//! - `index`: documents, their terms, and the layout of the bytes;
//! - `question`: words of a question, and spelling corrections;
//! - `rank`: scores, confidence, and learning from feedback;
//! - `passages`: parts of a record that are worth reading.

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

/// Number of fields of a document.
const FIELDS: usize = 5;
/// Names of the fields.
const FIELD_NAMES: [&str; FIELDS] = ["title", "keywords", "aliases", "headings", "body"];
/// Number of the field `body`.
const BODY: usize = FIELDS - 1;
/// Version of the format of an index; an index of another version is built again.
pub(crate) const INDEX_VERSION: u32 = 16;
