//! Grounds of a verdict: the files and lines that have to be unchanged for it to remain valid.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest, RepoPath};
use windlass_repo::{GitQuery, Question, Refusal, SearchQuery, Snapshot, Survey};

use crate::sought::lines_of;

/// Dependencies of a verdict that its queries to the snapshot do not show. They are recorded during
/// the search.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    followed: Mutex<BTreeSet<RepoPath>>,
    is_unknown: AtomicBool,
}

impl Looked {
    /// Records that lines of the text were followed through `files`.
    pub(crate) fn followed(&self, files: BTreeSet<RepoPath>) {
        let followed = self.followed.lock();
        followed
            .unwrap_or_else(PoisonError::into_inner)
            .extend(files);
    }

    /// Records that git lacked data that it may have later, e.g. after a fetch. The verdict is then
    /// not stored.
    pub(crate) fn lacks(&self) {
        self.is_unknown.store(true, Ordering::Relaxed);
    }
}

/// Files and settings that have to be unchanged for a verdict to remain valid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Grounds {
    /// Files that were read, that were found to contain lines of the text, or through which these
    /// were followed.
    pub(super) files: BTreeSet<RepoPath>,
    /// Digests of the files that no survey covers. `None` for a missing file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unnamed: Vec<(RepoPath, Option<Digest>)>,
    /// Lines that no new or changed file may contain, with one space for each sequence of blanks.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) sought: BTreeSet<String>,
    /// True if any change to the repository makes the verdict invalid.
    pub(super) everything: bool,
}

impl Grounds {
    /// Collects the grounds of a verdict.
    ///
    /// `own` is a handle to `snapshot` that only this verdict used, so that its queries are those
    /// of the verdict. Returns `None` if a query has an answer that a later run cannot compare.
    pub(super) fn of(
        own: &Snapshot,
        snapshot: &Snapshot,
        looked: Looked,
        survey: &Survey,
    ) -> Option<Self> {
        if looked.is_unknown.into_inner() {
            return None;
        }
        let files = looked.followed.into_inner();
        let mut grounds = Self {
            files: files.unwrap_or_else(PoisonError::into_inner),
            ..Self::default()
        };
        for question in own.own_questions() {
            match &question {
                Question::File(path) => {
                    if !survey.names(path) {
                        let held = held(snapshot, path)?;
                        grounds.unnamed.push((path.clone(), held));
                    }
                    grounds.files.insert(path.clone());
                }
                Question::Search(query) => {
                    let mut found = snapshot.search(query, &Cancel::default()).ok()?;
                    // The search stopped at its limit. We need all files with these lines, so
                    // search again without a limit.
                    if found.truncated {
                        found = snapshot
                            .search(&every_file(query), &Cancel::default())
                            .ok()?;
                    }
                    let files = found.files.iter().map(|file| file.path.clone());
                    grounds.files.extend(files);
                    grounds.sought.extend(lines_of(&query.pattern));
                    grounds.everything |= found.truncated;
                }
                // The stored `State` covers the answers to these.
                Question::Git(GitQuery::Head | GitQuery::Changes { .. }) => {}
                Question::Git(_) | Question::List(_) => return None,
            }
        }
        Some(grounds)
    }
}

/// Returns a query for all files that match `query`, without a limit on matches.
///
/// The result is still truncated if there are files that the search cannot reach.
fn every_file(query: &SearchQuery) -> SearchQuery {
    SearchQuery {
        first_only: true,
        max_matches: u32::MAX,
        ..query.clone()
    }
}

/// Returns the digest of the file at `path`, with `Some(None)` for a missing one. Returns `None` if
/// the file cannot be read.
pub(super) fn held(snapshot: &Snapshot, path: &RepoPath) -> Option<Option<Digest>> {
    match snapshot.read(path) {
        Ok(file) => Some(Some(file.content_hash())),
        Err(Refusal::Missing) => Some(None),
        Err(_) => None,
    }
}
