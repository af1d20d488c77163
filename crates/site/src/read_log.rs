use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::RepoPath;
use windlass_repo::{ReadRecord, Snapshot};

use crate::documents::SiteFiles;

/// The snapshots that a site has handed out since recording began, or `None` if it is not
/// recording. Clones of a site share the log.
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
    /// Starts to record which files the services of this site read. An earlier record is dropped.
    pub fn record_reads(&self) {
        let log = &self.0.reads.0;
        *log.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// Returns the files that services have read or tried to read.
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
