//! Finds the places in a repository that answer a question.
//!
//! There's no index: for every question, we read all files in question, so an answer is never
//! outdated. [`find`] searches a whole repository, and [`find_in`] searches the files that the
//! caller lists. Both rank in two stages:
//!
//! - First, files are ranked by the BM25 score of their best stretch, which is a run of 30 lines.
//!   Names are split into words, and words are stemmed. Words that are nothing but grammar (such as
//!   articles) don't count, and a word weighs more if it's rare among stretches.
//! - Then, the best files are split into passages: one per definition, and one for the text between
//!   two definitions (see `file_passages`). A passage scores higher if it uses one of the best
//!   passages or is used by it (see `linked_places`), and lower if it's from a test or a changelog
//!   ([`windlass_repo::FileRole`]).
//!
//! We show a passage as a whole or not at all. If no place covers enough of the question, the
//! answer is empty except for a pointer to the place that comes closest.
//!
//! Note that text must be redacted before the search, and not just before it's shown. Otherwise,
//! one could find out a secret by asking for it and looking at the scores.

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
