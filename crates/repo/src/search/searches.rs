//! Caches the searches in one snapshot, so that each query runs only once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use windlass_base::{Cancel, RepoPath, lock};

use super::looked_at::Closeness;
use super::passed_over::PassedOver;
use super::search_query::{SearchError, SearchQuery};
use super::{Searched, check_again, search};
use crate::seen_files::{ChangeKind, SeenFiles};

#[derive(Default)]
pub(crate) struct Searches {
    known: Mutex<BTreeMap<SearchQuery, Arc<Searched>>>,
    passed_over: PassedOver,
    /// True once a program has been started, because it may change files.
    is_disturbed: AtomicBool,
}

impl Searches {
    /// Answers all `queries`, which must have the same scope. Only those that we have not answered
    /// yet are run.
    pub(crate) fn ask(
        &self,
        files: &SeenFiles,
        queries: &[SearchQuery],
        cancel: &Cancel,
    ) -> Result<Vec<Arc<Searched>>, SearchError> {
        let known = lock(&self.known);
        let new = queries.iter().filter(|query| !known.contains_key(*query));
        let new: BTreeSet<SearchQuery> = new.cloned().collect();
        // A search may take long, so don't hold the lock meanwhile. If two threads run the same
        // query, one of them was in vain, which is rare.
        drop(known);
        let new: Vec<SearchQuery> = new.into_iter().collect();
        let searched = search(files, self, &new, cancel)?;
        let mut known = lock(&self.known);
        for (query, searched) in new.into_iter().zip(searched) {
            known.entry(query).or_insert_with(|| Arc::new(searched));
        }
        let answers = queries.iter().filter_map(|query| known.get(query));
        Ok(answers.cloned().collect())
    }

    /// Returns the answer to `query`, or `None` if it has not been run.
    pub(crate) fn known(&self, query: &SearchQuery) -> Option<Arc<Searched>> {
        lock(&self.known).get(query).cloned()
    }

    pub(crate) fn all(&self) -> BTreeMap<SearchQuery, Arc<Searched>> {
        lock(&self.known).clone()
    }

    pub(crate) fn disturb(&self) {
        self.is_disturbed.store(true, Ordering::Relaxed);
    }

    /// Returns the files for which a query has another answer now, query by query.
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

    /// Returns the cache of files without matches, if it is useful. The only search in a snapshot
    /// does not need it, and once a program has run, it may be outdated.
    pub(super) fn passed_over(&self, is_one_of_many: bool) -> Option<&PassedOver> {
        let has_others = is_one_of_many || !lock(&self.known).is_empty();
        let is_disturbed = self.is_disturbed.load(Ordering::Relaxed);
        (has_others && !is_disturbed).then_some(&self.passed_over)
    }
}
