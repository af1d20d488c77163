//! Splits questions into words, and relates them to the terms of an index.

mod asked_fields;
mod query;
mod query_word;
mod question_form;
mod spelling;
mod terms;

pub(crate) use asked_fields::{asked_fields, fields_for};
pub use query::Query;
pub use query_word::QueryWord;
pub(super) use spelling::Speller;
pub(super) use terms::each_term;
