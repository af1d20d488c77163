//! Changes the memory atomically, under its lock.

use serde::Serialize;
use windlass_base::RepoPath;
use windlass_repo::Snapshot;
use windlass_site::{Error, SiteError};
use windlass_store::{Disk, other_at, remove_empty_folder};

use super::memory_folder::MemoryFolder;
use crate::service::caching::{Stamps, known_memory};
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

/// Refuses a memory with a folder that can't be listed.
pub(crate) fn all_is_seen(memory: &Memory) -> Result<(), Error> {
    match memory.files.closed.first() {
        None => Ok(()),
        Some(folder) => Err(SiteError::Unreadable {
            file: folder.to_string(),
            why: "it cannot be listed, so its contents are unknown".to_owned(),
            missing: false,
            secret: false,
        }
        .into()),
    }
}

impl MemoryFolder {
    /// Reads the memory, applies `change` and writes the result atomically under a lock. Concurrent
    /// writers wait, so each one sees the changes of the others. With `dry_run`, nothing is
    /// written.
    pub(crate) fn change<T>(
        &self,
        dry_run: bool,
        change: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<T, Error>,
    ) -> Result<(T, Vec<WrittenFile>), Error> {
        self.change_of(
            |snapshot| known_memory(&self.site, snapshot, &Stamps::of(&self.site)?),
            dry_run,
            change,
        )
    }

    /// Changes the memory like [`Self::change`], for a change that needs all texts and all link
    /// targets.
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
            // A dry run takes no lock. Like any reader, it first completes an interrupted change.
            true => {
                self.finish()?;
                None
            }
            false => {
                let guard = self.lock_to_write()?;
                // Recover under the lock, because another writer may have been interrupted while
                // this one was waiting.
                self.recover()?;
                Some(guard)
            }
        };
        let changed = self.change_held(read, dry_run, change);
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
        // The change would take files for missing if their folder can't be listed. Only appending
        // to the log is safe.
        if !changes.iter().all(is_log) {
            all_is_seen(&memory)?;
        }
        for change in &changes {
            self.is_to_be_read(&memory, change)?;
            // The file exists but couldn't be read. Writing would destroy contents that nobody has
            // seen.
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
            // Under the lock, these temporary files can't belong to a running writer.
            for path in memory.leftovers() {
                Disk::default().remove(&self.place(path)?)?;
            }
        }
        if !dry_run && !changes.is_empty() {
            self.still_as_read(&changes)?;
            let place = |path: &RepoPath| self.place(path);
            let journal = self.journal()?;
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

    /// Refuses a file that later commands couldn't read, because it isn't a regular file or an
    /// ignore file excludes it.
    fn is_to_be_read(&self, memory: &Memory, change: &Change) -> Result<(), Error> {
        let path = &change.path;
        let rest = path.as_str().strip_prefix(FOLDER);
        let is_inside = rest.is_some_and(|rest| rest.starts_with('/')) && !memory.files.has(path);
        if let Some(kind) = other_at(&self.place(path)?) {
            return Err(SiteError::Unreadable {
                file: path.to_string(),
                why: format!("it is {} instead of a regular file", kind.as_str()),
                missing: false,
                secret: false,
            }
            .into());
        }
        // The file exists but wasn't read, so an ignore file that `memory` doesn't know must
        // exclude it.
        if is_inside && (memory.is_ignored(path) || self.place(path)?.is_there()) {
            return Err(MemoryError::Ignored(path.to_string()).into());
        }
        Ok(())
    }

    /// Refuses the change if a process without the lock has modified one of the files since we read
    /// them.
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
