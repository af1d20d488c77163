use serde::Serialize;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;
use windlass_site::{Error, SiteError};
use windlass_store::{other_at, remove_empty_folder, remove_file};

use super::memory_folder::MemoryFolder;
use crate::{
    Change, Committed, Contents, Draft, FEEDBACK, FOLDER, Memory, MemoryError, UnfinishedChange,
    commit,
};

/// A file that was written, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct WrittenFile {
    /// Path of the file.
    pub file: RepoPath,
    /// True if the file is new.
    pub is_new: bool,
}

/// Fails if there was a folder that we couldn't list. We'd take its files for missing, and remove
/// links to them.
pub(crate) fn all_is_seen(memory: &Memory) -> Result<(), Error> {
    match memory.files.closed.first() {
        None => Ok(()),
        Some(folder) => {
            let why = "it cannot be listed, so its contents are unknown";
            Err(Error::unusable(folder, why))
        }
    }
}

impl MemoryFolder {
    /// Reads the memory, applies `change` to it, and writes the result, all while holding the lock.
    /// So every writer sees what the ones before it have written. With `dry_run`, nothing is
    /// written.
    pub(crate) fn change<T>(
        &self,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        self.change_of(
            |snapshot| Ok(Memory::without_links(snapshot)?),
            dry_run,
            change,
        )
    }

    /// Like [`change`](Self::change), but looks up the targets of all links as well, which takes
    /// longer.
    pub(crate) fn change_whole<T>(
        &self,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        self.change_of(
            |snapshot| Ok(Memory::of_snapshot(snapshot)?),
            dry_run,
            change,
        )
    }

    fn change_of<T>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<Memory, Error>,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        let guard = match dry_run {
            // A dry run doesn't need the lock, but like any reader, it first completes an
            // interrupted change.
            true => {
                self.finish()?;
                None
            }
            false => {
                let guard = self.lock_to_write()?;
                // While we were waiting for the lock, its holder may have been interrupted.
                self.recover()?;
                Some(guard)
            }
        };
        let changed = self.change_held(read, dry_run, change);
        // If the change has failed, don't leave an empty folder behind.
        if guard.is_some_and(|guard| guard.is_new) {
            remove_empty_folder(&self.path());
        }
        changed
    }

    fn change_held<T>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<Memory, Error>,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        let memory = read(&self.site.snapshot())?;
        let mut draft = Draft::new(&memory);
        let answer = change(&memory, &mut draft)?;
        let changes = draft.changes()?;
        let is_log = |change: &Change| change.path.as_str() == FEEDBACK;
        // We'd take the files in an unreadable folder for missing. That doesn't matter when we just
        // append to the log.
        if !changes.iter().all(is_log) {
            all_is_seen(&memory)?;
        }
        for change in &changes {
            self.is_to_be_read(&memory, change)?;
            // The file is there, but we couldn't read it, and writing would destroy its contents.
            if let Some(Contents::NoText(why)) = memory.files.files.get(&change.path) {
                return Err(Error::unusable(&change.path, why));
            }
        }
        if !dry_run {
            // These can't belong to a writer that's still busy, because we hold the lock.
            for path in memory.leftovers() {
                remove_file(&self.place(path)?)?;
            }
        }
        if !dry_run && !changes.is_empty() {
            self.still_as_read(&changes)?;
            let place = |path: &RepoPath| self.place(path);
            let journal = self.journal()?;
            match commit(&journal, &changes, place)? {
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

    /// Refuses to write a file that later commands wouldn't read, because it's ignored or isn't a
    /// regular file.
    fn is_to_be_read(&self, memory: &Memory, change: &Change) -> Result<(), Error> {
        let path = &change.path;
        let rest = path.as_str().strip_prefix(FOLDER);
        let is_inside = rest.is_some_and(|rest| rest.starts_with('/')) && !memory.files.has(path);
        if let Some(kind) = other_at(&self.place(path)?) {
            let why = format!("it is {} instead of a regular file", kind.as_str());
            return Err(Error::unusable(path, why));
        }
        // The file is there, but we haven't read it. There must be an ignore file that `memory`
        // doesn't know about.
        if is_inside && (memory.is_ignored(path) || self.place(path)?.is_there()) {
            return Err(MemoryError::Ignored(path.to_string()).into());
        }
        Ok(())
    }

    /// Fails if one of the files isn't what we've read. Editors and git don't know about our lock,
    /// so this can happen even though we hold it.
    fn still_as_read(&self, changes: &[Change]) -> Result<(), Error> {
        let snapshot = self.site.snapshot();
        for change in changes {
            let now = snapshot.read(&change.path).ok();
            let same = match (&now, &change.bytes_before()) {
                (Some(now), Some(before)) => now.bytes() == &**before,
                (None, None) => !self.place(&change.path)?.is_there(),
                _ => false,
            };
            if !same {
                return Err(SiteError::ChangedMeanwhile(change.path.clone()).into());
            }
        }
        Ok(())
    }
}
