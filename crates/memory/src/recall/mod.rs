//! Recall of the memory by a question.
//!
//! [`build_index`] makes an index of the memory, and [`renew_index`] takes over what did not change. [`RecallIndex`] answers from
//! its bytes: `windlass-search` ranks, feedback is laid on that, and [`Hit::explained`] reports how a score came about.

mod asked_fields;
mod entry_head;
mod feedback_in_scores;
mod index;
mod indexed_texts;
mod passage;
mod ranking;
#[cfg(test)]
mod tests;
mod things;
mod tuning;
mod window;

pub(crate) use asked_fields::asked_fields;
pub(crate) use asked_fields::fields_for;
pub(crate) use index::build_other_index;
pub use index::{RecallIndex, Recallable, build_index, renew_index};
pub(crate) use indexed_texts::PASSAGE;
pub use passage::{Passage, best_passage, passages};
pub(crate) use ranking::words_told;
pub use ranking::{Hit, Ranking, TermShare};
pub use tuning::Tuning;
pub use windlass_search::{Query, QueryWord, Tier as Level};
pub use window::{best_window, matched_by_line};

/// Version of the bytes of an index; others are made again.
pub(crate) const INDEX_VERSION: u32 = 17;
