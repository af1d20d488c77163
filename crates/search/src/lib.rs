//! Building blocks for full-text search: terms, their weights, and passages.
//!
//! - [`each_term`] splits prose and code into terms, so that `parseHTTPRequest`,
//!   `parse_http_request` and "parsing of HTTP requests" match.
//! - [`stem`] and [`each_slip`] decide which words count as the same. The word lists say which
//!   words to ignore and which are correctly spelled.
//! - [`Bm25`] and [`Bm25F`] score texts. [`Rarity`] weighs terms.
//! - [`EvenPassages`], [`IndentCuts`] and [`stretches`] split texts into passages.
//!
//! Memory recall, `find`, context packs and the zoo's baseline system use this crate. It must never
//! read a file, because callers decide which text may be shown.

mod bm25;
mod code_names;
mod english_words;
mod number_words;
mod passages;
mod slips;
mod stem;
mod stop_words;
mod terms;
mod unicode_forms;
mod word_counts;
mod word_parts;

pub use bm25::{Bm25, Bm25F, Field, Rarity, average_length};
pub use code_names::{each_file_name, each_path, is_file_name};
pub use english_words::is_english;
pub use passages::{EvenPassages, IndentCuts, indent, sections, stretches, without_blanks};
pub use slips::{Slip, each_slip, slips_between};
pub use stem::stem;
pub use stop_words::{is_common, is_grammar, is_stop_word};
pub use terms::{MAX_WORD, Term, TermKind, each_term, each_term_but};
pub use unicode_forms::{composed, folded, other_form};
pub use word_counts::WordCounts;
pub use word_parts::{parts_of, words_of};
