//! Finds the places in a repository that answer a question.
//!
//! There is no index: each question reads all searched files, so an answer can't be outdated.
//! [`find`] searches a whole repository, while [`find_in`] only searches files listed by the
//! caller. Both rank in two stages.
//!
//! - Files are ranked by the BM25 score of their best stretch, a run of 30 lines. Names are split
//!   into words, and words are stemmed. The fewer stretches contain a word, the more it weighs.
//!   Only grammar words such as articles are ignored.
//! - The best files are split into passages, one per definition and one for the text between
//!   definitions (`file_passages`). A passage scores higher if it uses one of the best passages or
//!   is used by it (`linked_places`). Passages from tests and changelogs
//!   ([`windlass_repo::FileRole`]) score lower.
//!
//! A passage is shown whole or not at all. If no place covers enough of the question, the answer is
//! empty except for the nearest place.
//!
//! We only ever search redacted text. Otherwise, a user could find out a secret value by asking for
//! it.

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
