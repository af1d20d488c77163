use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use crate::platform::{create_private_folder, sync_folder};
use crate::{Durability, StoreError};

/// One thing that is done to the disk. Between two of them the process may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteStep {
    /// A folder is created, with its parents.
    CreateFolder,
    /// A temporary file is created.
    CreateFile,
    /// Bytes are written into it. Half of them are there when this fails.
    Write,
    /// They are made durable.
    Sync,
    /// A file gets a second name.
    Link,
    /// A file takes the place of another.
    Replace,
    /// The names in a folder are made durable.
    SyncFolder,
    /// A file is removed.
    Remove,
}

/// What is asked before each step; an error makes the step fail.
type Watch = dyn Fn(WriteStep) -> io::Result<()> + Send + Sync;

/// How files are written: step by step, so that a test can end it before any of them.
#[derive(Clone, Default)]
pub struct Disk {
    watch: Option<Arc<Watch>>,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = self.watch.is_some();
        f.debug_struct("Disk").field("watched", &watched).finish()
    }
}

impl Disk {
    /// A disk that asks `watch` before each step.
    #[must_use]
    pub fn watched(watch: impl Fn(WriteStep) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self {
            watch: Some(Arc::new(watch)),
        }
    }

    pub(crate) fn step(&self, step: WriteStep) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(step))
    }

    /// Replaces the file at `path` by `bytes` as a whole: a reader sees the old file or the new one, and a
    /// crash leaves one of the two.
    ///
    /// Missing parent folders are created for the owner alone (mode 0700); the file is readable by the owner
    /// alone (mode 0600). A symbolic link at `path` is replaced, not followed.
    ///
    /// # Errors
    /// When the folder cannot be created or the file cannot be written; the old file is then untouched.
    pub fn write_atomic(
        &self,
        path: &Path,
        bytes: &[u8],
        durability: Durability,
    ) -> Result<(), StoreError> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        self.create_folder(folder)?;
        let failed = |e| StoreError::io("write", path, e);
        self.step(WriteStep::CreateFile).map_err(failed)?;
        // In the same folder, so that the rename stays within one file system.
        let mut file = tempfile::Builder::new()
            .prefix(".tmp-")
            .tempfile_in(folder)
            .map_err(failed)?;
        if let Err(error) = self.step(WriteStep::Write) {
            let _ = file.write_all(&bytes[..bytes.len() / 2]);
            return Err(failed(error));
        }
        file.write_all(bytes).map_err(failed)?;
        if durability == Durability::Fsync {
            self.step(WriteStep::Sync).map_err(failed)?;
            file.as_file().sync_data().map_err(failed)?;
        }
        let not_replaced = |e| StoreError::io("replace", path, e);
        self.step(WriteStep::Replace).map_err(not_replaced)?;
        file.persist(path).map_err(|e| not_replaced(e.error))?;
        if durability == Durability::Fsync {
            let not_synced = |e| StoreError::io("sync the folder", folder, e);
            self.step(WriteStep::SyncFolder).map_err(not_synced)?;
            sync_folder(folder).map_err(not_synced)?;
        }
        Ok(())
    }

    /// Keeps the file at `path` under the name `kept` as well, so that it is still there when another one takes
    /// its place. Nothing is copied where the file system can do without.
    ///
    /// # Errors
    /// When there is a file `kept` already (`AlreadyExists`), or it cannot be made.
    pub fn keep(&self, path: &Path, kept: &Path) -> Result<(), StoreError> {
        if let Some(folder) = kept.parent() {
            self.create_folder(folder)?;
        }
        let failed = |e| StoreError::io("keep a copy of", path, e);
        self.step(WriteStep::Link).map_err(failed)?;
        match fs::hard_link(path, kept) {
            Ok(()) => Ok(()),
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                ) =>
            {
                Err(failed(e))
            }
            // Not every file system has links.
            Err(_) => {
                let bytes = fs::read(path).map_err(failed)?;
                if kept.try_exists().map_err(failed)? {
                    return Err(failed(io::ErrorKind::AlreadyExists.into()));
                }
                self.write_atomic(kept, &bytes, Durability::Relaxed)
            }
        }
    }

    /// Removes the file at `path`; one that is not there is no error.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |e| StoreError::io("remove", path, e);
        self.step(WriteStep::Remove).map_err(failed)?;
        match fs::remove_file(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
            _ => Ok(()),
        }
    }

    fn create_folder(&self, folder: &Path) -> Result<(), StoreError> {
        let failed = |e| StoreError::io("create the folder", folder, e);
        if folder.is_dir() {
            return Ok(());
        }
        self.step(WriteStep::CreateFolder).map_err(failed)?;
        create_private_folder(folder).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A disk whose step number `last` fails, and every one after it.
    fn ending_at(last: usize) -> (Disk, Arc<AtomicUsize>) {
        let done = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&done);
        let disk = Disk::watched(move |_| {
            if count.fetch_add(1, Ordering::Relaxed) < last {
                Ok(())
            } else {
                Err(io::ErrorKind::StorageFull.into())
            }
        });
        (disk, done)
    }

    #[test]
    fn wherever_it_ends_the_old_file_or_the_new_one_is_there() {
        let mut whole = 0;
        for last in 0..9 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file");
            fs::write(&path, "old").unwrap();
            let (disk, _) = ending_at(last);
            let written = disk.write_atomic(&path, b"new one", Durability::Fsync);
            let text = fs::read_to_string(&path).unwrap();
            assert!(["old", "new one"].contains(&text.as_str()), "{text}");
            if written.is_ok() {
                assert_eq!(text, "new one");
                whole += 1;
            }
        }
        assert_eq!(whole, 4, "five steps: create, write, sync, replace, sync");
    }

    #[test]
    fn what_is_kept_stays_when_the_original_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (path, kept) = (dir.path().join("file"), dir.path().join("old/1"));
        fs::write(&path, "one").unwrap();
        let disk = Disk::default();
        disk.keep(&path, &kept).unwrap();
        disk.write_atomic(&path, b"two", Durability::Relaxed)
            .unwrap();
        assert_eq!(fs::read_to_string(&kept).unwrap(), "one");
        let error = disk.keep(&path, &kept).unwrap_err();
        assert!(error.is_taken(), "{error}");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "one");
        disk.remove(&kept).unwrap();
        disk.remove(&kept).unwrap();
        assert!(!kept.exists());
        let error = disk.keep(&dir.path().join("nothing"), &kept).unwrap_err();
        assert!(!error.is_taken(), "{error}");
    }
}
