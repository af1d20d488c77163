use windlass_base::RepoPath;
use windlass_memory::{IMPRESSIONS, Memory, MemoryError, SUMMARY};
use windlass_repo::Snapshot;

use crate::{Error, Workspace};

impl Workspace {
    /// The memory of this repository as it is now. One that is not there is empty ([`Memory::is_there`]).
    ///
    /// # Errors
    /// When the folder cannot be looked through.
    pub fn read_memory(&self, snapshot: &Snapshot) -> Result<Memory, Error> {
        self.finish_memory()?;
        let memory = Memory::of_snapshot(snapshot)?;
        match self.no_memory() {
            hidden @ MemoryError::Ignored(_) if !memory.is_there() => Err(hidden.into()),
            _ => Ok(memory),
        }
    }

    /// Why no memory was read: there is none, or what each has is there and left out by an ignore file.
    pub(super) fn no_memory(&self) -> MemoryError {
        let is_there = |path: &&str| {
            let path = RepoPath::parse(path).ok();
            let place = path.and_then(|path| self.files().place_of(&path).ok());
            place.is_some_and(|place| place.is_file())
        };
        match [SUMMARY, IMPRESSIONS].into_iter().find(is_there) {
            Some(path) => MemoryError::Ignored(path.to_owned()),
            None => MemoryError::NotInitialized,
        }
    }
}
