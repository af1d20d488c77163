use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use crate::beneath::{self, Access, Folder};
use crate::{RootedPath, StoreError};

/// Time between two attempts. Most locks are held for milliseconds, so a short constant interval is
/// best.
const PAUSE: Duration = Duration::from_millis(10);

/// First interval between attempts to get a lock that is held very briefly. Each interval is one
/// eighth longer than the previous one, up to [`LONG_MOMENT`]. We don't wait in the system's queue
/// at first: that needs a thread and two context switches, which take longer than most such locks
/// are held.
const MOMENT: Duration = Duration::from_micros(30);
const LONG_MOMENT: Duration = Duration::from_millis(1);

/// Time after which we join the system's queue, so that we get our turn even under contention.
const MOMENTS: Duration = Duration::from_millis(20);

/// Maximum length of the holder's description in an error, in bytes.
const MAX_HOLDER: u64 = 512;

/// A lock between processes, based on a file that is never deleted.
///
/// The operating system releases the lock when its holder ends for any reason. The file describes
/// the holder, but only for error messages. On Windows they can't name the holder, because other
/// processes can't read a locked file there.
#[derive(Debug)]
pub struct Lock(());

/// An acquired lock, released on drop.
#[derive(Debug)]
#[must_use = "the lock is free again as soon as the guard is dropped"]
pub struct LockGuard {
    file: File,
    /// True if the holder's description stays in the file after the release. That's harmless, since
    /// readers ignore it unless the lock is held.
    is_prompt: bool,
}

/// Reasons why a lock wasn't acquired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process held the lock for the whole time.
    #[error(
        "{holder} has held the lock `{}` for more than {}: wait for it, or end it, and try again",
        path.display(),
        spoken(*waited)
    )]
    Timeout {
        /// The lock file.
        path: PathBuf,
        /// Description of the holder.
        holder: String,
        /// Time the caller waited.
        waited: Duration,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Lock {
    /// Waits up to `timeout` for the lock at `place`. A `timeout` of zero tries once.
    ///
    /// `holder` describes this process to users who have to wait, usually with its command and
    /// host. We append the process id. Missing parent folders are created.
    ///
    /// # Errors
    /// Returns an error if another process holds the lock for the whole time, or if the file cannot
    /// be opened.
    pub fn acquire(
        place: &RootedPath,
        timeout: Duration,
        holder: &str,
    ) -> Result<LockGuard, LockError> {
        let path = place.path();
        let file = open_lock_file(place)?;
        // Adding up pauses is precise enough. It needs no clock and is exact in tests.
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if waited < timeout => {
                    let pause = PAUSE.min(timeout - waited);
                    std::thread::sleep(pause);
                    waited += pause;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Timeout {
                        path: path.to_owned(),
                        holder: who_holds(&file),
                        waited,
                    });
                }
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(e)) => {
                    return Err(StoreError::io("lock", path, e).into());
                }
            }
        }
        // Ignore errors, because a full disk must not block work. The description only serves error
        // messages.
        let _ = introduce(&file, holder);
        Ok(LockGuard {
            file,
            is_prompt: false,
        })
    }
}

impl Lock {
    /// Acquires a lock used by many processes, each holding it for less than the pause of
    /// [`Lock::acquire`]. A waiting process gets it as soon as it's free.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Lock::acquire`].
    pub fn acquire_promptly(
        place: &RootedPath,
        timeout: Duration,
        holder: &str,
    ) -> Result<LockGuard, LockError> {
        let guard = Self::acquire_unless(place, timeout, holder, || false)?;
        guard.ok_or_else(|| timed_out(place, timeout))
    }

