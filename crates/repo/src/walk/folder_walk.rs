//! Walks folders on one or several threads.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use windlass_base::Cancel;

use super::ignore_rules::{IgnoreFiles, Rules};
use super::{Visitor, Walker};
use crate::platform::is_hidden;

/// Number of entries up to which one thread is faster, because starting more takes longer than
/// visiting the entries.
const SMALL: usize = 128;

/// Number of files in a folder handed to a thread at once. It's large enough to visit neighbouring
/// files in sequence, and small enough to keep the other threads busy.
const FILES: usize = 16;

enum Work {
    Folder(PathBuf, Rules),
    Files(Vec<PathBuf>),
}

/// Work shared by the threads. A thread keeps the work it finds, unless another thread is idle.
/// With a shared queue for everything, each file would cost a lock and a wake-up.
struct Shared {
    queue: Mutex<Queue>,
    more: Condvar,
    /// Number of idle threads. It's atomic, so that busy threads can check it without a lock.
    waiting: AtomicUsize,
}

struct Queue {
    work: Vec<Work>,
    /// Number of busy threads. They may still add work, so the walk goes on until there are none.
    busy: usize,
    /// True if we skip the remaining work because the caller cancelled or a thread failed.
    stopped: bool,
}

impl Walker<'_> {
    /// Visits everything at and below `start`, and returns the visitors. If `cancel` is triggered,
    /// the result is incomplete.
    pub(super) fn walk_from<V: Visitor>(
        &self,
        start: &Path,
        within_scopes: bool,
        cancel: &Cancel,
        make: &(dyn Fn() -> V + Sync),
    ) -> Vec<V> {
        let mut visitor = make();
        let mut work = self.first(start, &mut visitor);
        let (mut files, mut count) = (Vec::new(), 0);
        let threads = self.repo.threads();
        // Visiting files is the slow part, so leave them until we know if threads are worth
        // starting.
        while let Some(next) = work.pop() {
            if cancel.is_cancelled() {
                return vec![visitor];
            }
            match next {
                Work::Folder(folder, rules) => {
                    let before = work.len();
                    self.read(&folder, &rules, within_scopes, &mut visitor, &mut work);
                    count += work.len() - before;
                }
                Work::Files(some) if threads <= 1 => self.visit(&some, cancel, &mut visitor),
                Work::Files(some) => {
                    count += some.len();
                    files.push(Work::Files(some));
                }
            }
            if count > SMALL && threads > 1 {
                work.append(&mut files);
                return self.share(work, threads, within_scopes, cancel, visitor, make);
            }
        }
        for some in files {
            if let Work::Files(some) = some {
                self.visit(&some, cancel, &mut visitor);
            }
        }
        vec![visitor]
    }

    /// Returns the initial work, a folder or a single file.
    fn first(&self, start: &Path, visitor: &mut dyn Visitor) -> Vec<Work> {
        match start.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {
                vec![Work::Folder(start.to_owned(), Rules::default())]
            }
            Ok(metadata) if metadata.is_file() => vec![Work::Files(vec![start.to_owned()])],
            Ok(_) => Vec::new(),
            Err(error) => {
                note_error(&error, visitor);
                Vec::new()
            }
        }
    }

    /// Distributes `work` over several threads.
    fn share<V: Visitor>(
        &self,
        work: Vec<Work>,
        threads: usize,
        within_scopes: bool,
        cancel: &Cancel,
        visitor: V,
        make: &(dyn Fn() -> V + Sync),
    ) -> Vec<V> {
        let shared = Shared::new(work, threads);
        let help = |mut visitor: V| {
            let mut busy = Busy(&shared);
            let mut mine = Vec::new();
            while let Some(work) = busy.next(&mut mine) {
                match work {
                    _ if cancel.is_cancelled() => shared.stop(),
                    Work::Folder(folder, rules) => {
                        self.read(&folder, &rules, within_scopes, &mut visitor, &mut mine);
                    }
                    Work::Files(files) => self.visit(&files, cancel, &mut visitor),
                }
            }
            visitor
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| help(make()))).collect();
            let mut visitors = vec![help(visitor)];
            for other in others {
                match other.join() {
                    Ok(visitor) => visitors.push(visitor),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            visitors
        })
    }

    /// Lists a folder, and adds the entries to visit to the work.
    fn read(
        &self,
        folder: &Path,
        above: &Rules,
        within_scopes: bool,
        visitor: &mut dyn Visitor,
        work: &mut Vec<Work>,
    ) {
        visitor.folder(folder);
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return note_error(&error, visitor),
        };
        let (mut found, mut files) = (Vec::new(), IgnoreFiles::default());
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                Ok((kind, entry)) => {
                    files.note(entry.file_name().as_encoded_bytes(), kind);
                    found.push((kind, entry));
                }
                Err(error) => note_error(&error, visitor),
            }
        }
        self.entries
            .fetch_add(1 + found.len() as u64, Ordering::Relaxed);
        let rules = above.below(self.repo, folder, &files, visitor);
        let mut batch = Vec::new();
        for (kind, entry) in found {
            let path = entry.path();
            let is_folder = kind.is_dir();
            let hidden = || is_hidden(&entry);
            if !self.admits(&path, is_folder, within_scopes, &rules, hidden) {
                continue;
            }
            self.scopes.note(&path);
            if is_folder {
                work.push(Work::Folder(path, rules.clone()));
            } else if kind.is_file() {
                batch.push(path);
                if batch.len() == FILES {
                    work.push(Work::Files(std::mem::take(&mut batch)));
                }
            }
        }
        if !batch.is_empty() {
            work.push(Work::Files(batch));
        }
    }

    fn visit(&self, files: &[PathBuf], cancel: &Cancel, visitor: &mut dyn Visitor) {
        for file in files {
            if cancel.is_cancelled() {
                return;
            }
            self.show(file, visitor);
        }
    }
}

