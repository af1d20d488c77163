//! Commit that wrote a citation.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::GitError;

/// Commit that wrote a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// Full id of the commit, in hexadecimal digits.
    pub(crate) commit: String,
    /// True if the history is truncated there: the citation may be older.
    pub(crate) is_cut_off: bool,
    /// File that it named there, if that was renamed since.
    pub(crate) renamed_from: Option<RepoPath>,
}

/// Writers of the citations of a document, by index.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// Known commits; an uncommitted citation has none.
    pub(crate) known: BTreeMap<usize, Writer>,
    /// Citations for which git failed, with the reason.
    pub(crate) failed: BTreeMap<usize, String>,
}

impl Writers {
    /// Returns a failure for each of the citations `wanted`.
    pub(crate) fn failed(wanted: &[usize], error: &GitError) -> Self {
        let failed = wanted.iter().map(|index| (*index, error.to_string()));
        Self {
            known: BTreeMap::new(),
            failed: failed.collect(),
        }
    }
}
