use windlass_memory::Memory;
use windlass_repo::Snapshot;

use crate::{Error, Workspace};

impl Workspace {
    /// The memory of this repository as it is now. One that is not there is empty ([`Memory::is_there`]).
    ///
    /// # Errors
    /// When the folder cannot be looked through.
    pub fn read_memory(&self, snapshot: &Snapshot) -> Result<Memory, Error> {
        self.finish_memory()?;
        Ok(Memory::of_snapshot(snapshot)?)
    }
}
