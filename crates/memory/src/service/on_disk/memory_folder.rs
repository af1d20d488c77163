//! The folder of the memory, its lock, and what was interrupted there.

use windlass_base::{Digest, RepoPath};
use windlass_site::{DocumentLock, Error, Site};
use windlass_store::{Disk, RootedPath, make_shared_folder};

use crate::{FOLDER, IMPRESSIONS, JOURNAL, MemoryError, SUMMARY, recover};

/// Stands for the bytes of a file that may not be read: no file of a memory has them.
const UNREADABLE: &[u8] = b"\0unreadable";

/// The memory while nobody else writes into it.
#[must_use = "the lock is free again as soon as this is dropped"]
pub(super) struct MemoryLock {
    _lock: DocumentLock,
    /// Whether the folder was made for it.
    pub(super) is_new: bool,
}

/// The folder of the memory.
#[derive(Debug, Clone)]
pub(crate) struct MemoryFolder {
    pub(super) site: Site,
}

impl MemoryFolder {
    /// That of the repository of `site`.
    pub(crate) fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Why no memory was read: there is none, or what each has is there and left out by an ignore file.
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

    /// Location of a file that a change of the memory writes. Nothing below `memory/` is a link; `AGENTS.md` and
    /// `.gitignore` are documents of people.
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

    /// Brings to an end what was interrupted, if anything was: one look at the disk where nothing was. Who only reads goes on
    /// where that cannot be done now, and is told.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let is_open = || self.journal().is_ok_and(|journal| journal.is_there());
        if !is_open() {
            return Ok(());
        }
        if let Err(error) = self.finish_open() {
            self.site.note_trouble(format!(
                "a change of the memory was interrupted, and cannot be brought to an end now ({error}): a part of it may be missing"
            ));
        }
        Ok(())
    }

    /// Looks at the memory while nobody writes into it; nothing where the lock cannot be had.
    pub(crate) fn while_nobody_writes<T>(
        &self,
        look: impl FnOnce() -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        let folder = self.path();
        let _guard = DocumentLock::of_folder(&self.site, &folder).ok()??;
        // It would be finished under a lock of its own.
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
            // What may not be read is there all the same, and nothing that was noted.
            Err(_) => {
                let is_there = self.place(path).is_ok_and(|place| place.is_there());
                is_there.then(|| UNREADABLE.to_vec())
            }
        };
        // What nobody may finish is kept where whoever finds it may write.
        let aside = self.state();
        let aside = aside.as_ref().ok();
        let place = |path: &RepoPath| self.place(path);
        let recovery = recover(&Disk::default(), &journal, aside, place, read)?;
        if let Some(kept) = &recovery.kept {
            let left: Vec<&str> = recovery.left.iter().map(RepoPath::as_str).collect();
            self.site.note_trouble(format!(
                "a change of the memory was interrupted, and {} changed since, so it was left as it is; what was to be \
                 written is kept in {}",
                left.join(", "),
                kept.display()
            ));
        }
        Ok(())
    }

    /// The lock of the memory: of its folder, which all share who may write into it, whoever they are. Where there is none, it is
    /// made.
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
                // Whoever made it before may have put it away again.
                None => is_new = make_shared_folder(&folder)?,
            }
        }
    }

    /// The folder of the memory.
    pub(crate) fn path(&self) -> RootedPath {
        RootedPath::new(self.site.repo().root()).join(FOLDER)
    }

    /// Where a change is noted before it is made. It lies in the folder itself, so that whoever comes next finds it.
    pub(super) fn journal(&self) -> Result<RootedPath, Error> {
        self.site.files().place_of(&RepoPath::parse(FOLDER)?)?;
        self.site.files().place_of(&RepoPath::parse(JOURNAL)?)
    }

    /// What is kept about the memory of this very working tree.
    pub(crate) fn state(&self) -> Result<RootedPath, Error> {
        let root = self.site.repo().root().as_os_str().as_encoded_bytes();
        let name = Digest::of_bytes(root).hex();
        Ok(self.site.dirs()?.state.join("memory").join(name))
    }
}
