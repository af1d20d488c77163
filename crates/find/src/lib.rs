//! Finds the places of a repository that answer a question. It keeps no index: a question costs one
//! read of the files.
//!
//! [`find`] searches a repository; [`find_in`] searches files that the caller has listed already.
//! Ranking has two stages:
//!
//! - Files, by BM25 of their best stretch. Names are split into words and words are stemmed. A word
//!   weighs by the number of stretches that have it; only words of grammar are ignored.
//! - Passages of the best files: one per definition, and the text between (`file_passages`).
//!   Passages that the best ones use, or that use them, gain score (`linked_places`); tests and
//!   changelogs ([`windlass_repo::FileRole`]) lose some.
//!
//! A passage is shown whole or not at all. If no place covers enough of the question, the answer is
//! empty and names the nearest place.
//!
//! Only redacted text is searched, so that no question can probe for a secret value.

mod file_passages;
mod find_answer;
mod find_error;
mod find_request;
mod find_scores;
mod linked_places;
mod question_words;
mod read_files;
mod scored_passages;
mod searched_files;
mod shown_lines;
mod word_counter;

pub use find_answer::{find, find_in};
pub use find_error::FindError;
pub use find_request::{FindRequest, Found, FoundIn, FoundPlace, Having, Others, Skipped};
pub use read_files::is_too_large;
pub use searched_files::scope;
