//! The operations on a memory: recalling, checking and writing.
//!
//! Like all files of the user, the memory is read through a snapshot. We only write while holding a
//! lock, and a change of several files is atomic.

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

/// The operations on a memory, for use by commands.
#[derive(Debug, Clone)]
pub struct MemoryService {
    site: Site,
    folder: MemoryFolder,
}

impl MemoryService {
    /// Creates the service. This doesn't read anything yet.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            folder: MemoryFolder::new(site),
        }
    }

    /// Reads the memory. If there's none, the result is empty; see [`Memory::is_there`].
    ///
    /// # Errors
    /// Returns an error if the folder can't be read, or if an ignore file excludes the memory.
    pub fn read_memory(&self, snapshot: &Snapshot) -> Result<Memory, Error> {
        self.folder.finish()?;
        let memory = Memory::of_snapshot(snapshot)?;
        match self.folder.why_none() {
            hidden @ MemoryError::Ignored(_) if !memory.is_there() => Err(hidden.into()),
            _ => Ok(memory),
        }
    }
}
