//! Finding the places of a repository that answer a question, without an index: the files are read when somebody asks.
//!
//! [`find`] is the front door, and gives what was [`Found`]; [`find_in`] looks into files that are known already. First all files
//! are ranked by the stretch of each that has most of the question, then the passages of the best files. What the best passages use,
//! and what uses them, answers with them; tests and lists of changes ([`windlass_repo::FileRole`]) come after what they speak of.
//!
//! This crate must never look for anything but in the text as it may be shown, so that nobody can ask for a secret value.

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
pub use find_request::{FindRequest, Found, FoundIn, FoundPlace, Having, Others};
pub use read_files::is_too_large;
pub use searched_files::scope;
