//! Prepares a memory for questions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use windlass_base::RepoPath;
use windlass_redact::redact_for_cache;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::service::MemoryService;
use crate::service::caching::{CachedIndex, IndexCache, Keep, Stamps, known_memory};
use crate::{
    MemoryError, Query, Ranking, RecallIndex, Record, Renewed, build_index, build_other_index,
    renew_index,
};

/// A memory ready to answer questions. It reflects a single state of the files.
#[derive(Debug)]
pub struct Recaller {
    pub(super) site: Site,
    pub(super) snapshot: Snapshot,
    pub(super) index: RecallIndex,
    /// True if the memory exists. It may be missing if other sources are searched.
    pub(super) has_memory: bool,
}

impl Recaller {
    /// Ranks the records for `query` and returns at most `most` of them.
    #[must_use]
    pub fn ranked(&self, query: &Query, most: usize) -> Ranking {
        self.index.recall(query, most)
    }
}

impl MemoryService {
    /// Prepares the memory for questions. If no file has changed, the index comes from the cache.
    /// Otherwise only the changed files are read.
    ///
    /// # Errors
    /// Returns an error if there is no memory or if it cannot be read.
    pub fn recaller(&self) -> Result<Recaller, Error> {
        let snapshot = self.site.snapshot();
        self.folder.finish()?;
        let stamps = Stamps::of(&self.site)?;
        if stamps.is_empty() {
            return Err(MemoryError::NotInitialized.into());
        }
        let cache = IndexCache::of(&self.site);
        let CachedIndex { index, secret } = match cache.get(&stamps) {
            Some(kept) => kept,
            None => self.renewed_index(&snapshot, &stamps, &cache)?,
        };
        // Reading a file tells the snapshot about its secrets, which it then redacts in other texts
        // too.
        let secret: Vec<RepoPath> = secret.into_iter().collect();
        windlass_base::in_parallel(&secret, self.site.repo().threads(), 8, |paths| {
            let read = paths.iter().filter_map(|path| snapshot.read(path).ok());
            read.filter(|file| file.shown().has_secrets()).count()
        });
        Ok(Recaller {
            site: self.site.clone(),
            snapshot,
            index,
            has_memory: true,
        })
    }

    /// Renews the index for the current state of the memory and caches it.
    fn renewed_index(
        &self,
        snapshot: &Snapshot,
        stamps: &Stamps,
        cache: &IndexCache,
    ) -> Result<CachedIndex, Error> {
        let memory = known_memory(&self.site, snapshot, stamps)?;
        if !memory.is_there() {
            return Err(self.folder.why_none().into());
        }
        let threads = self.site.repo().threads();
        let is_torn = AtomicBool::new(false);
        let scanned = Mutex::new(BTreeMap::new());
        let shown = |record: &Record| {
            // If the text has changed since its head was cached, the index mixes two states. Don't
            // cache it.
            if !record.is_as_known() {
                is_torn.store(true, Ordering::Relaxed);
            }
            let (text, findings) = redact_for_cache(record.source().text());
            let mut scanned = scanned.lock().unwrap_or_else(PoisonError::into_inner);
            scanned.insert(record.path.clone(), !findings.is_empty());
            text.as_str().to_owned()
        };
        let before = cache.newest();
        let renewed = match &before {
            Some(before) => renew_index(&before.index, &memory, &shown, threads),
            None => Renewed::Whole(build_index(&memory, &shown, threads)),
        };
        // A file that changed a moment ago may change again without a visible difference, so we
        // can't use its state as a key.
        let now = self.site.environment().now();
        let is_settled = !stamps.is_younger_than(now) && Stamps::of(&self.site)? == *stamps;
        let keep = match (is_torn.into_inner(), is_settled) {
            (true, _) => Keep::Nothing,
            (false, true) => Keep::AsState(stamps),
            (false, false) => Keep::AsNewest,
        };
        let scanned = scanned.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (before, known) = before.map_or_else(Default::default, |before| {
            (Some(before.index), before.secret)
        });
        let is_known =
            |path: &RepoPath| memory.records.contains_key(path) && !scanned.contains_key(path);
        let known = known.into_iter().filter(is_known);
        let found = scanned.iter().filter(|(_, is_secret)| **is_secret);
        let secret = known.chain(found.map(|(path, _)| path.clone())).collect();
        let index = cache.put(before, renewed, &secret, &keep);
        let index = index.ok_or_else(unreadable_index)?;
        Ok(CachedIndex { index, secret })
    }

    /// Prepares the memory like [`MemoryService::recaller`], for a search that includes other
    /// sources. A missing memory counts as empty.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be read.
    pub fn recaller_of_all(&self) -> Result<Recaller, Error> {
        match self.recaller() {
            Err(error)
                if error.is(|error| {
                    matches!(error, MemoryError::NotInitialized | MemoryError::Ignored(_))
                }) =>
            {
                Ok(Recaller {
                    site: self.site.clone(),
                    snapshot: self.site.snapshot(),
                    index: RecallIndex::open(build_other_index(&[]))
                        .ok_or_else(unreadable_index)?,
                    has_memory: false,
                })
            }
            other => other,
        }
    }
}

fn unreadable_index() -> Error {
    Error::internal("an index cannot be read that was just made".to_owned())
}
