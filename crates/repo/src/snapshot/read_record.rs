use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use crate::git::{GitAnswer, GitQuery};
use crate::refusal::Refusal;
use crate::search::{SearchQuery, Searched};
use crate::seen_files::{ChangeKind, Outcome};
use crate::walk::{ListQuery, Listing};

/// A query to a snapshot, with its answer.
///
/// Two runs with equal records have seen the same files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "read", rename_all = "snake_case")]
pub enum ReadRecord {
    /// A file that was read.
    File {
        /// The file's path.
        path: RepoPath,
        /// BLAKE3 digest of all bytes.
        content: Digest,
    },
    /// A file that could not be read. [`Refusal::Missing`] records that it does not exist.
    Refused {
        /// The file's path.
        path: RepoPath,
        /// The reason why it was not read.
        #[serde(flatten)]
        refusal: Refusal,
    },
    /// A listing of files.
    Listing {
        /// The query for the list.
        query: ListQuery,
        /// BLAKE3 digest of all paths found, regardless of the limit, and of the number of files
        /// that cannot be named or read.
        names: Digest,
    },
    /// A search over files.
    Search {
        /// The query for matching lines.
        query: SearchQuery,
        /// BLAKE3 digest of the answer. It covers every matching line in every file, regardless of
        /// the limits, and the number of files searched and skipped.
        answer: Digest,
    },
    /// A query to git.
    Git {
        /// The query, with its parameters.
        query: GitQuery,
        /// Digest of the answer (see [`crate::GitAnswer::digest`]). `None` if git gave no answer,
        /// which cannot be verified later.
        answer: Option<Digest>,
    },
}

/// Result of [`Snapshot::changed_since`](crate::Snapshot::changed_since).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondLook {
    /// Changed files, sorted by path.
    pub changes: Vec<Change>,
    /// Files left unchecked because the caller cancelled, sorted by path.
    pub unseen: Vec<RepoPath>,
    /// True if everything was checked, including listings and searches.
    pub complete: bool,
}

/// A file that differs from the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// The file's path, relative to the root.
    pub path: RepoPath,
    /// The kind of change.
    pub what: ChangeKind,
}

pub(super) fn file_record(path: RepoPath, outcome: Outcome) -> ReadRecord {
    match outcome {
        Ok(file) => ReadRecord::File {
            path,
            content: file.content_hash(),
        },
        Err(refusal) => ReadRecord::Refused { path, refusal },
    }
}

pub(super) fn listing_record(query: &ListQuery, listing: &Listing) -> ReadRecord {
    ReadRecord::Listing {
        query: query.clone(),
        names: digest_of_listing(listing),
    }
}

pub(super) fn search_record(query: &SearchQuery, searched: &Searched) -> ReadRecord {
    ReadRecord::Search {
        query: query.clone(),
        answer: searched.answer(),
    }
}

pub(super) fn git_record(query: &GitQuery, answer: Option<&GitAnswer>) -> ReadRecord {
    ReadRecord::Git {
        query: query.clone(),
        answer: answer.and_then(GitAnswer::digest),
    }
}

pub(super) fn digest_of_listing(listing: &Listing) -> Digest {
    let mut bytes = Vec::new();
    for name in &listing.files {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.push(0);
    }
    for count in listing.withheld.counts() {
        bytes.extend(count.to_le_bytes());
    }
    Digest::of_bytes(&bytes)
}
