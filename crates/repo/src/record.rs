use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use crate::{GitQuery, ListQuery, Refusal, SearchQuery};

/// One thing a snapshot was asked, and what it answered.
///
/// Two runs whose records are equal saw the same files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "read", rename_all = "snake_case")]
pub enum ReadRecord {
    /// A file was read.
    File {
        /// Where.
        path: RepoPath,
        /// BLAKE3 of all its bytes.
        content: Digest,
    },
    /// A file was asked for and not read; [`Refusal::Missing`] records an absence.
    Refused {
        /// Where.
        path: RepoPath,
        /// Why.
        #[serde(flatten)]
        refusal: Refusal,
    },
    /// Files were listed.
    Listing {
        /// Which.
        query: ListQuery,
        /// BLAKE3 of all names the query finds, whatever its limit, and of how many it cannot name or read.
        names: Digest,
    },
    /// Files were searched.
    Search {
        /// For what.
        query: SearchQuery,
        /// BLAKE3 of the answer: every file with matches and its matching lines, whatever the limits, and how
        /// many files were searched and left out.
        answer: Digest,
    },
    /// Git was asked.
    Git {
        /// What.
        query: GitQuery,
        /// [`crate::GitAnswer::digest`]; without one git gave no answer, and nobody can say that it holds.
        answer: Option<Digest>,
    },
}

/// What a second look at everything that a snapshot read gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondLook {
    /// What is no longer the same, sorted by path.
    pub changes: Vec<Change>,
    /// Files that were not looked at again, sorted, as somebody asked to stop first.
    pub unseen: Vec<RepoPath>,
    /// Whether everything was looked at again, listings and searches included.
    pub complete: bool,
}

/// A file that is no longer what the snapshot saw.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// Where.
    pub path: RepoPath,
    /// What became of it.
    pub what: ChangeKind,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there, or not found by a listing or search, and is now.
    Appeared,
    /// It was there and is no longer.
    Vanished,
    /// Its contents are others, or it can no longer be read, or only now.
    Changed,
}
