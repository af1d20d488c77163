//! How many tokens of o200k_base a text has: the encoding by which budgets of tokens are kept.
//!
//! [`count`] gives the number that OpenAI's tiktoken gives. The vocabulary lies in the program as it is looked up, so
//! there is nothing to load: a library that first builds its tables takes longer for that than a whole command may
//! (`cargo xtask bench tokens`), and tens of megabytes.
//!
//! - [`count`] cuts a text into pieces (`split`), and each piece that is no token itself into tokens (`merge`);
//! - `vocabulary` finds the rank of a token; its table is made by the build script, from the vocabulary that the crate
//!   `tiktoken` carries, in the layout that `layout` says;
//! - `letters` tells letters, digits and white space apart.
//!
//! This crate must never allocate by the size of its vocabulary, nor take longer than a little more than linear time on
//! any text.

mod layout;
mod letters;
mod merge;
mod split;
mod vocabulary;

use merge::Merger;
use split::Pieces;

/// The name of the encoding.
pub const ENCODING: &str = "o200k_base";

/// How many tokens `text` has. Special tokens, such as `<|endoftext|>`, are text like any other.
#[must_use]
pub fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    let tokens = |piece: &str| match vocabulary::rank(piece.as_bytes()) {
        Some(_) => 1,
        None => merger.count(piece.as_bytes()),
    };
    Pieces::of(text).map(tokens).sum()
}
