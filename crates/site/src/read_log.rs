use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::RepoPath;
use windlass_repo::{ReadRecord, Snapshot};

use crate::documents::SiteFiles;

/// Snapshots of a site for recording its reads, or `None` before recording starts. Clones share the
/// log.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadLog(Arc<Mutex<Option<Vec<Snapshot>>>>);

impl ReadLog {
    pub(crate) fn add(&self, snapshot: &Snapshot) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter_mut()
            .for_each(|taken| taken.push(snapshot.clone()));
    }
}

impl SiteFiles<'_> {
    /// Records the files read from now on by services of this site.
    pub fn record_reads(&self) {
        let log = &self.0.reads.0;
        *log.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// Returns the recorded files, both those that were read and those found missing or unreadable.
    #[must_use]
    pub fn recorded_reads(&self) -> BTreeSet<RepoPath> {
        let log = self.0.reads.0.lock();
        let taken = log.unwrap_or_else(PoisonError::into_inner).clone();
        let reads = taken.iter().flatten().flat_map(Snapshot::reads);
        let files = reads.filter_map(|read| match read {
            ReadRecord::File { path, .. } | ReadRecord::Refused { path, .. } => Some(path),
            _ => None,
        });
        files.collect()
    }
}
