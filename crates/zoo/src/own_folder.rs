//! Folders that samples and clones lie in while they are looked at: gone when nobody looks any more, also where a process was killed.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// How their names begin.
const PREFIX: &str = "windlass-zoo-";
/// Held by the process whose folder it is, as long as that lives.
const LOCK: &str = "lock";

/// A folder for a while.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    folder: TempDir,
    /// Closed after the folder is gone.
    _lock: File,
}

impl OwnFolder {
    /// A new one, where the system keeps such.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    fn within(all: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(all)?;
        let lock = opened(&folder.path().join(LOCK), true)?;
        // Who sweeps may have been there between the two: then it is as good as gone.
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Self::within(all),
            // Where nothing can be locked, nobody sweeps.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self {
                folder,
                _lock: lock,
            }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes what processes left that were killed: folders whose lock nobody holds. What cannot be removed stays.
pub(crate) fn sweep() {
    sweep_in(&std::env::temp_dir());
}

#[expect(clippy::disallowed_methods, reason = "folders of the zoo's own")]
fn sweep_in(all: &Path) {
    let entries = std::fs::read_dir(all).into_iter().flatten().flatten();
    let is_ours = |entry: &std::fs::DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|sort| sort.is_dir());
        is_folder && entry.file_name().to_string_lossy().starts_with(PREFIX)
    };
    let folders: Vec<PathBuf> = entries.filter(is_ours).map(|entry| entry.path()).collect();
    for folder in folders {
        // One without a lock is being made.
        if let Ok(lock) = opened(&folder.join(LOCK), false)
            && lock.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "folders of the zoo's own")]
fn opened(path: &Path, is_new: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(is_new).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "folders of the test")]
    fn what_no_living_process_owns_is_swept_and_nothing_else() {
        let all = tempfile::tempdir().unwrap();
        let own = OwnFolder::within(all.path()).unwrap();
        let left = all.path().join("windlass-zoo-left");
        let others = all.path().join("somebody-elses");
        let begun = all.path().join("windlass-zoo-begun");
        for folder in [&left, &others] {
            std::fs::create_dir_all(folder.join("repo")).unwrap();
            std::fs::write(folder.join(LOCK), "").unwrap();
        }
        std::fs::create_dir(&begun).unwrap();
        sweep_in(all.path());
        assert!(!left.exists(), "nobody holds its lock");
        assert!(own.path().exists() && others.exists() && begun.exists());
        let path = own.path().to_path_buf();
        drop(own);
        assert!(!path.exists());
    }
}
