//! Commits that wrote citations.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::GitError;

/// A commit that wrote a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// The commit's full id, in hexadecimal digits.
    pub(crate) commit: String,
    /// True if the history is truncated at this commit, so that the citation may be older.
    pub(crate) is_cut_off: bool,
    /// The file named by the citation in this commit, if it has been renamed since.
    pub(crate) renamed_from: Option<RepoPath>,
}

/// The commits that wrote a document's citations, by citation index.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// The known commits. There's no entry for an uncommitted citation.
    pub(crate) known: BTreeMap<usize, Writer>,
    /// Reasons why git has failed.
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
