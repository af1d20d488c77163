//! Finds the places in a repository that answer a question. There is no index: each question reads all searched
//! files.
//!
//! [`find`] searches a whole repository. [`find_in`] searches only files that the caller has listed. Ranking has
//! two stages:
//!
//! - Files are ranked by the BM25 score of their best stretch, a run of 30 lines. Names are split into words, and
//!   words are stemmed. The fewer stretches contain a word, the more it weighs. Only grammar words such as articles
//!   are ignored.
//! - The best files are split into passages, one per definition and one for the text between definitions
//!   (`file_passages`). A passage gains score if one of the best passages uses it or is used by it
//!   (`linked_places`). Passages of tests and changelogs ([`windlass_repo::FileRole`]) lose some.
//!
//! A passage is shown whole or not at all. If no place covers enough of the question, the result is empty and only
//! names the nearest place.
//!
//! Only redacted text is searched. Otherwise a user could find out a secret value by asking for it.

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