/// Counts a folder we can't read, unless it vanished during the walk.
fn note_error(error: &std::io::Error, visitor: &mut dyn Visitor) {
    if error.kind() != std::io::ErrorKind::NotFound {
        visitor.withheld().unreadable += 1;
    }
}

impl Shared {
    /// Creates a queue with `work` for `threads` threads. They all count as busy until they ask for
    /// more work.
    fn new(work: Vec<Work>, threads: usize) -> Self {
        Self {
            queue: Mutex::new(Queue {
                work,
                busy: threads,
                stopped: false,
            }),
            more: Condvar::new(),
            waiting: AtomicUsize::new(0),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.queue().stopped = true;
        self.more.notify_all();
    }
}

/// Marks its thread as busy.
struct Busy<'a>(&'a Shared);

impl Busy<'_> {
    /// Returns the next work from `mine` or the shared queue, or `None` when all work is done.
    fn next(&mut self, mine: &mut Vec<Work>) -> Option<Work> {
        let shared = self.0;
        if shared.waiting.load(Ordering::Relaxed) == 0
            && let Some(work) = mine.pop()
        {
            return Some(work);
        }
        let mut queue = shared.queue();
        if let Some(work) = mine.pop() {
            // Share the oldest half, because the entries found first lead to the most work.
            queue.work.extend(mine.drain(..mine.len().div_ceil(2)));
            let (stopped, wakes) = (queue.stopped, !queue.work.is_empty());
            drop(queue);
            if wakes {
                shared.more.notify_all();
            }
            return (!stopped).then_some(work);
        }
        queue.busy -= 1;
        loop {
            if queue.stopped {
                break;
            }
            if let Some(work) = queue.work.pop() {
                queue.busy += 1;
                return Some(work);
            }
            if queue.busy == 0 {
                shared.more.notify_all();
                break;
            }
            shared.waiting.fetch_add(1, Ordering::Relaxed);
            queue = shared
                .more
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            shared.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        None
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        // If this thread fails, the others would wait forever for its work.
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
