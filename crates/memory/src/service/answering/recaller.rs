use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use windlass_base::RepoPath;
use windlass_redact::redact_for_cache;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::service::MemoryService;
use crate::service::caching::{IndexCache, Keep, KeptIndex, Stamps, known_memory};
use crate::{
    MemoryError, Query, Ranking, RecallIndex, Record, build_index, build_other_index, renew_index,
};

/// A memory that is ready to answer questions, one after the other, all about the same state of its files.
#[derive(Debug)]
pub struct Recaller {
    pub(super) site: Site,
    pub(super) snapshot: Snapshot,
    pub(super) index: RecallIndex,
    /// Whether there is a memory.
    pub(super) has_memory: bool,
}

impl Recaller {
    /// The `most` records that fit a question best.
    #[must_use]
    pub fn ranked(&self, query: &Query, most: usize) -> Ranking {
        self.index.recall(query, most)
    }
}

impl MemoryService {
    /// Makes the memory ready to answer. Where nothing changed since it was last made ready, its index is taken from the cache;
    /// where something did, only that is read.
    ///
    /// # Errors
    /// When there is no memory, or it cannot be read.
    pub fn recaller(&self) -> Result<Recaller, Error> {
        let snapshot = self.site.snapshot();
        self.folder.finish()?;
        let stamps = Stamps::of(&self.site)?;
        if stamps.is_empty() {
            return Err(MemoryError::NotInitialized.into());
        }
        let cache = IndexCache::of(&self.site);
        let KeptIndex { index, secret } = match cache.get(&stamps) {
            Some(kept) => kept,
            None => self.renewed_index(&snapshot, &stamps, &cache)?,
        };
        // Whether the index was kept or made just now: the same values are known, and hidden in what is shown.
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

    /// The index of the memory as it is now, which is kept for whoever comes next.
    fn renewed_index(
        &self,
        snapshot: &Snapshot,
        stamps: &Stamps,
        cache: &IndexCache,
    ) -> Result<KeptIndex, Error> {
        let memory = known_memory(&self.site, snapshot, stamps)?;
        if !memory.is_there() {
            return Err(self.folder.why_none().into());
        }
        let threads = self.site.repo().threads();
        let is_torn = AtomicBool::new(false);
        let scanned = Mutex::new(BTreeMap::new());
        let shown = |record: &Record| {
            // Its text may be read later than what is known of it was.
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
            None => build_index(&memory, &shown, threads),
        };
        // What changed meanwhile, or a moment ago, may not be what was read.
        let now = self.site.environment().now();
        let is_settled = !stamps.is_younger_than(now) && Stamps::of(&self.site)? == *stamps;
        let keep = match (is_torn.into_inner(), is_settled) {
            (true, _) => Keep::Nothing,
            (false, true) => Keep::AsState(stamps),
            (false, false) => Keep::AsNewest,
        };
        let scanned = scanned.into_inner().unwrap_or_else(PoisonError::into_inner);
        let known = before.map_or_else(BTreeSet::new, |before| before.secret);
        let is_known =
            |path: &RepoPath| memory.records.contains_key(path) && !scanned.contains_key(path);
        let known = known.into_iter().filter(is_known);
        let found = scanned.iter().filter(|(_, is_secret)| **is_secret);
        let secret = known.chain(found.map(|(path, _)| path.clone())).collect();
        cache.put(&renewed, &secret, &keep);
        let index = RecallIndex::open(renewed).ok_or_else(unreadable_index)?;
        Ok(KeptIndex { index, secret })
    }

    /// The same for who asks other sources as well: where there is no memory, it has nothing to say.
    ///
    /// # Errors
    /// When the memory cannot be read.
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
