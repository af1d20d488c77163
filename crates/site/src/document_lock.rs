//! Locks for documents and for the memory (the notes stored about a repository).
//!
//! We lock the folder that the file is in. Unlike with a lock file, this also works between
//! processes that have different home folders, or that get at the file through another repository.
//! And we leave nothing behind next to the document.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

use windlass_base::Digest;
use windlass_store::{
    Lock, LockError, LockGuard, LockRequest, RootedPath, StoreError, open_folder,
};

use crate::{Error, Site};

/// How long we wait between two attempts to get the lock.
const PAUSE: Duration = Duration::from_millis(5);

/// Time after which a wait is reported.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// Description of a lock's holder. A locked folder doesn't name it.
const UNNAMED: &str = "another process";

/// A lock that's held until this is dropped.
#[derive(Debug)]
#[must_use = "the lock is free again as soon as this is dropped"]
pub struct DocumentLock {
    _held: Held,
}

#[derive(Debug)]
enum Held {
    /// The folder, which is unlocked when it's closed.
    Folder { _folder: File },
    /// For systems that can't lock folders: a lock file in Windlass's own data.
    Own { _guard: LockGuard },
}

impl DocumentLock {
    /// Locks the file at `place`. If its folder doesn't exist, there's nothing to lock, and we
    /// return `None`.
    ///
    /// # Errors
    /// Returns an error if another process still holds the lock after the site's lock timeout.
    pub fn of_file(site: &Site, place: &RootedPath) -> Result<Option<Self>, Error> {
        let Some(folder) = place.parent().filter(RootedPath::is_folder) else {
            return Ok(None);
        };
        let locked = lock_folder(&folder, &site.lock_request());
        Self::of_locked(site, locked, &folder, place).map(Some)
    }

    /// Locks a whole folder. If it doesn't exist, returns `None`.
    ///
    /// # Errors
    /// Returns an error if another process still holds the lock after the site's lock timeout.
    pub fn of_folder(site: &Site, folder: &RootedPath) -> Result<Option<Self>, Error> {
        match lock_folder(folder, &site.lock_request()) {
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
                    holder: UNNAMED.to_owned(),
                    waited: site.lock_request().timeout,
                }
                .into());
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(StoreError::of(folder, error).into());
            }
            // Not every system or file system can lock a folder. A lock file only works among
            // processes with the same state folder, but that's better than nothing.
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
    Ok(Lock::acquire(&lock, &site.lock_request())?)
}

/// Locks a folder. Returns `None` if another process still holds the lock after the timeout.
fn lock_folder(folder: &RootedPath, request: &LockRequest) -> io::Result<Option<File>> {
    // As in [`Lock::acquire`], add up the pauses, so that no clock is needed.
    let mut waited = Duration::ZERO;
    loop {
        let file = open_folder(folder)?;
        match file.try_lock() {
            // If somebody replaced the folder while we were waiting, we've locked the old one,
            // which protects nothing. Start again in that case.
            Ok(()) if is_still(&file, folder)? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if waited >= request.timeout => return Ok(None),
            Err(TryLockError::WouldBlock) => {
                let pause = PAUSE.min(request.timeout - waited);
                std::thread::sleep(pause);
                if (waited..waited + pause).contains(&LONG_WAIT) {
                    (request.on_long_wait)(UNNAMED);
                }
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
mod tests;
