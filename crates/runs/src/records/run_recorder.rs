//! Writes the record of a run on a separate thread, so that the run never waits for the disk.
//!
//! The writer collects lines for [`PAUSE`], and then writes them all at once. If the process is
//! killed, the events of the last pause may be lost. If a write fails, the run goes on without its
//! record, because a full disk is no reason to lose the run's results too.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_base::lock;

use serde::Serialize;
use windlass_engine::{Observer, RunEvent};
use windlass_redact::json_has_secrets;
use windlass_store::{LineLog, StoreError};

use super::run_entry::TimedEntry;

/// Time to wait for more events, so that many small writes become one.
const PAUSE: Duration = Duration::from_millis(25);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordLimits {
    /// Maximum size of a recorded step output, in bytes of JSON.
    pub(crate) max_output_bytes: usize,
    /// Maximum size of the record in bytes. Once it's reached, events are recorded without their
    /// outputs.
    pub(crate) max_bytes: usize,
}

pub(crate) type Elapsed = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Records the events of a run, and passes them on to the next observer.
pub(crate) struct Recorder {
    shared: Arc<Shared>,
    elapsed: Elapsed,
    next: Arc<dyn Observer>,
    thread: Mutex<Option<JoinHandle<Written>>>,
}

/// The log after the writer has ended, and the error if a write failed.
type Written = (LineLog, Result<(), StoreError>);

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    lines: Vec<Line>,
    closed: bool,
    /// Set after a failed write, from which on all events are dropped.
    broken: bool,
}

enum Line {
    Entry(Box<TimedEntry>),
    Text(Vec<u8>),
}

impl Recorder {
    /// Starts a recorder that appends to `log` and passes events on to `next`.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
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

    /// Appends `line` as JSON. Only use this for lines other than events, which must not contain
    /// secrets.
    pub(crate) fn line<T: Serialize>(&self, line: &T) {
        if let Ok(text) = serde_json::to_vec(line) {
            self.push(Line::Text(text));
        }
    }

    pub(crate) fn now_us(&self) -> u64 {
        u64::try_from((self.elapsed)().as_micros()).unwrap_or(u64::MAX)
    }

    /// Waits until all lines are written, and then appends the line returned by `last`. Later
    /// events are dropped.
    ///
    /// `last` gets true if everything was written. We append its line even after a failed write:
    /// it's short, and with some luck, the record then at least says how the run ended.
    ///
    /// # Errors
    /// Returns the error of the first failed write.
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

    /// Waits until all lines are written. Returns `None` if the recorder has already been closed.
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
        // If there are more lines, the writer has already been woken up.
        if queue.lines.len() == 1 {
            drop(queue);
            self.shared.changed.notify_one();
        }
    }
}

impl Observer for Recorder {
    fn event(&self, event: &RunEvent) {
        self.push(Line::Entry(Box::new(TimedEntry {
            at_us: self.now_us(),
            entry: event.clone(),
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
        // There's nobody to report an error to.
        let _ = self.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    fn next(&self) -> Option<Vec<Line>> {
        let waits = |queue: &mut Queue| queue.lines.is_empty() && !queue.closed;
        let queue = self.changed.wait_while(self.queue(), waits);
        let queue = queue.unwrap_or_else(PoisonError::into_inner);
        // More events usually follow soon. Waiting for them doesn't delay the end of the run,
        // because closing the queue ends the wait.
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

    /// Serializes lines and removes secrets. Scanning all of them at once is many times faster than
    /// scanning each, so we only look at single lines if there's a secret somewhere.
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
                // Part of a line would make the record unreadable, so leave out an event that can't
                // be written as JSON.
                if serde_json::to_writer(&mut *text, entry).is_err() {
                    text.truncate(start);
                    return;
                }
                let length = text.len() - start;
                let is_too_large = length > self.limits.max_output_bytes
                    || self.written + text.len() > self.limits.max_bytes;
                // If there was no output to forget, write the line anyway: without it, a reader
                // couldn't tell what happened.
                if is_too_large && entry.forget_output() {
                    text.truncate(start);
                    return self.put(text, line);
                }
            }
        }
        text.push(b'\n');
    }
}

impl Line {
    /// Removes secrets from an event. Other lines have been scanned before.
    fn forget_secrets(&mut self) {
        if let Self::Entry(entry) = self
            && serde_json::to_vec(entry).is_ok_and(|line| has_secrets(&line))
        {
            entry.forget_secrets();
        }
    }
}

/// True if the JSON contains a secret, e.g. because a step repeats a secret input in its output.
fn has_secrets(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_ok_and(json_has_secrets)
}