    /// Acquires a lock like [`Lock::acquire_promptly`], for work that another process may do in the
    /// meantime. Returns `None` once `is_done` returns true.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Lock::acquire`].
    pub(crate) fn acquire_unless(
        place: &RootedPath,
        timeout: Duration,
        holder: &str,
        is_done: impl Fn() -> bool,
    ) -> Result<Option<LockGuard>, LockError> {
        let failed = |e| LockError::from(StoreError::io("lock", place.path(), e));
        let file = open_lock_file(place)?;
        let file = match try_repeatedly(&file, timeout.min(MOMENTS), &is_done).map_err(failed)? {
            Soon::Locked => file,
            Soon::Done => return Ok(None),
            Soon::Taken { waited } if waited >= timeout => return Err(timed_out(place, timeout)),
            Soon::Taken { waited } => wait_in_line(file, timeout - waited)
                .map_err(failed)?
                .ok_or_else(|| timed_out(place, timeout))?,
        };
        let guard = LockGuard {
            file,
            is_prompt: true,
        };
        // The previous holder may have done the work while we were waiting.
        if is_done() {
            return Ok(None);
        }
        let _ = introduce_in_place(&guard.file, holder);
        Ok(Some(guard))
    }
}

/// Opens a lock file, creating it if necessary. The file is written in place, so another hard link
/// to it is an error.
fn open_lock_file(place: &RootedPath) -> Result<File, StoreError> {
    let failed = |e| StoreError::io("open the lock", place.path(), e);
    match (beneath::open(place, Access::InPlace), place.parent()) {
        (Err(e), Some(folder)) if e.kind() == io::ErrorKind::NotFound => {
            // Other files in this folder may have to be durable, so the folder has to be durable as
            // well.
            Folder::make(&folder, 0o700, true)
                .map_err(|e| StoreError::io("create the folder", folder.path(), e))?;
            beneath::open(place, Access::InPlace).map_err(failed)
        }
        (opened, _) => opened.map_err(failed),
    }
}

/// Outcome of repeated attempts to lock a file.
enum Soon {
    Locked,
    Done,
    Taken { waited: Duration },
}

/// Tries to lock `file` for up to `limit`. Stops early once `is_done` returns true.
fn try_repeatedly(file: &File, limit: Duration, is_done: &dyn Fn() -> bool) -> io::Result<Soon> {
    let (mut waited, mut pause) = (Duration::ZERO, MOMENT);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Soon::Locked),
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(TryLockError::Error(e)) => return Err(e),
            Err(TryLockError::WouldBlock) if is_done() => return Ok(Soon::Done),
            Err(TryLockError::WouldBlock) if waited >= limit => return Ok(Soon::Taken { waited }),
            Err(TryLockError::WouldBlock) => {}
        }
        let now = pause.min(limit - waited);
        std::thread::sleep(now);
        waited += now;
        pause = (pause + pause / 8).min(LONG_MOMENT);
    }
}

fn timed_out(place: &RootedPath, waited: Duration) -> LockError {
    LockError::Timeout {
        path: place.path().to_owned(),
        holder: open_lock_file(place).map_or_else(|_| String::new(), |file| who_holds(&file)),
        waited,
    }
}

/// Waits for the lock in the system's queue. Since the system has no such wait with a time limit,
/// another thread waits. Returns `None` after `timeout`. The thread then keeps waiting, and
/// releases the lock as soon as it gets it.
fn wait_in_line(file: File, timeout: Duration) -> io::Result<Option<File>> {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::Builder::new()
        .name("lock".to_owned())
        .spawn(move || {
            let locked = file.lock().map(|()| file);
            let _ = send.send(locked);
        })?;
    match receive.recv_timeout(timeout) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        if !self.is_prompt {
            let _ = self.file.set_len(0);
        }
        let _ = self.file.unlock();
    }
}

/// Writes the holder's description into the lock file.
fn introduce(mut file: &File, holder: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    let holder: String = holder
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    file.write_all(format!("{holder} (process {})\n", std::process::id()).as_bytes())
}

