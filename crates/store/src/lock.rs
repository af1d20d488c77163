//! Locks between processes.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::beneath::{self, Access, Folder};
use crate::{RootedPath, StoreError};

/// Pause after the first attempt to get a lock. Each pause is half as long again as the previous
/// one, up to [`LONG_MOMENT`].
///
/// Most locks are only held for a very short time. Waiting in the system's queue would take longer
/// than that, since it needs a thread and two context switches. That is why we only join the queue
/// after [`MOMENTS`].
const MOMENT: Duration = Duration::from_micros(30);
const LONG_MOMENT: Duration = Duration::from_millis(1);

/// Time after which we join the system's queue. If there are many processes, polling alone could
/// leave one of them without a turn for long, while the queue serves all of them. With 16 writers
/// (`cargo xtask bench shared`, 2026-11-30), polling for 20 ms made 385 claims a second in one run.
/// For 4 ms, there were 386 to 494 in four runs, with a median of 452.
const MOMENTS: Duration = Duration::from_millis(4);

/// The same if another process may do the work meanwhile, such as a sync. Nobody would notice that
/// in the queue.
pub(crate) const WORK_MOMENTS: Duration = Duration::from_millis(20);

/// Time after which we report that we are waiting. Tests do not want to wait that long.
const LONG_WAIT: Duration = Duration::from_millis(if cfg!(test) { 30 } else { 1_000 });

/// Terms on which a process asks for a lock.
#[derive(Debug, Clone)]
pub struct LockRequest {
    /// Maximum time to wait. If it is zero, we try just once.
    pub timeout: Duration,
    /// Description of this process for users who have to wait, usually its command and host. We
    /// append the process id.
    pub holder: String,
    /// Receives the description of the lock's holder once this process has waited for a second.
    pub on_long_wait: fn(&str),
}

impl LockRequest {
    /// Creates a request whose long waits are not reported.
    #[must_use]
    pub fn new(timeout: Duration, holder: &str) -> Self {
        Self {
            timeout,
            holder: holder.to_owned(),
            on_long_wait: |_| {},
        }
    }

    /// Returns the same request with another timeout.
    #[must_use]
    pub fn within(&self, timeout: Duration) -> Self {
        Self {
            timeout,
            ..self.clone()
        }
    }
}

/// Maximum length of the holder's description in an error, in bytes.
const MAX_HOLDER: u64 = 512;

/// A lock between processes. It is a file that we never delete, because another process may be
/// waiting for it.
///
/// When the holder ends for whatever reason, the operating system releases the lock. The file also
/// describes the holder, but only for error messages. On Windows, they cannot name the holder,
/// because other processes cannot read a locked file.
#[derive(Debug)]
pub struct Lock(());

/// The right that comes with the lock. The lock is released when this is dropped.
#[derive(Debug)]
#[must_use = "the lock is free again as soon as the guard is dropped"]
pub struct LockGuard(File);

/// Reason why we could not get a lock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process has held the lock all the time.
    #[error(
        "{holder} has held the lock `{}` for more than {}: wait for it, or end it, and try again",
        path.display(),
        spoken(*waited)
    )]
    Timeout {
        /// The lock file, which is also in the message.
        path: PathBuf,
        /// The holder's description of itself, or `another process` if we cannot read it.
        holder: String,
        /// How long we have been waiting.
        waited: Duration,
    },
    /// We cannot use the lock file.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Lock {
    /// Waits for the lock at `place`. A waiting process gets the lock as soon as it is free.
    /// Missing parent folders are created.
    ///
    /// # Errors
    /// Returns an error if another process holds the lock for the whole time, or if the file cannot
    /// be opened.
    pub fn acquire(place: &RootedPath, request: &LockRequest) -> Result<LockGuard, LockError> {
        let guard = Self::acquire_unless(place, request, MOMENTS, || false)?;
        guard.ok_or_else(|| timed_out(place, request.timeout))
    }

    /// Waits like [`acquire`](Self::acquire), but another process may do the work in the meantime.
    /// As soon as `is_done` says so, we return `None`. After `moments`, we join the system's queue.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Lock::acquire`].
    pub(crate) fn acquire_unless(
        place: &RootedPath,
        request: &LockRequest,
        moments: Duration,
        is_done: impl Fn() -> bool,
    ) -> Result<Option<LockGuard>, LockError> {
        let failed = |e| LockError::from(StoreError::io("lock", place.path(), e));
        let timeout = request.timeout;
        let file = open_lock_file(place)?;
        let file = match try_repeatedly(&file, timeout.min(moments), &is_done).map_err(failed)? {
            Soon::Locked => file,
            Soon::Done => return Ok(None),
            Soon::Taken { waited } if waited >= timeout => return Err(timed_out(place, timeout)),
            Soon::Taken { waited } => wait_in_line(file, &request.within(timeout - waited), place)
                .map_err(failed)?
                .ok_or_else(|| timed_out(place, timeout))?,
        };
        let guard = LockGuard(file);
        // The previous holder may have done the work while we were waiting.
        if is_done() {
            return Ok(None);
        }
        // The description only serves error messages. If we can't write it, for example because the
        // disk is full, that's no reason to stop.
        let _ = introduce(&guard.0, &request.holder);
        Ok(Some(guard))
    }
}

/// Opens a lock file, after creating it if it does not exist. We write it in place, so it must not
/// have another hard link.
fn open_lock_file(place: &RootedPath) -> Result<File, StoreError> {
    let failed = |e| StoreError::io("open the lock", place.path(), e);
    match (beneath::open(place, Access::InPlace), place.parent()) {
        (Err(e), Some(folder)) if e.kind() == io::ErrorKind::NotFound => {
            // Other files in this folder may have to be durable, and they can't be unless the
            // folder is.
            Folder::make(&folder, 0o700, true)
                .map_err(|e| StoreError::io("create the folder", folder.path(), e))?;
            beneath::open(place, Access::InPlace).map_err(failed)
        }
        (opened, _) => opened.map_err(failed),
    }
}

