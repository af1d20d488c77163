//! Cached searches of one snapshot. Each query runs once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_base::{Cancel, RepoPath};

use super::looked_at::Closeness;
use super::passed_over::PassedOver;
use super::search_query::{SearchError, SearchQuery};
use super::{Searched, check_again, search};
use crate::seen_files::{ChangeKind, SeenFiles};

/// Searches of one snapshot.
#[derive(Default)]
pub(crate) struct Searches {
    known: Mutex<BTreeMap<SearchQuery, Arc<Searched>>>,
    passed_over: PassedOver,
    /// True once a program was started, since it may have changed files.
    is_disturbed: AtomicBool,
}

impl Searches {
    /// Returns the answers to `queries` in `files`. The queries must share one scope.
    pub(crate) fn ask(
        &self,
        files: &SeenFiles,
        queries: &[SearchQuery],
        cancel: &Cancel,
    ) -> Result<Vec<Arc<Searched>>, SearchError> {
        let known = self.lock();
        let new = queries.iter().filter(|query| !known.contains_key(*query));
        let new: BTreeSet<SearchQuery> = new.cloned().collect();
        drop(known);
        let new: Vec<SearchQuery> = new.into_iter().collect();
        let searched = search(files, self, &new, cancel)?;
        let mut known = self.lock();
        for (query, searched) in new.into_iter().zip(searched) {
            known.entry(query).or_insert_with(|| Arc::new(searched));
        }
        let answers = queries.iter().filter_map(|query| known.get(query));
        Ok(answers.cloned().collect())
    }

    /// Returns the answer to `query`, or `None` if it hasn't run.
    pub(crate) fn known(&self, query: &SearchQuery) -> Option<Arc<Searched>> {
        self.lock().get(query).cloned()
    }

    pub(crate) fn all(&self) -> BTreeMap<SearchQuery, Arc<Searched>> {
        self.lock().clone()
    }

    /// Records that a program was started, which may change any file.
    pub(crate) fn disturb(&self) {
        self.is_disturbed.store(true, Ordering::Relaxed);
    }

    /// Returns the files whose answers changed, query by query.
    pub(crate) fn changes(
        &self,
        files: &SeenFiles,
        cancel: &Cancel,
    ) -> Vec<(RepoPath, ChangeKind)> {
        let closeness = if self.is_disturbed.load(Ordering::Relaxed) {
            Closeness::Full
        } else {
            Closeness::Brief
        };
        let mut changes = Vec::new();
        for (query, searched) in self.all() {
            changes.extend(check_again(
                files.repo(),
                &query,
                &searched,
                closeness,
                cancel,
            ));
        }
        changes
    }

    /// Returns the cache of files without matches. A single search doesn't need it, and it's
    /// useless once a program may have changed files, so in both cases the result is `None`.
    pub(super) fn passed_over(&self, is_one_of_many: bool) -> Option<&PassedOver> {
        let has_others = is_one_of_many || !self.lock().is_empty();
        let is_disturbed = self.is_disturbed.load(Ordering::Relaxed);
        (has_others && !is_disturbed).then_some(&self.passed_over)
    }

    /// Locks the answers. Ignore poisoning: every change of the map is a single call, so a
    /// panicking thread leaves it complete.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<SearchQuery, Arc<Searched>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
