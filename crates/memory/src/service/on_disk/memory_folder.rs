//! The memory's folder on disk, its lock, and the recovery of interrupted changes.

use windlass_base::{Digest, RepoPath};
use windlass_site::{DocumentLock, Error, Site};
use windlass_store::{Disk, RootedPath, make_shared_folder};

use crate::{FOLDER, IMPRESSIONS, JOURNAL, MemoryError, SUMMARY, recover};

/// Stands in for the contents of a file that can't be read. No file of a memory has these bytes.
const UNREADABLE: &[u8] = b"\0unreadable";

/// An exclusive lock on the memory, released when dropped.
#[must_use = "the lock is free again as soon as this is dropped"]
pub(super) struct MemoryLock {
    _lock: DocumentLock,
    /// True if the folder was created in order to be locked.
    pub(super) is_new: bool,
}

/// Access to the memory's folder.
#[derive(Debug, Clone)]
pub(crate) struct MemoryFolder {
    pub(super) site: Site,
}

impl MemoryFolder {
    /// Creates the access for the repository of `site`. The folder need not exist.
    pub(crate) fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Returns the reason why no memory was found: it doesn't exist, or an ignore file excludes it.
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

    /// Returns the location of a file written by a change. Files below `memory/` must not be
    /// symbolic links, while `AGENTS.md` and `.gitignore` may be.
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

    /// Completes an interrupted change. If there is none, all it costs is a check for the journal
    /// file. A reader must not fail because of this, so it records a warning and continues.
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

    /// Runs `look` under the lock, while no other process writes to the memory. Returns `None` if
    /// the lock isn't available.
    pub(crate) fn while_nobody_writes<T>(
        &self,
        look: impl FnOnce() -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        let folder = self.path();
        let _guard = DocumentLock::of_folder(&self.site, &folder).ok()??;
        // [`Self::finish`] would wait for the lock that we're holding.
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
            // The file exists, so it must not count as missing. These bytes differ from every
            // recorded state, so recovery leaves it alone.
            Err(_) => {
                let is_there = self.place(path).is_ok_and(|place| place.is_there());
                is_there.then(|| UNREADABLE.to_vec())
            }
        };
        // If a change can't be completed, the rest is stored outside the repository, where this
        // user can write.
        let aside = self.state();
        let aside = aside.as_ref().ok();
        let place = |path: &RepoPath| self.place(path);
        let recovery = recover(&Disk::default(), &journal, aside, place, read)?;
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

    /// Locks the folder, creating it if it's missing. The lock is shared by all users with write
    /// access.
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
                // Another writer may have removed the empty folder since the last round. Try again.
                None => is_new = make_shared_folder(&folder)?,
            }
        }
    }

    /// Returns the memory's folder.
    pub(crate) fn path(&self) -> RootedPath {
        RootedPath::new(self.site.repo().root()).join(FOLDER)
    }

    /// Returns the journal's path. It's in the memory's folder, where every later process finds it.
    pub(super) fn journal(&self) -> Result<RootedPath, Error> {
        self.site.files().place_of(&RepoPath::parse(FOLDER)?)?;
        self.site.files().place_of(&RepoPath::parse(JOURNAL)?)
    }

    /// Returns the folder for state about the memory of this working tree.
    pub(crate) fn state(&self) -> Result<RootedPath, Error> {
        let root = self.site.repo().root().as_os_str().as_encoded_bytes();
        let name = Digest::of_bytes(root).hex();
        Ok(self.site.dirs()?.state.join("memory").join(name))
    }
}
