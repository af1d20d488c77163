//! Listings of one snapshot, each run once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_base::{Cancel, RepoPath};

use crate::repository::Repo;
use crate::seen_files::ChangeKind;
use crate::walk::{ListError, ListQuery, Listing, list};

type Known = BTreeMap<ListQuery, Arc<Listing>>;

/// Listings by query.
#[derive(Default)]
pub(super) struct Listings(Mutex<Known>);

impl Listings {
    /// Returns all files that `query` finds, regardless of its limit.
    pub(super) fn ask(
        &self,
        repo: &Repo,
        query: &ListQuery,
        cancel: &Cancel,
    ) -> Result<Arc<Listing>, ListError> {
        if let Some(listing) = self.known(query) {
            return Ok(listing);
        }
        let listing = list(repo, query, cancel)
            .inspect_err(|error| tracing::debug!(%error, "files not listed"))?;
        let listing = Arc::new(listing);
        // Another thread may have been faster; its answer counts.
        let mut known = self.lock();
        Ok(Arc::clone(known.entry(query.clone()).or_insert(listing)))
    }

    /// Returns the answer to `query`, if it was run.
    pub(super) fn known(&self, query: &ListQuery) -> Option<Arc<Listing>> {
        self.lock().get(query).cloned()
    }

    /// Returns all answers.
    pub(super) fn all(&self) -> Known {
        self.lock().clone()
    }

    /// Adds files that appeared or vanished since, unless `changes` already lists them.
    pub(super) fn add_changes(
        &self,
        repo: &Repo,
        changes: &mut BTreeMap<RepoPath, ChangeKind>,
        cancel: &Cancel,
    ) {
        for (query, before) in self.all() {
            let now = list(repo, &query, cancel);
            if cancel.is_cancelled() {
                break;
            }
            // A folder that can no longer be listed has lost its files.
            note_difference(&before.files, &now.unwrap_or_default().files, changes);
        }
    }

    /// A thread that panicked while holding the lock left a complete map behind: every change is a single
    /// call.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note_difference(
    before: &[RepoPath],
    now: &[RepoPath],
    changes: &mut BTreeMap<RepoPath, ChangeKind>,
) {
    let before: BTreeSet<_> = before.iter().collect();
    let now: BTreeSet<_> = now.iter().collect();
    for path in now.difference(&before) {
        changes
            .entry((*path).clone())
            .or_insert(ChangeKind::Appeared);
    }
    for path in before.difference(&now) {
        changes
            .entry((*path).clone())
            .or_insert(ChangeKind::Vanished);
    }
}
