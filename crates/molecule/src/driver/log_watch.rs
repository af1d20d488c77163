//! Notices when other processes and machines write to the log.
//!
//! The operating system reports changed files, and a thread waits for the shared log, if there is
//! one. We only poll the files if their folders cannot be watched, e.g. on some network file
//! systems.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use windlass_ledger::{LedgerSession, Opening, Position, SharedError, SharedOpener};

use super::WorkerStats;
use super::worker_stats::set;

/// Length of a single wait for the shared log. If the connection is lost without an error, we do
/// not notice for this long.
const WAIT: Duration = Duration::from_secs(60);
/// Pauses in seconds between attempts to reach the shared log. The last one is repeated.
const RECONNECT: [u64; 5] = [1, 2, 5, 10, 30];
/// Interval for polling the files if the operating system does not report changes.
pub(super) const UNWATCHED: Duration = Duration::from_secs(1);

/// A watch on the log, which ends when it is dropped.
pub(super) struct LogWatch {
    woken: Arc<Notify>,
    /// True if the shared log has batches that we have not pulled.
    has_moved: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    watcher: Option<RecommendedWatcher>,
}

impl LogWatch {
    pub(super) fn start(session: &mut LedgerSession, stats: &Arc<WorkerStats>) -> Self {
        let woken = Arc::new(Notify::new());
        let watch = Self {
            watcher: watcher(session, &woken),
            woken,
            has_moved: Arc::default(),
            is_over: Arc::default(),
        };
        if let Some(opener) = session.sharing().opener() {
            let follower = Follower {
                opener,
                elapsed: session.site().environment().elapsed,
                stats: Arc::clone(stats),
                woken: Arc::clone(&watch.woken),
                has_moved: Arc::clone(&watch.has_moved),
                is_over: Arc::clone(&watch.is_over),
            };
            std::thread::spawn(move || follower.run());
        }
        watch
    }

    pub(super) async fn changed(&self) {
        match self.watcher {
            Some(_) => self.woken.notified().await,
            None => drop(tokio::time::timeout(UNWATCHED, self.woken.notified()).await),
        }
    }

    pub(super) fn take_moved(&self) -> bool {
        self.has_moved.swap(false, Ordering::Relaxed)
    }
}

impl Drop for LogWatch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

fn watcher(session: &mut LedgerSession, woken: &Arc<Notify>) -> Option<RecommendedWatcher> {
    let files = session.sharing().log_files();
    let names: Vec<_> = files.iter().filter_map(|file| file.file_name()).collect();
    let names: Vec<_> = names.into_iter().map(ToOwned::to_owned).collect();
    let woken = Arc::clone(woken);
    let report = move |event: notify::Result<notify::Event>| {
        let is_log = |path: &std::path::PathBuf| {
            let name = path.file_name();
            name.is_some_and(|name| names.iter().any(|log| log == name))
        };
        match event {
            // Reading a file is reported as well. If we woke up for that, our own reads would wake
            // us again.
            Ok(event) if event.kind.is_access() || !event.paths.iter().any(is_log) => {}
            _ => woken.notify_one(),
        }
    };
    let mut watcher = notify::recommended_watcher(report).ok()?;
    // Watch the folders and not the files, since a file that's replaced would no longer be watched.
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    }
    Some(watcher)
}

/// A thread that waits for the shared log, on a connection of its own.
struct Follower {
    opener: SharedOpener,
    elapsed: fn() -> Duration,
    stats: Arc<WorkerStats>,
    woken: Arc<Notify>,
    has_moved: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
}

impl Follower {
    fn run(self) {
        let mut failures = 0;
        while !self.is_over() {
            match self.follow(&mut failures) {
                Ok(()) => return,
                Err(_) => {
                    let pause = RECONNECT[failures.min(RECONNECT.len() - 1)];
                    failures += 1;
                    std::thread::sleep(Duration::from_secs(pause));
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn follow(&self, failures: &mut usize) -> Result<(), SharedError> {
        let mut log = (self.opener)(Opening::Read)?;
        let mut at = Position::default();
        while !self.is_over() {
            let head = log.wait(&at, WAIT)?;
            *failures = 0;
            let now = u64::try_from((self.elapsed)().as_millis()).unwrap_or(u64::MAX);
            set(&self.stats.contact_ms, now.max(1));
            set(&self.stats.head, head.position.at);
            if head.position != at {
                at = head.position;
                self.has_moved.store(true, Ordering::Relaxed);
                self.woken.notify_one();
            }
        }
        Ok(())
    }
}
