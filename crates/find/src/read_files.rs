//! Files as they are read, with the words of a question that they have.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::SourceFile;
use windlass_search::WordCounts;

/// What is larger is data, most likely: nobody wants an answer out of it.
const MAX_BYTES: usize = 1 << 20;

/// Whether a file is too large to be looked into.
#[must_use]
pub fn is_too_large(file: &SourceFile) -> bool {
    file.bytes().len() > MAX_BYTES
}

/// A file that was read, with what is needed to rank it.
pub(crate) struct Read {
    pub(crate) path: RepoPath,
    /// Of the file as a whole.
    pub(crate) counts: WordCounts,
    /// Of its stretches that have a word of the question.
    pub(crate) stretches: Vec<WordCounts>,
    /// In how many of its stretches each word of the question stands.
    pub(crate) having: BTreeMap<u32, u32>,
    /// How many stretches it has.
    pub(crate) stretch_count: usize,
}

/// What came of reading a file of text.
pub(crate) enum Reading {
    Read(Box<Read>),
    TooLarge(RepoPath),
}
