//! Building blocks for full-text search. They're used for recalling from a memory, for `find`, for
//! context packs, and for the baseline in the zoo.
//!
//! - [`each_term`] splits prose and code into terms, so that `parseHTTPRequest`,
//!   `parse_http_request` and "parsing of HTTP requests" match each other.
//! - [`stem`] and [`each_slip`] decide which words count as the same. There are also lists of words
//!   that should be ignored ([`is_stop_word`]) or are known to be spelled correctly
//!   ([`is_english`]).
//! - [`Bm25`] and [`Bm25F`] score texts, with weights for the terms from [`Rarity`].
//! - [`EvenPassages`], [`IndentCuts`] and [`stretches`] split texts into passages.
//!
//! This crate never reads a file. Only the callers know which text may be shown.

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
mod word_list;
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
pub use word_list::WordList;
pub use word_parts::{parts_of, words_of};
