//! How texts are searched: the terms by which they are compared, how well they answer, and the passages they are cut into.
//!
//! [`each_term`] takes prose and code apart, so that `parseHTTPRequest`, `parse_http_request` and "parsing of HTTP requests" meet;
//! [`stem`], the lists of words and [`each_slip`] say which words are one. [`Bm25`] and [`Bm25F`] rank, [`Rarity`] weighs terms;
//! [`EvenPassages`], [`IndentCuts`] and [`stretches`] cut. Recall of the memory, `find`, context packs and the zoo's baseline all do so by these.
//!
//! It knows nothing of where a text comes from, and must never read a file: what may be shown is decided before.

mod bm25;
mod code_names;
mod english_words;
mod index;
mod number_words;
mod params;
mod passages;
mod query;
mod ranking;
mod slips;
mod spelling;
mod stem;
mod stop_words;
mod terms;
#[cfg(test)]
mod tests;
mod tier;
mod unicode_forms;
mod word_counts;
mod word_lists;
mod word_parts;

pub use bm25::{Bm25, Bm25F, Field, Rarity, average_length};
pub use code_names::{each_file_name, each_path, is_file_name};
pub use english_words::is_english;
pub use index::{
    BODY, Counts, Document, FIELD_NAMES, FIELDS, Passage, Posting, SearchIndex, encode_index,
};
pub use params::{COMMON_VALUE, STRONG, WEAK};
pub use passages::{EvenPassages, IndentCuts, indent, sections, stretches, without_blanks};
pub use query::{Query, QueryWord, each_indexed};
pub use ranking::{FoundDocument, Search, WordMatch, thousandths};
pub use slips::{Slip, each_slip, slips_between};
pub use stem::stem;
pub use stop_words::{is_common, is_grammar, is_stop_word};
pub use terms::{MAX_WORD, Term, TermKind, each_term, each_term_but};
pub use tier::{FEATURES, Features, Tier, confidence};
pub use unicode_forms::{composed, folded, other_form};
pub use word_counts::WordCounts;
pub use word_lists::{is_everyday, is_filler, is_generic};
pub use word_parts::{parts_of, words_of};
