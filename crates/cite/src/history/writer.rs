use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::GitError;

/// The commit that put a citation into its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// The full id, in hexadecimal digits.
    pub(crate) commit: String,
    /// True if the history is truncated here, so that the citation may be older.
    pub(crate) is_cut_off: bool,
    /// The file's name at that commit, if the citation's path was updated after a rename.
    pub(crate) renamed_from: Option<RepoPath>,
}

/// The writing commits of a document's citations, by citation index.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// The commits found. Uncommitted citations have no entry.
    pub(crate) known: BTreeMap<usize, Writer>,
    /// Git's error messages for untraceable citations.
    pub(crate) failed: BTreeMap<usize, String>,
}

impl Writers {
    /// Gives all of the `wanted` citations the same `error`.
    pub(crate) fn failed(wanted: &[usize], error: &GitError) -> Self {
        let failed = wanted.iter().map(|index| (*index, error.to_string()));
        Self {
            known: BTreeMap::new(),
            failed: failed.collect(),
        }
    }
}
