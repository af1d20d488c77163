//! Caches the listings in one snapshot, so that each query runs only once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use windlass_base::{Cancel, RepoPath, lock};

use crate::repository::Repo;
use crate::seen_files::ChangeKind;
use crate::walk::{ListError, ListQuery, Listing, list};

type Known = BTreeMap<ListQuery, Arc<Listing>>;

#[derive(Default)]
pub(super) struct Listings(Mutex<Known>);

impl Listings {
    /// Returns all files that `query` finds, regardless of its limit. Queries that only differ in
    /// their limits share an answer.
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
        // Another thread may have been faster. Use its answer, so that all threads agree.
        let mut known = lock(&self.0);
        Ok(Arc::clone(known.entry(query.clone()).or_insert(listing)))
    }

    pub(super) fn known(&self, query: &ListQuery) -> Option<Arc<Listing>> {
        lock(&self.0).get(query).cloned()
    }

    pub(super) fn all(&self) -> Known {
        lock(&self.0).clone()
    }

    /// Repeats all listings, and adds new and vanished files to `changes`, unless there's already
    /// an entry for the file.
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
            // If a folder can't be listed any more, its files count as vanished.
            note_difference(&before.files, &now.unwrap_or_default().files, changes);
        }
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
