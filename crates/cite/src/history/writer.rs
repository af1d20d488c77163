//! The commit that wrote a citation.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::GitError;

/// The commit that wrote a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// Its full id.
    pub(crate) commit: String,
    /// Whether history is cut off there: the citation may be older.
    pub(crate) is_cut_off: bool,
    /// The file that it named there, where that has another name since.
    pub(crate) renamed_from: Option<RepoPath>,
}

/// Who wrote the citations of a document, by their indices.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// The commits that did. What is in no commit yet has none.
    pub(crate) known: BTreeMap<usize, Writer>,
    /// Those of which git cannot say it, with the reason.
    pub(crate) failed: BTreeMap<usize, String>,
}

impl Writers {
    /// No writers of the citations `wanted`, since git cannot be asked.
    pub(crate) fn failed(wanted: &[usize], error: &GitError) -> Self {
        let failed = wanted.iter().map(|index| (*index, error.to_string()));
        Self {
            known: BTreeMap::new(),
            failed: failed.collect(),
        }
    }
}
