//! Prepares a memory for questions, with an index from the cache if possible.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use windlass_base::RepoPath;
use windlass_redact::redact_for_cache;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::service::MemoryService;
use crate::service::caching::{CachedIndex, IndexCache, Stamps};
use crate::{
    Memory, MemoryError, Query, Ranking, RecallIndex, Record, build_index, build_other_index,
};

/// A memory that is ready for questions. Note that it does not notice when files change later.
#[derive(Debug)]
pub struct Recaller {
    pub(super) site: Site,
    pub(super) snapshot: Snapshot,
    pub(super) index: RecallIndex,
    /// False if there is no memory, in which case we only search other sources.
    pub(super) has_memory: bool,
}

impl Recaller {
    /// Ranks the records for a question, and returns at most `most` of them.
    #[must_use]
    pub fn ranked(&self, query: &Query, most: usize) -> Ranking {
        self.index.recall(query, most)
    }
}

impl MemoryService {
    /// Prepares the memory for questions. If no file has changed since the last time, we use the
    /// cached index. Otherwise, we build a new one.
    ///
    /// # Errors
    /// Returns an error if the memory is missing or unreadable.
    pub fn recaller(&self) -> Result<Recaller, Error> {
        let snapshot = self.site.snapshot();
        self.folder.finish()?;
        let stamps = Stamps::of(&self.site)?;
        if stamps.is_empty() {
            return Err(MemoryError::NotInitialized.into());
        }
        let cache = IndexCache::of(&self.site, &stamps);
        let CachedIndex { index, secret } = match cache.as_ref().and_then(IndexCache::get) {
            Some(cached) => cached,
            None => self.new_index(&snapshot, &stamps, cache.as_ref())?,
        };
        // Reading a file makes the snapshot remember its secrets, and redact them in other texts as
        // well. With a cached index, we haven't read anything yet.
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

    /// Builds the index, and caches it unless the files have changed in the meantime.
    fn new_index(
        &self,
        snapshot: &Snapshot,
        stamps: &Stamps,
        cache: Option<&IndexCache>,
    ) -> Result<CachedIndex, Error> {
        let memory = Memory::without_links(snapshot)?;
        if !memory.is_there() {
            return Err(self.folder.why_none().into());
        }
        let secret = Mutex::new(BTreeSet::new());
        let shown = |record: &Record| {
            let (text, findings) = redact_for_cache(record.source().text());
            if !findings.is_empty() {
                let mut secret = secret.lock().unwrap_or_else(PoisonError::into_inner);
                secret.insert(record.path.clone());
            }
            text.as_str().to_owned()
        };
        let index = build_index(&memory, &shown, self.site.repo().threads());
        let secret = secret.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A file that has just been changed may change again within the same tick of the file
        // system's clock. Its state then doesn't identify its contents.
        let now = self.site.environment().now();
        if !stamps.is_younger_than(now)
            && let Some(cache) = cache
            && Stamps::of(&self.site)? == *stamps
        {
            cache.put(&index, &secret);
        }
        let index = RecallIndex::open(index).ok_or_else(unreadable_index)?;
        Ok(CachedIndex { index, secret })
    }

    /// Like [`recaller`](Self::recaller), but for a search that includes other sources, which makes
    /// sense even without a memory.
    ///
    /// # Errors
    /// Returns an error if the memory is unreadable.
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
