//! Finding again what is remembered, by what somebody asks.
//!
//! An index is made of the memory once ([`build_index`]) and kept as bytes; [`RecallIndex`] answers questions from these
//! without unpacking them. What changes is laid above it ([`renew_index`]), until that is so much that all is made anew. What a question is worth is worked out in the open (`score`, `level`, `tuning`), so that
//! [`Hit::explained`] can say how it came about.

mod build;
mod encode;
mod fields;
mod form;
mod found;
mod index;
mod layers;
mod learned;
mod level;
mod parts;
mod passage;
mod quantity;
mod query;
mod ranking;
mod renew;
mod score;
mod sources;
mod spelling;
mod split;
mod terms;
#[cfg(test)]
mod tests;
mod tuning;
mod window;

pub use build::{Recallable, build_index, build_other_index};
pub(crate) use fields::asked_fields;
pub use fields::fields_for;
pub use layers::RecallIndex;
pub use level::Level;
pub use passage::{Passage, best_passage, passages};
pub use query::{Query, QueryWord};
pub use ranking::{Hit, Ranking, TermShare, words_told};
pub use renew::{Renewed, renew_index};
pub use split::PASSAGE;
pub use tuning::Tuning;
pub use window::{best_window, matched_by_line};

/// The parts of a record that are told apart, most telling first.
pub(crate) const FIELDS: usize = 5;
/// What the parts are called.
pub(crate) const FIELD_NAMES: [&str; FIELDS] = ["title", "keywords", "aliases", "headings", "body"];
/// Which of them is the body.
pub(crate) const BODY: usize = FIELDS - 1;
/// The version of the bytes of an index; those of another one are made anew.
pub const INDEX_VERSION: u32 = 16;
