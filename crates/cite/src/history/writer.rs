//! Commits that wrote citations.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::GitError;

/// Commit that wrote a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// Full id of the commit, in hexadecimal digits.
    pub(crate) commit: String,
    /// True if the history is truncated at this commit, so the citation may be older.
    pub(crate) is_cut_off: bool,
    /// File that the citation named in this commit, if it was renamed since.
    pub(crate) renamed_from: Option<RepoPath>,
}

/// Commits that wrote the citations of a document, by citation index.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// Commits that are known. An uncommitted citation has no entry.
    pub(crate) known: BTreeMap<usize, Writer>,
    /// Reasons why git failed.
    pub(crate) failed: BTreeMap<usize, String>,
}

impl Writers {
    /// Reports `error` for each of the `wanted` citations.
    pub(crate) fn failed(wanted: &[usize], error: &GitError) -> Self {
        let failed = wanted.iter().map(|index| (*index, error.to_string()));
        Self {
            known: BTreeMap::new(),
            failed: failed.collect(),
        }
    }
}
