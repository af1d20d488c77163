//! Token counts of texts in o200k_base, the encoding for token budgets.
//!
//! [`count`] returns the same number as OpenAI's tiktoken. The vocabulary is embedded in the form in which it
//! is looked up, so nothing has to be loaded: a library that first builds its tables takes longer for that
//! than a whole command may (`cargo xtask bench tokens`), and tens of megabytes.
//!
//! - [`count`] splits a text into pieces (`split`), and each piece that is not itself a token into tokens
//!   (`merge`);
//! - `vocabulary` looks up the rank of a token; the build script generates its table from the vocabulary of
//!   the crate `tiktoken`, in the layout of `layout`;
//! - `letters` classifies letters, digits and white space.
//!
//! This crate must never allocate in proportion to its vocabulary, nor take much longer than linear time on
//! any text.

mod layout;
mod letters;
mod merge;
mod split;
mod vocabulary;

use merge::Merger;
use split::Pieces;

/// Name of the encoding.
pub const ENCODING: &str = "o200k_base";

/// Returns the number of tokens of `text`. Special tokens, such as `<|endoftext|>`, are treated as ordinary
/// text.
#[must_use]
pub fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    let tokens = |piece: &str| match vocabulary::rank(piece.as_bytes()) {
        Some(_) => 1,
        None => merger.count(piece.as_bytes()),
    };
    Pieces::of(text).map(tokens).sum()
}
