//! The files that hold a checkpoint's rows, in one folder.

use std::sync::Arc;

use windlass_store::{Disk, Durability, RangedFile, RootedPath, files_in, write_atomic};

use crate::LedgerError;
use crate::rows::{Damage, Part, PartInfo};

/// A folder of parts. A file never changes once it is there.
#[derive(Debug)]
pub(super) struct PartFolder {
    folder: RootedPath,
    damage: Damage,
}

impl PartFolder {
    pub(super) fn at(folder: RootedPath) -> Self {
        let damage = Damage::default();
        Self { folder, damage }
    }

    /// Returns the damage found so far in parts of this folder.
    pub(super) fn damage(&self) -> &Damage {
        &self.damage
    }

    pub(super) fn forget_damage(&mut self) {
        self.damage = Damage::default();
    }

    /// Opens a part. Returns `None` if there is no such file, or if it isn't the one described.
    pub(super) fn open(&self, info: &PartInfo) -> Option<Part> {
        // The name comes from a file, so it could be any path.
        let is_name = info.name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let file = RangedFile::open(&self.folder.join(&info.name))
            .inspect_err(|error| tracing::debug!(%error, "a part of a checkpoint cannot be opened"))
            .ok()
            .flatten();
        Part::in_file(info.clone(), file.filter(|_| is_name)?, &self.damage)
    }

    /// Returns `part`, written to a file if it is only in memory so far.
    pub(super) fn stored(&self, part: &Arc<Part>) -> Result<Arc<Part>, LedgerError> {
        match part.unsaved() {
            None => Ok(Arc::clone(part)),
            Some(bytes) => Ok(Arc::new(self.write(&part.info, bytes)?)),
        }
    }

    pub(super) fn write(&self, info: &PartInfo, bytes: &[u8]) -> Result<Part, LedgerError> {
        let path = self.folder.join(&info.name);
        write_atomic(&path, bytes, Durability::Relaxed)?;
        self.open(info).ok_or_else(|| LedgerError::Damaged {
            path: path.path().to_owned(),
            why: "it cannot be read after it was written".to_owned(),
        })
    }

    /// Removes the files whose names aren't in `known`.
    pub(super) fn remove_others(&self, known: &[&str]) -> Result<(), LedgerError> {
        for file in files_in(&self.folder, |name| !known.contains(&name))? {
            Disk::default().remove(&file.place)?;
        }
        Ok(())
    }
}
