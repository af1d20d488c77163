//! Files read for a search, with their counts of the question's words.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Refusal, SourceFile};
use windlass_search::WordCounts;

/// Maximum size of a searched file, in bytes. Larger files most likely contain data.
const MAX_BYTES: usize = 1 << 20;

/// Returns true if a file is too large to be searched.
#[must_use]
pub fn is_too_large(file: &SourceFile) -> bool {
    file.bytes().len() > MAX_BYTES
}

/// A file with the word counts needed to rank it.
pub(crate) struct Read {
    pub(crate) path: RepoPath,
    /// Word counts of the whole file. The words of its path are included, with a higher weight.
    pub(crate) counts: WordCounts,
    /// Word counts of each stretch with a word of the question.
    pub(crate) stretches: Vec<WordCounts>,
    /// Number of stretches with each word of the question.
    pub(crate) having: BTreeMap<u32, u32>,
    /// Number of stretches in the file.
    pub(crate) stretch_count: usize,
}

/// The result of reading a file.
pub(crate) enum Reading {
    Read(Box<Read>),
    TooLarge(RepoPath),
    NotText,
    Refused(Refusal),
}
