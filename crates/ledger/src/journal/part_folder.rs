//! The files with the rows of a checkpoint.

use std::path::Path;
use std::sync::Arc;

use windlass_store::{Durability, RangedFile, RootedPath, files_in, remove_file, write_atomic};

use crate::LedgerError;
use crate::rows::{Damage, Part, PartInfo};

/// The folder with the files that hold a checkpoint's rows (see [`Part`]).
///
/// A file in it never changes, and its name comes from its contents. Other processes can therefore
/// go on reading the files of the checkpoint that they have loaded, even after we've saved a newer
/// one.
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

    /// Returns the folder's path if something else is there, such as a file.
    pub(super) fn blocked(&self) -> Option<&Path> {
        let is_blocked = self.folder.is_there() && !self.folder.is_folder();
        is_blocked.then(|| self.folder.path())
    }

    pub(super) fn damage(&self) -> &Damage {
        &self.damage
    }

    pub(super) fn forget_damage(&mut self) {
        self.damage = Damage::default();
    }

    /// Opens the part described by `info`. Returns `None` if its file is missing or doesn't match.
    pub(super) fn open(&self, info: &PartInfo) -> Option<Part> {
        // The name comes from the manifest, which anyone could have written. Without this check, it
        // could be any path, even one outside the folder.
        let is_name = info.name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let file = RangedFile::open(&self.folder.join(&info.name))
            .inspect_err(|error| tracing::debug!(%error, "a part of a checkpoint cannot be opened"))
            .ok()
            .flatten();
        Part::in_file(info.clone(), file.filter(|_| is_name)?, &self.damage)
    }

    /// Writes `part` to a file if it's only in memory, and returns the part in the file.
    pub(super) fn stored(&self, part: &Arc<Part>) -> Result<Arc<Part>, LedgerError> {
        match part.unsaved() {
            None => Ok(Arc::clone(part)),
            Some(bytes) => Ok(Arc::new(self.write(&part.info, bytes)?)),
        }
    }

    pub(super) fn write(&self, info: &PartInfo, bytes: &[u8]) -> Result<Part, LedgerError> {
        let path = self.folder.join(&info.name);
        write_atomic(&path, bytes, Durability::Relaxed)?;
        // From here on, read the rows from the file, so that they needn't stay in memory.
        self.open(info).ok_or_else(|| LedgerError::Damaged {
            path: path.path().to_owned(),
            why: "it cannot be read after it was written".to_owned(),
        })
    }

    /// Removes all files but those named in `known`. Another process may have loaded a manifest
    /// with the removed ones but not opened them yet, in which case it notices that and loads the
    /// new manifest.
    pub(super) fn remove_others(&self, known: &[&str]) -> Result<(), LedgerError> {
        for file in files_in(&self.folder, |name| !known.contains(&name))? {
            remove_file(&file.place)?;
        }
        Ok(())
    }
}