/// Writes the description like [`introduce`], but as a single write of constant length. Readers
/// thus never see a truncated file.
fn introduce_in_place(mut file: &File, holder: &str) -> io::Result<()> {
    const WIDTH: usize = 120;
    let holder: String = holder.chars().filter(|c| !c.is_control()).collect();
    let line = format!("{holder} (process {})", std::process::id());
    let line: String = line.chars().filter(char::is_ascii).take(WIDTH).collect();
    file.write_all(format!("{line:WIDTH$}\n").as_bytes())
}

/// Reads the holder's description as one line.
fn who_holds(mut file: &File) -> String {
    let mut bytes = Vec::new();
    let read = file
        .rewind()
        .and_then(|()| file.take(MAX_HOLDER).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    match text.lines().next() {
        Some(line) if read.is_ok() && !line.trim().is_empty() => line.trim().to_owned(),
        _ => "another process".to_owned(),
    }
}

/// Formats a duration as `1.5 s` or `200 ms`.
fn spoken(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        format!("{} ms", duration.as_millis())
    } else {
        format!("{} s", duration.as_secs_f32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acquire_timeout_names_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("new/notebook.lock");
        let guard = Lock::acquire(&path, Duration::ZERO, "windlass run x\non host a").unwrap();
        let error = Lock::acquire(&path, Duration::from_millis(20), "other").unwrap_err();
        let LockError::Timeout { waited, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(*waited, Duration::from_millis(20));
        let text = error.to_string();
        let want = format!(
            "windlass run x on host a (process {}) has held the lock `",
            std::process::id()
        );
        #[cfg(unix)]
        assert!(text.starts_with(&want), "{text}");
        assert!(text.contains("notebook.lock"), "{text}");

        drop(guard);
        drop(Lock::acquire(&path, Duration::ZERO, "other").unwrap());
        assert_eq!(std::fs::read(path.path()).unwrap(), b"");
    }

    #[test]
    fn acquire_replaces_dead_description() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("lock");
        std::fs::write(
            path.path(),
            "a very long story about a process that was killed",
        )
        .unwrap();
        let _guard = Lock::acquire(&path, Duration::ZERO, "me").unwrap();
        #[cfg(unix)]
        assert_eq!(
            std::fs::read_to_string(path.path()).unwrap(),
            format!("me (process {})\n", std::process::id())
        );
    }

    #[test]
    fn acquire_is_mutually_exclusive() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("lock");
        let count = dir.path().join("count");
        std::fs::write(&count, "0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let _guard =
                            Lock::acquire(&path, Duration::from_secs(60), "counter").unwrap();
                        let n: u32 = std::fs::read_to_string(&count).unwrap().parse().unwrap();
                        std::fs::write(&count, (n + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&count).unwrap(), "100");
    }

    #[test]
    fn acquire_promptly_waits_or_times_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("new/append.lock");
        let guard = Lock::acquire_promptly(&path, Duration::ZERO, "windlass bead create").unwrap();
        let error = Lock::acquire_promptly(&path, Duration::from_millis(5), "b").unwrap_err();
        let told = error.to_string();
        assert!(told.starts_with("windlass bead create (process "), "{told}");
        let waits = std::thread::spawn({
            let path = path.clone();
            move || Lock::acquire_promptly(&path, Duration::from_secs(60), "c").is_ok()
        });
        drop(guard);
        assert!(waits.join().unwrap());
        assert!(Lock::acquire_promptly(&path, Duration::from_secs(60), "d").is_ok());
    }

    #[test]
    fn acquire_unless_done_needs_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("sync.lock");
        let unless = |is_done| Lock::acquire_unless(&path, Duration::ZERO, "a", || is_done);
        let guard = unless(false).unwrap().unwrap();
        assert!(unless(true).unwrap().is_none());
        assert!(unless(false).is_err());
        drop(guard);
        // The same is true if the work was completed directly before the lock was released.
        assert!(unless(true).unwrap().is_none());
        assert!(unless(false).unwrap().is_some());
    }
}
