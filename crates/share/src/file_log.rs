//! A shared log in a folder. This is for machines that mount the folder, and for several clones on
//! one machine.
//!
//! Each batch is a line with a JSON object, and a position is the offset right after a line. The
//! batch ID is the last field of the object. So to check which batch is at a position, we only have
//! to read a few bytes before it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_ledger::{Append, Batch, Head, Opening, Position, SharedError, SharedLog, Tail};
use windlass_store::{
    DurableLog, LockError, LockRequest, MAX_LOG_BYTES, RootedPath, StoreError, read_file,
    write_shared,
};

use crate::paused;

/// Number of bytes read at once, unless a line is longer.
const WINDOW: u64 = 1 << 20;
/// How often we look for new batches while waiting.
const TICK: Duration = Duration::from_millis(100);

#[derive(Serialize, Deserialize)]
struct BatchLine {
    lines: String,
    batch: String,
}

#[derive(Debug)]
pub(crate) struct FileLog {
    log: DurableLog,
    blobs: RootedPath,
    /// Where the log ended when we last read it.
    known: Position,
    /// Limits how long we wait for other writers.
    lock: LockRequest,
}

impl std::fmt::Debug for BatchLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchLine")
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}

impl FileLog {
    /// Opens the log `name` in `folder`.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist. A missing log is also an error, unless
    /// `opening` is [`Opening::Create`].
    pub(crate) fn open(
        folder: &str,
        name: &str,
        opening: Opening,
        lock: &LockRequest,
    ) -> Result<Self, SharedError> {
        let folder = RootedPath::resolved(std::path::Path::new(folder));
        if !folder.is_folder() {
            let shown = folder.display();
            return Err(SharedError::Unreachable(format!(
                "there is no folder `{shown}`"
            )));
        }
        let path = folder.join(format!("{name}.jsonl"));
        let locks = folder.join(format!("{name}.locks"));
        let log = match opening {
            Opening::Create => DurableLog::open(&path, &locks).map(Some),
            _ => DurableLog::open_existing(&path, &locks),
        };
        let log = log.map_err(|error| unreachable(&error))?.ok_or_else(|| {
            SharedError::Unreachable(format!("there is no file `{}`", path.display()))
        })?;
        Ok(Self {
            log,
            blobs: folder.join(format!("{name}.blobs")),
            known: Position::default(),
            lock: lock.clone(),
        })
    }

    /// Returns the batches between `after` and `end`, as long as they have about `max_bytes` in
    /// total. The first one is returned even if it is larger.
    fn batches(
        &self,
        after: u64,
        end: u64,
        max_bytes: usize,
    ) -> Result<Vec<(Position, Batch)>, SharedError> {
        let (mut batches, mut bytes) = (Vec::new(), 0);
        let (mut at, mut window) = (after, WINDOW);
        while at < end && bytes < max_bytes.max(1) {
            let read = self.log.read(at, end.min(at.saturating_add(window)));
            let read = read.map_err(|error| unreachable(&error))?;
            let Some(last) = read.iter().rposition(|byte| *byte == b'\n') else {
                // Either the line is longer than the window, or the file was cut off in the
                // meantime. We only have to try again in the first case.
                if (read.len() as u64) < window {
                    break;
                }
                window = window.saturating_mul(2);
                continue;
            };
            for line in read[..=last].split_inclusive(|byte| *byte == b'\n') {
                if bytes >= max_bytes.max(1) {
                    break;
                }
                at += line.len() as u64;
                // A writer was stopped in the middle of this line. Skip it, since there are others
                // after it.
                let Ok(line) = serde_json::from_slice::<BatchLine>(line) else {
                    continue;
                };
                bytes += line.lines.len();
                let position = Position {
                    at,
                    batch: line.batch.clone(),
                };
                let batch = Batch {
                    id: line.batch,
                    lines: line.lines.into_bytes(),
                };
                batches.push((position, batch));
            }
        }
        Ok(batches)
    }

    /// Finds the last batch by reading backwards from the end of the file. If there is none after
    /// `after`, returns that.
    fn last(&self, after: &Position) -> Result<Position, SharedError> {
        let end = self.log.bytes().map_err(|error| unreachable(&error))?;
        let mut window = WINDOW;
        loop {
            let start = end.saturating_sub(window).max(after.at);
            let bytes = self.log.read(start, end);
            let bytes = bytes.map_err(|error| unreachable(&error))?;
            let newline_in = |to: usize| bytes[..to].iter().rposition(|byte| *byte == b'\n');
            let mut to = bytes.len();
            while let Some(newline) = newline_in(to) {
                let from = match newline_in(newline) {
                    Some(before) => before + 1,
                    None if start == after.at => 0,
                    // The window starts in the middle of this line, so try again with a larger one.
                    None => break,
                };
                if let Ok(line) = serde_json::from_slice::<BatchLine>(&bytes[from..newline]) {
                    return Ok(Position {
                        at: start + newline as u64 + 1,
                        batch: line.batch,
                    });
                }
                to = from;
            }
            if start == after.at {
                return Ok(after.clone());
            }
            window = window.saturating_mul(2);
        }
    }

