//! Files read for a search, with their counts of the words of the question.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Refusal, SourceFile};
use windlass_search::WordCounts;

/// Maximum size of a searched file, in bytes; larger ones are most likely data.
const MAX_BYTES: usize = 1 << 20;

/// True if a file is too large to be searched.
#[must_use]
pub fn is_too_large(file: &SourceFile) -> bool {
    file.bytes().len() > MAX_BYTES
}

/// A file with the counts needed to rank it.
pub(crate) struct Read {
    pub(crate) path: RepoPath,
    /// Word counts of the whole file; words of its path are added with a higher weight.
    pub(crate) counts: WordCounts,
    /// Word counts of the stretches that have a word of the question.
    pub(crate) stretches: Vec<WordCounts>,
    /// Number of stretches that have each word of the question.
    pub(crate) having: BTreeMap<u32, u32>,
    /// Number of stretches in the file.
    pub(crate) stretch_count: usize,
}

/// Result of reading a file.
pub(crate) enum Reading {
    Read(Box<Read>),
    TooLarge(RepoPath),
    NotText,
    Refused(Refusal),
}
