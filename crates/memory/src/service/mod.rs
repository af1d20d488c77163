//! The memory of the repository at hand: read like all of the user's files, written as a whole under a lock.

mod answering;
mod caching;
mod checking;
mod on_disk;
mod writing;

use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use self::on_disk::MemoryFolder;
use crate::{Memory, MemoryError};

pub use self::answering::{
    AlsoSource, Explained, Loaded, LoadedField, RecallAnswer, RecallBudget, RecallFormat,
    RecallReport, RecallRequest, Recalled, Recaller, Recollection,
};
pub use self::checking::{
    Learned, MemoryCheck, MemoryCheckRequest, MemoryStats, PartsToSay, memory_check_schema,
};
pub use self::on_disk::WrittenFile;
pub use self::writing::{
    FeedbackNoted, Indexed, MemoryChange, MemoryInit, MemoryInitRequest, RememberRequest,
    RememberWork,
};

/// The memory of a repository: what is asked of it, written into it, and wrong with it.
#[derive(Debug, Clone)]
pub struct MemoryService {
    site: Site,
    folder: MemoryFolder,
}

impl MemoryService {
    /// The memory of the repository of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            folder: MemoryFolder::new(site),
        }
    }

    /// The memory of this repository as it is now. One that is not there is empty ([`Memory::is_there`]).
    ///
    /// # Errors
    /// When the folder cannot be looked through.
    pub fn read_memory(&self, snapshot: &Snapshot) -> Result<Memory, Error> {
        self.folder.finish()?;
        let memory = Memory::of_snapshot(snapshot)?;
        match self.folder.why_none() {
            hidden @ MemoryError::Ignored(_) if !memory.is_there() => Err(hidden.into()),
            _ => Ok(memory),
        }
    }
}