    /// Fails if there is a different batch at `position`.
    fn check(&self, position: &Position) -> Result<(), SharedError> {
        // Every log has the same start, so there's nothing to compare.
        if position.at == 0 {
            return Ok(());
        }
        let ending = ending(&position.batch);
        let start = position.at.saturating_sub(ending.len() as u64);
        let bytes = self.log.read(start, position.at);
        match bytes.map_err(|error| unreachable(&error))? == ending.as_bytes() {
            true => Ok(()),
            false => Err(SharedError::Diverged(position.clone())),
        }
    }

    fn head_after(&mut self, after: &Position) -> Result<Position, SharedError> {
        self.check(after)?;
        self.known = self.last(after)?;
        Ok(self.known.clone())
    }

    fn tail(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        let head = self.head_after(after)?;
        let batches = self.batches(after.at, head.at, max_bytes)?;
        Ok(Tail {
            batches,
            head: head_at(head),
        })
    }
}

/// Returns the end of a batch's line, by which we recognize the batch.
fn ending(batch: &str) -> String {
    format!("\"batch\":\"{batch}\"}}\n")
}

/// A folder has no clock. Every machine has to use its own, so there is no offset.
fn head_at(position: Position) -> Head {
    Head {
        position,
        clock_ahead: None,
    }
}

fn unreachable(error: &StoreError) -> SharedError {
    SharedError::Unreachable(error.to_string())
}

fn locked(error: &LockError) -> SharedError {
    SharedError::Unreachable(error.to_string())
}

impl SharedLog for FileLog {
    fn head(&mut self) -> Result<Head, SharedError> {
        let known = self.known.clone();
        // If our last known batch is gone, e.g. because the file was replaced, find the end without
        // it.
        let known = match self.check(&known) {
            Ok(()) => known,
            Err(_) => Position::default(),
        };
        Ok(head_at(self.head_after(&known)?))
    }

    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        self.tail(after, max_bytes)
    }

    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError> {
        let line = BatchLine {
            lines: String::from_utf8_lossy(&batch.lines).into_owned(),
            batch: batch.id.clone(),
        };
        let mut line =
            serde_json::to_vec(&line).map_err(|error| SharedError::Refused(error.to_string()))?;
        line.push(b'\n');
        self.check(expected)?;
        let mut guard = self.log.writer(&self.lock).map_err(|e| locked(&e))?;
        // Another machine may have appended a batch before we got the lock, so only compare the
        // ends now.
        if self.last(expected)? != *expected {
            drop(guard);
            return Ok(Append::Moved(self.tail(expected, 1 << 20)?));
        }
        let appended = guard.append(&line).map_err(|error| unreachable(&error))?;
        // Release the lock before the sync. Others can append in the meantime, and share the next
        // sync.
        drop(guard);
        let end = appended.end;
        let synced = self.log.commit(appended, &self.lock);
        // The line is in the file, but we can't tell if it's durable.
        synced.map_err(|error| SharedError::Unknown(error.to_string()))?;
        self.known = Position {
            at: end,
            batch: batch.id.clone(),
        };
        Ok(Append::Done(head_at(self.known.clone())))
    }

    fn put_blob(&mut self, id: &str, bytes: &[u8]) -> Result<(), SharedError> {
        write_shared(&self.blobs.join(id), bytes).map_err(|error| unreachable(&error))
    }

    fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, SharedError> {
        read_file(&self.blobs.join(id), MAX_LOG_BYTES).map_err(|error| unreachable(&error))
    }

    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError> {
        paused(limit, TICK, || {
            let head = head_at(self.head_after(after)?);
            Ok((head.position != *after).then_some(head))
        })?
        .map_or_else(|| Ok(head_at(after.clone())), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_longer_than_the_window_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_str().unwrap();
        let lock = LockRequest::new(Duration::ZERO, "test");
        let mut log = FileLog::open(folder, "long", Opening::Create, &lock).unwrap();
        let long = usize::try_from(WINDOW).unwrap() * 2;
        let (mut at, mut all) = (Position::default(), Vec::new());
        for length in [1, long, 2, 3] {
            let batch = Batch::of(vec![b'x'; length]);
            let Append::Done(head) = log.append(&at, &batch).unwrap() else {
                panic!("moved")
            };
            at = head.position;
            all.push((at.clone(), batch));
        }
        let start = Position::default();
        let mut reader = FileLog::open(folder, "long", Opening::Read, &lock).unwrap();
        assert_eq!(reader.last(&start).unwrap(), at);
        assert_eq!(reader.last(&all[0].0).unwrap(), at);
        assert_eq!(reader.read(&start, long * 2).unwrap().batches, all);
        assert_eq!(reader.read(&start, 2).unwrap().batches, all[..2]);
    }
}
