use serde::Serialize;
use windlass_base::{Digest, RepoPath};
use windlass_memory::{
    Change, Committed, Contents, Draft, FEEDBACK, FOLDER, JOURNAL, Memory, MemoryError,
    UnfinishedChange, commit, recover,
};
use windlass_repo::Snapshot;
use windlass_store::{Disk, RootedPath, make_shared_folder, other_at, remove_empty_folder};

use crate::documents::DocumentLock;
use crate::{Error, Workspace};
use windlass_site::SiteError;

/// Stands for the bytes of a file that may not be read: no file of a memory has them.
const UNREADABLE: &[u8] = b"\0unreadable";

/// The memory while nobody else writes into it.
#[must_use = "the lock is free again as soon as this is dropped"]
struct MemoryLock {
    _lock: DocumentLock,
    /// Whether the folder was made for it.
    is_new: bool,
}

/// A file that was written, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct WrittenFile {
    /// Which.
    pub file: RepoPath,
    /// Whether it is new.
    pub is_new: bool,
}

/// Refuses a memory that has a folder that cannot be looked into.
pub(super) fn all_is_seen(memory: &Memory) -> Result<(), Error> {
    match memory.files.closed.first() {
        None => Ok(()),
        Some(folder) => Err(SiteError::Unreadable {
            file: folder.to_string(),
            why: "it cannot be looked into, and nobody knows what lies there".to_owned(),
            missing: false,
            secret: false,
        }
        .into()),
    }
}

impl Workspace {
    /// Reads the memory, changes it, and writes what changed as one, while nobody else does so. Of several writers at once
    /// each finds what those before it did. Nothing is written with `dry_run`.
    pub(super) fn change_memory<T>(
        &self,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        self.change_memory_of(
            |snapshot| self.known_memory(snapshot, &self.stamps()?),
            dry_run,
            change,
        )
    }

    /// The same for a change that looks at all of it.
    pub(super) fn change_whole_memory<T>(
        &self,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        self.change_memory_of(
            |snapshot| Ok(Memory::of_snapshot(snapshot)?),
            dry_run,
            change,
        )
    }

