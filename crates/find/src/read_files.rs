//! Files that were read for a search, with the number of times they contain each word of the question.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Refusal, SourceFile};
use windlass_search::WordCounts;

/// Maximum size of a searched file in bytes. Larger files most likely contain data.
const MAX_BYTES: usize = 1 << 20;

/// True if a file is too large to be searched.
#[must_use]
pub fn is_too_large(file: &SourceFile) -> bool {
    file.bytes().len() > MAX_BYTES
}

/// File with the word counts needed to rank it.
pub(crate) struct Read {
    pub(crate) path: RepoPath,
    /// Word counts of the whole file. The words of its path are added with a higher weight.
    pub(crate) counts: WordCounts,
    /// Word counts of each stretch that contains a word of the question.
    pub(crate) stretches: Vec<WordCounts>,
    /// Number of stretches that contain each word of the question.
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
