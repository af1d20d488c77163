//! Counts tokens in o200k_base, the encoding for all token budgets.
//!
//! [`count`] gives the same result as OpenAI's tiktoken, but does not have to load anything, since
//! the vocabulary is embedded as a hash table. A library that builds its tables on first use needs
//! tens of megabytes, and more time than a whole windlass command may take (`cargo xtask bench
//! tokens`).
//!
//! We first split the text into pieces, which are roughly words with the space before them
//! (`split`). Most pieces are tokens. The others are built up by merging their bytes (`merge`), in
//! an order that is derived from the ranks of the tokens. The table of ranks (`vocabulary`,
//! `layout`) is committed, and `tests/table.rs` makes it from the `tiktoken` crate.
//!
//! When you change something here, keep two properties: the memory we allocate does not depend on
//! the size of the vocabulary, and no text takes much longer than linear time.

mod layout;
mod letters;
mod merge;
mod split;
mod vocabulary;

use merge::Merger;
use split::Pieces;

/// The encoding's name in tiktoken.
pub const ENCODING: &str = "o200k_base";

/// Returns the number of tokens in `text`. If the text looks like a special token, e.g.
/// `<|endoftext|>`, it is still counted as ordinary text.
#[must_use]
pub fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    let tokens = |piece: &str| match vocabulary::rank(piece.as_bytes()) {
        Some(_) => 1,
        None => merger.count(piece.as_bytes()),
    };
    Pieces::of(text).map(tokens).sum()
}