    fn change_memory_of<T>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<Memory, Error>,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        let guard = match dry_run {
            // Whoever only looks brings to an end what was interrupted, as every reader does, and holds up nobody else.
            true => {
                self.finish_memory()?;
                None
            }
            false => {
                let guard = self.lock_memory_to_write()?;
                // What the files were before the lock was taken does not matter.
                self.recover_memory()?;
                Some(guard)
            }
        };
        let changed = self.change_held_memory(read, dry_run, change);
        if guard.is_some_and(|guard| guard.is_new) {
            remove_empty_folder(&self.memory_folder());
        }
        changed
    }

    fn change_held_memory<T>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<Memory, Error>,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        let memory = read(&self.snapshot())?;
        let mut draft = Draft::new(&memory);
        let answer = change(&memory, &mut draft)?;
        let changes = draft.changes()?;
        let is_log = |change: &Change| change.path.as_str() == FEEDBACK;
        // What is written of it would say that what lies there is gone.
        if !changes.iter().all(is_log) {
            all_is_seen(&memory)?;
        }
        for change in &changes {
            self.is_to_be_read(&memory, change)?;
            // Nobody knows what would be replaced.
            if let Some(Contents::NoText(why)) = memory.files.files.get(&change.path) {
                return Err(SiteError::Unreadable {
                    file: change.path.to_string(),
                    why: why.clone(),
                    missing: false,
                    secret: false,
                }
                .into());
            }
        }
        if !dry_run {
            // Nobody else writes now, so nobody will give them their names.
            for path in memory.leftovers() {
                Disk::default().remove(&self.memory_place(path)?)?;
            }
        }
        if !dry_run && !changes.is_empty() {
            self.still_as_read(&changes)?;
            let place = |path: &RepoPath| self.memory_place(path);
            let journal = self.memory_journal()?;
            match commit(&Disk::default(), &journal, &changes, place)? {
                Committed::All => {}
                Committed::Changed(path) => return Err(SiteError::ChangedMeanwhile(path).into()),
                Committed::Unfinished(cause) => return Err(UnfinishedChange(cause).into()),
            }
        }
        let written = changes.into_iter().map(|change| WrittenFile {
            is_new: change.before.is_none(),
            file: change.path,
        });
        Ok((answer, written.collect()))
    }

    /// Location of a file that a change of the memory writes. Nothing below `memory/` is a link; `AGENTS.md` and
    /// `.gitignore` are documents of people.
    pub(crate) fn memory_place(&self, path: &RepoPath) -> Result<RootedPath, Error> {
        match path
            .as_str()
            .strip_prefix(FOLDER)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            true => self.files().place_of(path),
            false => self.files().document_place(path),
        }
    }

    /// Refuses what would not be read again: a file of the memory that an ignore file leaves out.
    fn is_to_be_read(&self, memory: &Memory, change: &Change) -> Result<(), Error> {
        let path = &change.path;
        let rest = path.as_str().strip_prefix(FOLDER);
        let is_inside = rest.is_some_and(|rest| rest.starts_with('/')) && !memory.files.has(path);
        if let Some(kind) = other_at(&self.memory_place(path)?) {
            return Err(SiteError::Unreadable {
                file: path.to_string(),
                why: format!("it is {}, and no file", kind.as_str()),
                missing: false,
                secret: false,
            }
            .into());
        }
        // One that is there and was not read is left out by some other ignore file.
        if is_inside && (memory.is_ignored(path) || self.memory_place(path)?.is_there()) {
            return Err(MemoryError::Ignored(path.to_string()).into());
        }
        Ok(())
    }

    /// Makes sure that nobody without the lock changed what is to be replaced.
    fn still_as_read(&self, changes: &[Change]) -> Result<(), Error> {
        let snapshot = self.snapshot();
        for change in changes {
            let now = snapshot.read(&change.path).ok();
            let same = match (&now, &change.bytes_before()) {
                (Some(now), Some(before)) => now.bytes() == &**before,
                (None, None) => !self.memory_place(&change.path)?.is_there(),
                _ => false,
            };
            if !same {
                return Err(SiteError::ChangedMeanwhile(change.path.clone()).into());
            }
        }
        Ok(())
    }

    /// Brings to an end what was interrupted, if anything was: one look at the disk where nothing was. Who only reads goes on
    /// where that cannot be done now, and is told.
    pub(super) fn finish_memory(&self) -> Result<(), Error> {
        let is_open = || {
            self.memory_journal()
                .is_ok_and(|journal| journal.is_there())
        };
        if !is_open() {
            return Ok(());
        }
        if let Err(error) = self.finish_open_memory() {
            self.note_trouble(format!(
                "a change of the memory was interrupted, and cannot be brought to an end now ({error}): a part of it may be missing"
            ));
        }
        Ok(())
    }

    /// Looks at the memory while nobody writes into it; nothing where the lock cannot be had.
    pub(super) fn while_nobody_writes<T>(
        &self,
        look: impl FnOnce(&Self) -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        let folder = self.memory_folder();
        let _guard = self.lock_whole_folder(&folder).ok()??;
        // It would be finished under a lock of its own.
        let recovered = self.recover_memory();
        Some(recovered.and_then(|()| look(self)))
    }

    fn finish_open_memory(&self) -> Result<(), Error> {
        let folder = self.memory_folder();
        match self.lock_whole_folder(&folder)? {
            Some(_guard) => self.recover_memory(),
            None => Ok(()),
        }
    }

    fn recover_memory(&self) -> Result<(), Error> {
        let journal = self.memory_journal()?;
        let snapshot = self.snapshot();
        let read = |path: &RepoPath| match snapshot.read(path) {
            Ok(file) => Some(file.bytes().to_vec()),
            // What may not be read is there all the same, and nothing that was noted.
            Err(_) => {
                let is_there = self.memory_place(path).is_ok_and(|place| place.is_there());
                is_there.then(|| UNREADABLE.to_vec())
            }
        };
        // What nobody may finish is kept where whoever finds it may write.
        let aside = self.memory_state();
        let aside = aside.as_ref().ok();
        let place = |path: &RepoPath| self.memory_place(path);
        let recovery = recover(&Disk::default(), &journal, aside, place, read)?;
        if let Some(kept) = &recovery.kept {
            let left: Vec<&str> = recovery.left.iter().map(RepoPath::as_str).collect();
            self.note_trouble(format!(
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
    fn lock_memory_to_write(&self) -> Result<MemoryLock, Error> {
        let journal = self.memory_journal()?;
        let folder = journal.parent().unwrap_or_else(|| self.memory_folder());
        let mut is_new = false;
        loop {
            match self.lock_whole_folder(&folder)? {
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
    pub(super) fn memory_folder(&self) -> RootedPath {
        RootedPath::new(self.repo().root()).join(FOLDER)
    }

    /// Where a change is noted before it is made. It lies in the folder itself, so that whoever comes next finds it.
    fn memory_journal(&self) -> Result<RootedPath, Error> {
        self.files().place_of(&RepoPath::parse(FOLDER)?)?;
        self.files().place_of(&RepoPath::parse(JOURNAL)?)
    }

    /// What is kept about the memory of this very working tree.
    pub(super) fn memory_state(&self) -> Result<RootedPath, Error> {
        let root = self.repo().root().as_os_str().as_encoded_bytes();
        let name = Digest::of_bytes(root).hex();
        Ok(self.dirs()?.state.join("memory").join(name))
    }
}
