//! The memory's folder on disk, with the lock and the journal in it.

use windlass_base::{Digest, RepoPath};
use windlass_site::{DocumentLock, Error, Site};
use windlass_store::{RootedPath, make_shared_folder};

use crate::{FOLDER, IMPRESSIONS, JOURNAL, MemoryError, SUMMARY, recover};

/// Stands for the contents of a file that we cannot read. It contains a NUL, so it differs from any
/// file of a memory.
const UNREADABLE: &[u8] = b"\0unreadable";

/// Exclusive write access to the memory until dropped.
#[must_use = "the lock is free again as soon as this is dropped"]
pub(super) struct MemoryLock {
    _lock: DocumentLock,
    /// True if taking the lock created the folder.
    pub(super) is_new: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct MemoryFolder {
    pub(super) site: Site,
}

impl MemoryFolder {
    pub(crate) fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Explains why there is no memory. If the files are on disk nevertheless, an ignore file must
    /// exclude them.
    pub(crate) fn why_none(&self) -> MemoryError {
        let is_there = |path: &&str| {
            let path = RepoPath::parse(path).ok();
            let place = path.and_then(|path| self.site.files().place_of(&path).ok());
            place.is_some_and(|place| place.is_file())
        };
        match [SUMMARY, IMPRESSIONS].into_iter().find(is_there) {
            Some(path) => MemoryError::Ignored(path.to_owned()),
            None => MemoryError::NotInitialized,
        }
    }

    /// Returns the path for writing a file. `AGENTS.md` and `.gitignore` belong to the user, who
    /// may have made them symbolic links. In `memory/`, we do not follow links.
    pub(crate) fn place(&self, path: &RepoPath) -> Result<RootedPath, Error> {
        match path
            .as_str()
            .strip_prefix(FOLDER)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            true => self.site.files().place_of(path),
            false => self.site.files().document_place(path),
        }
    }

    /// Completes an interrupted change, if there is one.
    ///
    /// In most cases, this only checks that there is no journal. If we cannot complete the change,
    /// we tell the user but do not fail, because a read-only command should still work.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let is_open = || self.journal().is_ok_and(|journal| journal.is_there());
        if !is_open() {
            return Ok(());
        }
        if let Err(error) = self.finish_open() {
            self.site.note_trouble(format!(
                "a change of the memory was interrupted and cannot be completed now ({error}); a part of the change may be missing"
            ));
        }
        Ok(())
    }

    /// Runs `look` under the lock, or returns `None` if we cannot get the lock.
    pub(crate) fn while_nobody_writes<T>(
        &self,
        look: impl FnOnce() -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        let folder = self.path();
        let _guard = DocumentLock::of_folder(&self.site, &folder).ok()??;
        // We hold the lock already, and `finish` would try to take it again.
        let recovered = self.recover();
        Some(recovered.and_then(|()| look()))
    }

    fn finish_open(&self) -> Result<(), Error> {
        let folder = self.path();
        match DocumentLock::of_folder(&self.site, &folder)? {
            Some(_guard) => self.recover(),
            None => Ok(()),
        }
    }

    pub(super) fn recover(&self) -> Result<(), Error> {
        let journal = self.journal()?;
        let snapshot = self.site.snapshot();
        let read = |path: &RepoPath| match snapshot.read(path) {
            Ok(file) => Some(file.bytes().to_vec()),
            // We can't read the file, but it's there, so it mustn't count as missing. These bytes
            // don't match any recorded state, so recovery won't touch the file.
            Err(_) => {
                let is_there = self.place(path).is_ok_and(|place| place.is_there());
                is_there.then(|| UNREADABLE.to_vec())
            }
        };
        // If the change can't be completed, the rest of it goes to a folder of this user outside of
        // the repository.
        let aside = self.state();
        let aside = aside.as_ref().ok();
        let place = |path: &RepoPath| self.place(path);
        let recovery = recover(&journal, aside, place, read)?;
        if let Some(kept) = &recovery.kept {
            let left: Vec<&str> = recovery.left.iter().map(RepoPath::as_str).collect();
            self.site.note_trouble(format!(
                "a change of the memory was interrupted, and {} changed since, so it was not completed; the rest of \
                 the change is stored in {}",
                left.join(", "),
                kept.display()
            ));
        }
        Ok(())
    }

    /// Locks the folder, and creates it if necessary. The lock is in the folder itself, so that all
    /// users with write access share it.
    pub(super) fn lock_to_write(&self) -> Result<MemoryLock, Error> {
        let journal = self.journal()?;
        let folder = journal.parent().unwrap_or_else(|| self.path());
        let mut is_new = false;
        loop {
            match DocumentLock::of_folder(&self.site, &folder)? {
                Some(lock) => {
                    return Ok(MemoryLock {
                        _lock: lock,
                        is_new,
                    });
                }
                // There's no folder yet, so create it and try again. In theory, another writer
                // could remove the empty folder before we get the lock, hence the loop.
                None => is_new = make_shared_folder(&folder)?,
            }
        }
    }

    pub(crate) fn path(&self) -> RootedPath {
        self.site.files().root_place().join(FOLDER)
    }

    /// Path of the journal. It is in the memory's folder, where any other process will find it.
    pub(super) fn journal(&self) -> Result<RootedPath, Error> {
        self.site.files().place_of(&RepoPath::parse(FOLDER)?)?;
        self.site.files().place_of(&RepoPath::parse(JOURNAL)?)
    }

    /// The folder for state that we keep about this working tree's memory, outside of the
    /// repository.
    pub(crate) fn state(&self) -> Result<RootedPath, Error> {
        let root = self.site.repo().root().as_os_str().as_encoded_bytes();
        let name = Digest::of_bytes(root).hex();
        Ok(self.site.dirs()?.state.join("memory").join(name))
    }
}
