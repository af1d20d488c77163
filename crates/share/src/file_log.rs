//! Shared log in a folder, for machines that mount it, and for clones on one machine.
//!
//! Each batch is a line: a JSON object whose last field is the batch id, so that the id of the batch before a position
//! can be read backwards. A position is the offset behind a line.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_ledger::{Append, Batch, Head, Opening, Position, SharedError, SharedLog, Tail};
use windlass_store::{DurableLog, LockError, RootedPath, StoreError};

use crate::paused;

/// Maximum time to wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval at which a waiting reader checks the file.
const TICK: Duration = Duration::from_millis(100);
/// Name shown to other writers that wait.
const HOLDER: &str = "windlass";

/// Line of a batch.
#[derive(Serialize, Deserialize)]
struct BatchLine {
    lines: String,
    batch: String,
}

/// Shared log in a file.
#[derive(Debug)]
pub(crate) struct FileLog {
    log: DurableLog,
    /// End of the log and id of its last batch, as of the last read.
    known: Position,
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
    /// Returns an error if the folder does not exist, or the log does not and `opening` does not create it.
    pub(crate) fn open(folder: &str, name: &str, opening: Opening) -> Result<Self, SharedError> {
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
            known: Position::default(),
        })
    }

    /// Returns the batches after `after`; all that are there.
    fn batches(&self, after: &Position) -> Result<Vec<(Position, Batch)>, SharedError> {
        self.check(after)?;
        let bytes = self.log.whole_lines(after.at);
        let bytes = bytes.map_err(|error| unreachable(&error))?;
        let (mut batches, mut at) = (Vec::new(), after.at);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            at += line.len() as u64;
            // The line of a writer that was stopped is followed by others.
            let Ok(line) = serde_json::from_slice::<BatchLine>(line) else {
                continue;
            };
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
        Ok(batches)
    }

    /// Checks that the log has the batch at `position`.
    fn check(&self, position: &Position) -> Result<(), SharedError> {
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

    fn tail(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        let mut batches = self.batches(after)?;
        let head = batches
            .last()
            .map_or(after, |(position, _)| position)
            .clone();
        self.known = head.clone();
        let mut bytes = 0;
        let kept = batches.iter().take_while(|(_, batch)| {
            let fits = bytes < max_bytes.max(1);
            bytes += batch.lines.len();
            fits
        });
        let kept = kept.count();
        batches.truncate(kept);
        Ok(Tail {
            batches,
            head: head_at(head),
        })
    }
}

/// Returns the end of the line of a batch.
fn ending(batch: &str) -> String {
    format!("\"batch\":\"{batch}\"}}\n")
}

/// The clock of a folder is that of each machine.
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
        let known = match self.check(&known) {
            Ok(()) => known,
            Err(_) => Position::default(),
        };
        Ok(self.tail(&known, 0)?.head)
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
        let mut guard = self
            .log
            .writer(LOCK_TIMEOUT, HOLDER)
            .map_err(|e| locked(&e))?;
        if !self.batches(expected)?.is_empty() {
            drop(guard);
            return Ok(Append::Moved(self.tail(expected, 1 << 20)?));
        }
        let appended = guard.append(&line).map_err(|error| unreachable(&error))?;
        drop(guard);
        let end = appended.end;
        let synced = self.log.commit(appended, LOCK_TIMEOUT, HOLDER);
        synced.map_err(|error| SharedError::Unknown(error.to_string()))?;
        self.known = Position {
            at: end,
            batch: batch.id.clone(),
        };
        Ok(Append::Done(head_at(self.known.clone())))
    }

    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError> {
        paused(limit, TICK, || {
            let head = self.tail(after, 0)?.head;
            Ok((head.position != *after).then_some(head))
        })?
        .map_or_else(|| Ok(head_at(after.clone())), Ok)
    }
}