enum Soon {
    Locked,
    Done,
    Taken { waited: Duration },
}

/// Tries to lock `file` for up to `limit`, but stops as soon as `is_done` returns true.
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
        pause = (pause * 3 / 2).min(LONG_MOMENT);
    }
}

fn timed_out(place: &RootedPath, waited: Duration) -> LockError {
    LockError::Timeout {
        path: place.path().to_owned(),
        holder: holder_at(place),
        waited,
    }
}

/// Waits for the lock in the system's queue, or returns `None` after the timeout.
///
/// The system cannot limit the time of such a wait, so it takes place on another thread. After a
/// timeout, the thread goes on waiting, but then releases the lock as soon as it gets it, since
/// nobody receives the file.
fn wait_in_line(file: File, request: &LockRequest, place: &RootedPath) -> io::Result<Option<File>> {
    let (send, receive) = channel();
    std::thread::Builder::new()
        .name("lock".to_owned())
        .spawn(move || {
            let locked = file.lock().map(|()| file);
            let _ = send.send(locked);
        })?;
    let timeout = request.timeout;
    let silence = timeout.min(LONG_WAIT);
    let locked = receive.recv_timeout(silence).or_else(|error| {
        if timeout > silence {
            (request.on_long_wait)(&holder_at(place));
        }
        match error {
            RecvTimeoutError::Timeout => receive.recv_timeout(timeout - silence),
            RecvTimeoutError::Disconnected => Err(error),
        }
    });
    locked.map_or(Ok(None), |locked| locked.map(Some))
}

fn holder_at(place: &RootedPath) -> String {
    open_lock_file(place).map_or_else(|_| String::new(), |file| who_holds(&file))
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        // Leave the description in the file. Nobody reads it unless the lock is held.
        let _ = self.0.unlock();
    }
}

/// Writes the holder's description to the first line of the lock file. We use a single write of
/// constant length, so that readers never see just a part of the line, or the rest of a longer one.
fn introduce(mut file: &File, holder: &str) -> io::Result<()> {
    const WIDTH: usize = 120;
    let holder = holder.replace(|c: char| c.is_control(), " ");
    let line = format!("{holder} (process {})", std::process::id());
    let line: String = line.chars().filter(char::is_ascii).take(WIDTH).collect();
    file.write_all(format!("{line:WIDTH$}\n").as_bytes())
}

/// Reads the description that [`introduce`] has written.
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

/// Formats a duration, e.g. as `1.5 s` or `200 ms`.
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

    fn acquire(place: &RootedPath, timeout: Duration, by: &str) -> Result<LockGuard, LockError> {
        Lock::acquire(place, &LockRequest::new(timeout, by))
    }

    #[test]
    fn acquire_timeout_names_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("new/notebook.lock");
        let guard = acquire(&path, Duration::ZERO, "windlass run x\non host a").unwrap();
        let error = acquire(&path, Duration::from_millis(20), "other").unwrap_err();
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

        // The thread of the wait that timed out may get the lock for a moment.
        drop(guard);
        drop(acquire(&path, Duration::from_secs(60), "other").unwrap());
    }

    #[test]
    fn long_wait_is_reported_with_the_holder() {
        static HOLDERS: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("lock");
        let _guard = acquire(&path, Duration::ZERO, "windlass events rebuild").unwrap();
        let request = LockRequest {
            on_long_wait: |holder| HOLDERS.lock().unwrap().push(holder.to_owned()),
            ..LockRequest::new(LONG_WAIT * 3, "other")
        };
        Lock::acquire(&path, &request).unwrap_err();
        let holders = HOLDERS.lock().unwrap();
        let own = holders.iter().filter(|it| it.contains("events rebuild"));
        #[cfg(unix)]
        assert_eq!(own.count(), 1, "{holders:?}");
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
        let _guard = acquire(&path, Duration::ZERO, "me").unwrap();
        #[cfg(unix)]
        assert_eq!(
            who_holds(&File::open(path.path()).unwrap()),
            format!("me (process {})", std::process::id())
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
                        let _guard = acquire(&path, Duration::from_secs(60), "counter").unwrap();
                        let n: u32 = std::fs::read_to_string(&count).unwrap().parse().unwrap();
                        std::fs::write(&count, (n + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&count).unwrap(), "100");
    }

    #[test]
    fn acquire_waits_or_times_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("new/append.lock");
        let guard = acquire(&path, Duration::ZERO, "windlass bead create").unwrap();
        let error = acquire(&path, Duration::from_millis(5), "b").unwrap_err();
        let told = error.to_string();
        assert!(told.starts_with("windlass bead create (process "), "{told}");
        let waits = std::thread::spawn({
            let path = path.clone();
            move || acquire(&path, Duration::from_secs(60), "c").is_ok()
        });
        drop(guard);
        assert!(waits.join().unwrap());
        assert!(acquire(&path, Duration::from_secs(60), "d").is_ok());
    }

    #[test]
    fn acquire_unless_done_needs_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = RootedPath::new(dir.path()).join("sync.lock");
        let request = LockRequest::new(Duration::ZERO, "a");
        let unless = |is_done| Lock::acquire_unless(&path, &request, MOMENTS, || is_done);
        let guard = unless(false).unwrap().unwrap();
        assert!(unless(true).unwrap().is_none());
        assert!(unless(false).is_err());
        drop(guard);
        // It's the same if the work was done right before the lock was released.
        assert!(unless(true).unwrap().is_none());
        assert!(unless(false).unwrap().is_some());
    }
}
