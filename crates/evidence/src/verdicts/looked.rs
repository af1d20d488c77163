//! Grounds of a verdict: what has to stay unchanged for it to remain valid.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use windlass_base::{Cancel, Digest, RepoPath};
use windlass_repo::{CaseMode, GitQuery, Question, Refusal, SearchQuery, Snapshot, Survey};

use crate::sought::lines_of;

/// Dependencies of a verdict that the queries to the snapshot do not show. They are recorded while a text is judged.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    followed: Mutex<BTreeSet<RepoPath>>,
    is_unknown: AtomicBool,
}

impl Looked {
    /// Records that lines were followed through `files`.
    pub(crate) fn followed(&self, files: BTreeSet<RepoPath>) {
        let followed = self.followed.lock();
        followed
            .unwrap_or_else(PoisonError::into_inner)
            .extend(files);
    }

    /// Records that git lacked data that it may have later. The verdict is then not stored.
    pub(crate) fn lacks(&self) {
        self.is_unknown.store(true, Ordering::Relaxed);
    }
}

/// Conditions that keep a verdict valid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Grounds {
    /// Files that the verdict depends on.
    pub(super) files: BTreeSet<RepoPath>,
    /// Digests of files that a survey does not contain. `None` for a missing file.
    pub(super) unnamed: Vec<(RepoPath, Option<Digest>)>,
    /// Lines that no other file may contain, with each sequence of blanks replaced by one space.
    pub(super) sought: BTreeSet<String>,
    /// True if the verdict depends on all files of the repository.
    pub(super) everything: bool,
}

impl Grounds {
    /// Collects the grounds of a verdict from the queries to `own` and from the dependencies in `looked`. `own` is a
    /// handle to `snapshot` that only this verdict used. Returns `None` if the grounds cannot be compared in a later
    /// run.
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
                    if found.truncated {
                        found = snapshot
                            .search(&every_file(query), &Cancel::default())
                            .ok()?;
                    }
                    let files = found.files.iter().map(|file| file.path.clone());
                    grounds.files.extend(files);
                    grounds.sought.extend(lines_of(&query.pattern));
                    // The automaton ignores case for ASCII letters only, so other patterns depend on all files.
                    let is_folded = query.case != CaseMode::Sensitive && !query.pattern.is_ascii();
                    grounds.everything |= found.truncated || is_folded;
                }
                Question::Git(GitQuery::Head | GitQuery::Changes { .. }) => {}
                Question::Git(_) | Question::List(_) => return None,
            }
        }
        Some(grounds)
    }
}

/// Returns a query that finds every file which matches `query`. Files that the search did not reach decide whether it
/// is truncated, so they count as well.
fn every_file(query: &SearchQuery) -> SearchQuery {
    SearchQuery {
        first_only: true,
        max_matches: u32::MAX,
        ..query.clone()
    }
}

/// Returns the digest of the contents at `path`, or `Some(None)` if the file is missing. Returns `None` if it may not
/// be read.
pub(super) fn held(snapshot: &Snapshot, path: &RepoPath) -> Option<Option<Digest>> {
    match snapshot.read(path) {
        Ok(file) => Some(Some(file.content_hash())),
        Err(Refusal::Missing) => Some(None),
        Err(_) => None,
    }
}
