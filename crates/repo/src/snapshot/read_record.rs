//! Records of queries to a snapshot, which are compared in a later run to find out if a stored
//! output is still valid.

use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use crate::git::{GitAnswer, GitQuery};
use crate::refusal::Refusal;
use crate::search::{SearchQuery, Searched};
use crate::seen_files::{ChangeKind, Outcome};
use crate::walk::{ListQuery, Listing};

/// A recorded query and its answer. Two runs with equal records have seen the same files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "read", rename_all = "snake_case")]
pub enum ReadRecord {
    /// A file that was read, no matter how much of it was used.
    File {
        /// Path of the file, relative to the root.
        path: RepoPath,
        /// BLAKE3 digest of all bytes.
        content: Digest,
    },
    /// A file that could not be read. If it did not exist, this is [`Refusal::Missing`].
    Refused {
        /// Path of the file, relative to the root.
        path: RepoPath,
        /// The reason for the refusal.
        #[serde(flatten)]
        refusal: Refusal,
    },
    /// A listing of files.
    Listing {
        /// The query for the list.
        query: ListQuery,
        /// BLAKE3 digest of all paths found, regardless of the limit, and of the number of files
        /// with an invalid name or without read access.
        names: Digest,
    },
    /// A search over files.
    Search {
        /// The query for matching lines.
        query: SearchQuery,
        /// BLAKE3 digest of every matching line in every file, regardless of the limits, and of the
        /// number of files searched and skipped.
        answer: Digest,
    },
    /// A query to git.
    Git {
        /// The query, with its parameters.
        query: GitQuery,
        /// See [`crate::GitAnswer::digest`]. `None` if git gave no answer, so that there is nothing
        /// to compare.
        answer: Option<Digest>,
    },
}

/// The result of [`Snapshot::changed_since`](crate::Snapshot::changed_since).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondLook {
    /// The files that have changed, sorted by path.
    pub changes: Vec<Change>,
    /// Files that we did not check because the caller cancelled, sorted by path.
    pub unseen: Vec<RepoPath>,
    /// True if everything was checked, including listings and searches.
    pub complete: bool,
}

/// A file that differs from the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// Path of the file, relative to the root.
    pub path: RepoPath,
    /// How the file differs.
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
