//! Finding again what is remembered, by what somebody asks.
//!
//! An index is made of the memory once ([`build_index`]) and kept as bytes; [`RecallIndex`] answers questions from these
//! without unpacking them. What changes is laid above it ([`renew_index`]), until that is so much that all is made anew. What a question is worth is worked out in the open (`score`, `level`, `tuning`), so that
//! [`Hit::explained`] can say how it came about.

mod asked_fields;
mod build;
mod counted_parts;
mod encode;
mod gathered;
mod layers;
mod learned;
mod level;
mod passage;
mod quantity;
mod query;
mod question_form;
mod ranking;
mod recall_terms;
#[cfg(test)]
mod recall_tests;
mod renew;
mod score;
mod segment;
mod sources;
mod spelling;
mod stamp;
mod text_split;
mod tuning;
mod window;

pub(crate) use asked_fields::asked_fields;
pub(crate) use asked_fields::fields_for;
pub(crate) use build::build_other_index;
pub use build::{Recallable, build_index};
pub use layers::RecallIndex;
pub use level::Level;
pub use passage::{Passage, best_passage, passages};
pub use query::{Query, QueryWord};
pub(crate) use ranking::words_told;
pub use ranking::{Hit, Ranking, TermShare};
pub use renew::{Renewed, renew_index};
pub(crate) use text_split::PASSAGE;
pub use tuning::Tuning;
pub use window::{best_window, matched_by_line};

/// The parts of a record that are told apart, most telling first.
pub(crate) const FIELDS: usize = 5;
/// What the parts are called.
pub(crate) const FIELD_NAMES: [&str; FIELDS] = ["title", "keywords", "aliases", "headings", "body"];
/// Which of them is the body.
pub(crate) const BODY: usize = FIELDS - 1;
/// The version of the bytes of an index; those of another one are made anew.
pub(crate) const INDEX_VERSION: u32 = 16;
