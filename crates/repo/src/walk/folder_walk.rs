//! Walks folders on one thread, or on several if the work is worth it.
//!
//! Most walks are small, and starting threads would take longer than the walk. So one thread begins
//! by listing folders, which is cheap, and collects the files. Once there are enough entries, the
//! remaining work is shared.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use windlass_base::Cancel;

use super::ignore_rules::{IgnoreFiles, Rules};
use super::{Visitor, Walker};
use crate::platform::is_hidden;

/// Up to this number of entries, a single thread is faster, since starting others would take longer
/// than visiting the entries.
const SMALL: usize = 128;

/// Number of files that a thread gets at once. It is best to have neighboring files visited by the
/// same thread, but larger batches might leave the other threads without work.
const FILES: usize = 16;

/// Something left to visit: either a folder and the rules from above, or a batch of files.
enum Work {
    Folder(PathBuf, Rules),
    Files(Vec<PathBuf>),
}

/// Work shared by the threads. As long as all threads are busy, each one keeps its new work to
/// itself: with a shared queue, every single file would cost a lock and a wake-up.
struct Shared {
    queue: Mutex<Queue>,
    more: Condvar,
    /// Number of idle threads, which busy threads can check without a lock.
    waiting: AtomicUsize,
}

struct Queue {
    work: Vec<Work>,
    /// Number of busy threads. They may still add work, so the walk is not over while there is a
    /// busy thread, even if the queue is empty.
    busy: usize,
    /// True to skip the remaining work, because the walk was cancelled or a thread has panicked.
    stopped: bool,
}

impl Walker<'_> {
    /// Visits everything at and below `start`, and returns the visitors. If the walk was cancelled,
    /// they have not seen everything.
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
        // Visiting files is what takes long. Collect them first, until we know if it's worth
        // starting threads.
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
        // We need all entries before deciding on any of them, since the ignore files may be the
        // last ones.
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

fn note_error(error: &std::io::Error, visitor: &mut dyn Visitor) {
    if error.kind() != std::io::ErrorKind::NotFound {
        visitor.withheld().unreadable += 1;
    }
}

impl Shared {
    /// All threads count as busy from the beginning. Otherwise, one of them might find nothing to
    /// do and stop before the others have started.
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

/// Held by a working thread. If the thread panics, dropping this stops the others.
struct Busy<'a>(&'a Shared);

impl Busy<'_> {
    fn next(&mut self, mine: &mut Vec<Work>) -> Option<Work> {
        let shared = self.0;
        if shared.waiting.load(Ordering::Relaxed) == 0
            && let Some(work) = mine.pop()
        {
            return Some(work);
        }
        let mut queue = shared.queue();
        if let Some(work) = mine.pop() {
            // Another thread is waiting, so share the older half of our work. These entries are the
            // closest to the root, and usually lead to most work.
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
        // The other threads would wait forever for this one to finish.
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
