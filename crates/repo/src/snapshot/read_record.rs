use serde::{Deserialize, Serialize};
use windlass_base::{Digest, RepoPath};

use crate::git::{GitAnswer, GitQuery};
use crate::refusal::Refusal;
use crate::search::{SearchQuery, Searched};
use crate::seen_files::{ChangeKind, Outcome};
use crate::walk::{ListQuery, Listing};

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

/// The result of a second look at everything that a snapshot read gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondLook {
    /// The things that are no longer the same, sorted by path.
    pub changes: Vec<Change>,
    /// Files that were not looked at again, sorted, as somebody asked to stop first.
    pub unseen: Vec<RepoPath>,
    /// True if everything was looked at again, listings and searches included.
    pub complete: bool,
}

/// A file that is no longer what the snapshot saw.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// The path.
    pub path: RepoPath,
    /// The fate of it.
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
