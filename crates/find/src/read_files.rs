//! Word counts of files for the ranking.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Refusal, SourceFile};
use windlass_search::WordCounts;

/// Maximum size of a file that we search, in bytes. Larger ones most likely have data in them.
const MAX_BYTES: usize = 1 << 20;

/// True if [`find`](crate::find) would skip the file because it is too large.
#[must_use]
pub fn is_too_large(file: &SourceFile) -> bool {
    file.bytes().len() > MAX_BYTES
}

pub(crate) struct Read {
    pub(crate) path: RepoPath,
    /// Counts for the whole file. Words in the path have a higher weight.
    pub(crate) counts: WordCounts,
    /// Counts for each stretch that has a word of the question.
    pub(crate) stretches: Vec<WordCounts>,
    /// For each word of the question, the number of stretches that have it.
    pub(crate) having: BTreeMap<u32, u32>,
    /// Number of all stretches, whether or not they have a word of the question.
    pub(crate) stretch_count: usize,
}

pub(crate) enum Reading {
    Read(Box<Read>),
    TooLarge(RepoPath),
    NotText,
    Refused(Refusal),
}
