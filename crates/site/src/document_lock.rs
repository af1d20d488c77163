//! Lock for documents and for the memory, the stored notes about a repository.
//!
//! It locks the folder of the file itself. This way it works between all writers, even if they have
//! different home folders or reach the file through another repository. It also leaves no lock file
//! next to the document.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

use windlass_base::Digest;
use windlass_store::{Lock, LockError, LockGuard, RootedPath, StoreError, open_folder};

use crate::{Error, Site};

/// Pause between two attempts to lock a folder.
const PAUSE: Duration = Duration::from_millis(5);

/// An acquired lock, released on drop.
#[derive(Debug)]
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct DocumentLock {
    _held: Held,
}

#[derive(Debug)]
enum Held {
    /// The locked folder. Closing it releases the lock.
    Folder { _folder: File },
    /// A lock file among Windlass's own files, for systems that can't lock folders.
    Own { _guard: LockGuard },
}

impl DocumentLock {
    /// Locks the file at `place`. Returns `None` if its folder doesn't exist.
    ///
    /// # Errors
    /// Returns an error if another process still holds the lock at the timeout.
    pub fn of_file(site: &Site, place: &RootedPath) -> Result<Option<Self>, Error> {
        let Some(folder) = place.parent().filter(RootedPath::is_folder) else {
            return Ok(None);
        };
        let locked = lock_folder(&folder, site.lock_timeout());
        Self::of_locked(site, locked, &folder, place).map(Some)
    }

    /// Locks a whole folder. Returns `None` if the folder doesn't exist.
    ///
    /// # Errors
    /// Returns an error if another process still holds the lock at the timeout.
    pub fn of_folder(site: &Site, folder: &RootedPath) -> Result<Option<Self>, Error> {
        match lock_folder(folder, site.lock_timeout()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            locked => Self::of_locked(site, locked, folder, folder).map(Some),
        }
    }

    fn of_locked(
        site: &Site,
        locked: io::Result<Option<File>>,
        folder: &RootedPath,
        place: &RootedPath,
    ) -> Result<Self, Error> {
        let held = match locked {
            Ok(Some(folder)) => Held::Folder { _folder: folder },
            Ok(None) => {
                return Err(LockError::Timeout {
                    path: folder.path().to_owned(),
                    holder: "another process".to_owned(),
                    waited: site.lock_timeout(),
                }
                .into());
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(StoreError::of(folder, error).into());
            }
            // Some systems and file systems can't lock a folder. Use a lock file instead.
            Err(_) => Held::Own {
                _guard: lock_by_name(site, place)?,
            },
        };
        Ok(Self { _held: held })
    }
}

fn lock_by_name(site: &Site, place: &RootedPath) -> Result<LockGuard, Error> {
    let digest = Digest::of_bytes(place.path().as_os_str().as_encoded_bytes());
    let name: String = (digest.to_string().chars())
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let folder = site.dirs()?.state.join("documents");
    let lock = folder.join(format!("{name}.lock"));
    let holder = &site.environment().holder;
    Ok(Lock::acquire(&lock, site.lock_timeout(), holder)?)
}

/// Locks a folder. Returns `None` if another process still holds the lock at the timeout.
fn lock_folder(folder: &RootedPath, timeout: Duration) -> io::Result<Option<File>> {
    // Add up the pauses, as in [`Lock::acquire`]. That doesn't need a clock.
    let mut waited = Duration::ZERO;
    loop {
        let file = open_folder(folder)?;
        match file.try_lock() {
            // If someone replaced the folder while we waited, we've locked the old one, which
            // protects nothing. Try again.
            Ok(()) if is_still(&file, folder)? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if waited >= timeout => return Ok(None),
            Err(TryLockError::WouldBlock) => {
                let pause = PAUSE.min(timeout - waited);
                std::thread::sleep(pause);
                waited += pause;
            }
        }
    }
}

#[cfg(unix)]
fn is_still(file: &File, folder: &RootedPath) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let (own, there) = (file.metadata()?, open_folder(folder)?.metadata()?);
    Ok((own.dev(), own.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "may fail on other systems")]
fn is_still(_: &File, _: &RootedPath) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folder_lock_is_exclusive() {
        let dir = tempfile::tempdir().unwrap();
        let root = RootedPath::new(dir.path());
        let held = lock_folder(&root, Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(lock_folder(&root, Duration::ZERO).unwrap().is_none());
        drop(held);
        assert!(lock_folder(&root, Duration::ZERO).unwrap().is_some());
        assert!(lock_folder(&root.join("none"), Duration::ZERO).is_err());
    }
}
