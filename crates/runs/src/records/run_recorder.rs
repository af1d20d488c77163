//! The writing of a record, aside, so that the run does not wait for it; when it fails, the run goes on and the record
//! ends early. What is written at most [`PAUSE`] before the process is killed may be missing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use windlass_engine::{Observer, RunEvent};
use windlass_redact::json_has_secrets;
use windlass_store::{LineLog, StoreError};

use super::run_entry::{RunEntry, TimedEntry};

/// How long what happened waits for more, so that many small writes become one.
const PAUSE: Duration = Duration::from_millis(25);

/// How much is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordLimits {
    /// The largest output of a step that is kept, in bytes of JSON.
    pub(crate) max_output_bytes: usize,
    /// The largest record, in bytes; outputs that would exceed it are not kept.
    pub(crate) max_bytes: usize,
}

/// Tells how much time has passed since the run began.
pub(crate) type Elapsed = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Writes down what happens during a run, and passes it on to who listens beside it.
pub(crate) struct Recorder {
    shared: Arc<Shared>,
    elapsed: Elapsed,
    next: Arc<dyn Observer>,
    thread: Mutex<Option<JoinHandle<Written>>>,
}

/// The log, and why not all was written to it.
type Written = (LineLog, Result<(), StoreError>);

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    lines: Vec<Line>,
    closed: bool,
    /// Nothing can be written any more.
    broken: bool,
}

enum Line {
    Entry(Box<TimedEntry>),
    Text(Vec<u8>),
}

impl Recorder {
    /// Records into `log` what is told, and tells it to `next`.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(
        log: LineLog,
        limits: RecordLimits,
        elapsed: Elapsed,
        next: Arc<dyn Observer>,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        let writer = Writer {
            shared: Arc::clone(&shared),
            log,
            limits,
            written: 0,
        };
        let thread = std::thread::Builder::new()
            .name("run record".to_owned())
            .spawn(move || writer.work())?;
        Ok(Self {
            shared,
            elapsed,
            next,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Adds a line of the caller's own: one JSON object, which needs no terminator.
    pub(crate) fn line<T: Serialize>(&self, line: &T) {
        if let Ok(text) = serde_json::to_vec(line) {
            self.push(Line::Text(text));
        }
    }

    /// Microseconds since the run began.
    pub(crate) fn now_us(&self) -> u64 {
        u64::try_from((self.elapsed)().as_micros()).unwrap_or(u64::MAX)
    }

    /// Waits until everything is written, and then adds the `last` line: it is told whether all before it was
    /// written, and is tried even if not. What is told later is not recorded.
    ///
    /// # Errors
    /// Why not all of it could be written.
    pub(crate) fn finish<T: Serialize>(
        &self,
        last: impl FnOnce(bool) -> T,
    ) -> Result<(), StoreError> {
        let Some((mut log, written)) = self.close() else {
            return Ok(());
        };
        let mut last = serde_json::to_vec(&last(written.is_ok())).unwrap_or_default();
        last.push(b'\n');
        written.and(log.append(&last))
    }

    /// Waits until everything is written; `None` if that was done before.
    fn close(&self) -> Option<Written> {
        self.shared.queue().closed = true;
        self.shared.changed.notify_one();
        let thread = lock(&self.thread).take();
        let written = thread.map(JoinHandle::join)?;
        Some(written.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    fn push(&self, line: Line) {
        let mut queue = self.shared.queue();
        if queue.closed || queue.broken {
            return;
        }
        queue.lines.push(line);
        if queue.lines.len() == 1 {
            drop(queue);
            self.shared.changed.notify_one();
        }
    }
}

impl Observer for Recorder {
    fn event(&self, event: &RunEvent<'_>) {
        self.push(Line::Entry(Box::new(TimedEntry {
            at_us: self.now_us(),
            entry: RunEntry::of(event),
        })));
        self.next.event(event);
    }

    fn progress(&self, step: &str, done: u64, total: u64) {
        self.next.progress(step, done, total);
    }

    fn keeps_outputs(&self) -> bool {
        true
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nobody is left to be told that it went wrong.
        let _ = self.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    /// What is there to be written; `None` when nothing will follow.
    fn next(&self) -> Option<Vec<Line>> {
        let waits = |queue: &mut Queue| queue.lines.is_empty() && !queue.closed;
        let queue = self.changed.wait_while(self.queue(), waits);
        let queue = queue.unwrap_or_else(PoisonError::into_inner);
        // More will come soon; the end does not wait.
        let more = self
            .changed
            .wait_timeout_while(queue, PAUSE, |queue| !queue.closed);
        let (mut queue, _) = more.unwrap_or_else(PoisonError::into_inner);
        let lines = std::mem::take(&mut queue.lines);
        (!lines.is_empty()).then_some(lines)
    }
}

struct Writer {
    shared: Arc<Shared>,
    log: LineLog,
    limits: RecordLimits,
    written: usize,
}

impl Writer {
    fn work(mut self) -> Written {
        while let Some(lines) = self.shared.next() {
            let text = self.text_of(lines);
            if let Err(error) = self.log.append(&text) {
                let mut queue = self.shared.queue();
                queue.broken = true;
                queue.lines = Vec::new();
                return (self.log, Err(error));
            }
            self.written += text.len();
        }
        (self.log, Ok(()))
    }

    /// The lines one after the other. They are looked through for secrets together, and one by one only if
    /// there are any: together is many times faster.
    fn text_of(&self, mut lines: Vec<Line>) -> Vec<u8> {
        let text = self.put_all(&mut lines);
        if !has_secrets(&text) {
            return text;
        }
        lines.iter_mut().for_each(Line::forget_secrets);
        self.put_all(&mut lines)
    }

    fn put_all(&self, lines: &mut [Line]) -> Vec<u8> {
        let mut text = Vec::new();
        for line in lines {
            self.put(&mut text, line);
        }
        text
    }

    fn put(&self, text: &mut Vec<u8>, line: &mut Line) {
        let start = text.len();
        match line {
            Line::Text(line) => text.extend_from_slice(line),
            Line::Entry(entry) => {
                // A value that has no JSON form has no line.
                if serde_json::to_writer(&mut *text, entry).is_err() {
                    text.truncate(start);
                    return;
                }
                let length = text.len() - start;
                let is_too_large = length > self.limits.max_output_bytes
                    || self.written + text.len() > self.limits.max_bytes;
                if is_too_large && entry.entry.forget_output() {
                    text.truncate(start);
                    return self.put(text, line);
                }
            }
        }
        text.push(b'\n');
    }
}

impl Line {
    /// Takes secret values out of what happened; what else is written was looked through before.
    fn forget_secrets(&mut self) {
        if let Self::Entry(entry) = self
            && serde_json::to_vec(entry).is_ok_and(|line| has_secrets(&line))
        {
            entry.entry.forget_secrets();
        }
    }
}

/// What steps gave may hold what they were given: inputs of the run are not looked through before.
fn has_secrets(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_ok_and(json_has_secrets)
}

/// A thread that panicked holding the lock left a whole queue behind: every change to it is a single call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
