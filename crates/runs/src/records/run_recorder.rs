//! Asynchronous writer of a record, so that the run does not wait for it. If it fails, the run continues and the record
//! ends early. When the process is killed, up to [`PAUSE`] of events may be missing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use windlass_engine::{Observer, RunEvent};
use windlass_redact::json_has_secrets;
use windlass_store::{LineLog, StoreError};

use super::run_entry::{RunEntry, TimedEntry};

/// Delay before events are written, so that many small writes become one.
const PAUSE: Duration = Duration::from_millis(25);

/// Size limits of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordLimits {
    /// Maximum size of a stored step output, in bytes of JSON.
    pub(crate) max_output_bytes: usize,
    /// Maximum size of the record, in bytes; outputs beyond it are not stored.
    pub(crate) max_bytes: usize,
}

/// Function that returns the time since the start of the run.
pub(crate) type Elapsed = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Observer that records the events of a run and passes them on.
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
    /// True after a write failed.
    broken: bool,
}

enum Line {
    Entry(Box<TimedEntry>),
    Text(Vec<u8>),
}

impl Recorder {
    /// Records events in `log`, and passes them to `next`.
    ///
    /// # Errors
    /// If no thread can be started.
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

    /// Waits until everything is written, then appends the `last` line, even if writing failed; `last` receives whether
    /// everything was written. Later events are not recorded.
    ///
    /// # Errors
    /// The reason if not everything could be written.
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

    /// Waits until everything is written; `None` if the recorder was closed before.
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
        // An error can no longer be reported.
        let _ = self.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    /// Returns the queued lines; `None` if no more will follow.
    fn next(&self) -> Option<Vec<Line>> {
        let waits = |queue: &mut Queue| queue.lines.is_empty() && !queue.closed;
        let queue = self.changed.wait_while(self.queue(), waits);
        let queue = queue.unwrap_or_else(PoisonError::into_inner);
        // More events will follow soon; the end does not wait.
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

    /// Serializes lines. They are scanned for secrets together, which is many times faster, and one by one only if
    /// there are any.
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
                // A value without a JSON form gets no line.
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
    /// Removes secret values from an event; other lines were scanned before.
    fn forget_secrets(&mut self) {
        if let Self::Entry(entry) = self
            && serde_json::to_vec(entry).is_ok_and(|line| has_secrets(&line))
        {
            entry.entry.forget_secrets();
        }
    }
}

/// True if the JSON contains secrets. Step outputs may repeat inputs of the run, which were not scanned.
fn has_secrets(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_ok_and(json_has_secrets)
}

/// A panic of a thread that holds the lock leaves a consistent queue: every change is a single call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
