//! Counts the tokens of texts in o200k_base, the encoding used for all token budgets.
//!
//! [`count`] returns the same number as OpenAI's tiktoken. The vocabulary is embedded as a ready-made hash table,
//! so nothing has to be loaded. A library that builds its tables first takes longer for that than a whole windlass
//! command may (`cargo xtask bench tokens`), and needs tens of megabytes.
//!
//! - [`count`] splits a text into pieces (`split`). A piece that is not itself a token is split into tokens
//!   (`merge`).
//! - `vocabulary` looks up the rank of a token. The build script generates its table from the vocabulary in the
//!   crate `tiktoken`, as described in `layout`.
//! - `letters` classifies letters, digits and white space.
//!
//! This crate must never allocate memory in proportion to its vocabulary, nor take much longer than linear time on
//! any text.

mod layout;
mod letters;
mod merge;
mod split;
mod vocabulary;

use merge::Merger;
use split::Pieces;

/// Name of the encoding, as in tiktoken.
pub const ENCODING: &str = "o200k_base";

/// Returns the number of tokens in `text`. Special tokens, such as `<|endoftext|>`, are treated as ordinary text.
#[must_use]
pub fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    let tokens = |piece: &str| match vocabulary::rank(piece.as_bytes()) {
        Some(_) => 1,
        None => merger.count(piece.as_bytes()),
    };
    Pieces::of(text).map(tokens).sum()
}
