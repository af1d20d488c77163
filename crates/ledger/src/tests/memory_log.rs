//! A shared log in memory, which can simulate faults. All machines of a test are in one process, so
//! the order of events is always the same.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::*;

#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryLog(Arc<Mutex<Stored>>);

#[derive(Debug, Default)]
struct Stored {
    batches: Vec<Batch>,
    blobs: BTreeMap<String, Vec<u8>>,
    faults: VecDeque<Fault>,
    is_down: bool,
    calls: usize,
}

pub(crate) enum Fault {
    /// The connection is lost before the append.
    CutBefore,
    /// The connection is lost after the append.
    CutAfter,
    /// The request arrives at the log twice.
    Twice,
    /// Another machine does this first.
    Overtaken(Box<dyn FnOnce() + Send>),
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("fault")
    }
}

impl MemoryLog {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.0.lock().unwrap()
    }

    pub(crate) fn fail_next(&self, fault: Fault) {
        self.stored().faults.push_back(fault);
    }

    pub(crate) fn forget_faults(&self) {
        self.stored().faults.clear();
    }

    pub(crate) fn set_down(&self, is_down: bool) {
        self.stored().is_down = is_down;
    }

    /// Loses the last batches, like a standby that was promoted too early.
    pub(crate) fn lose(&self, count: usize) {
        let mut stored = self.stored();
        let left = stored.batches.len().saturating_sub(count);
        stored.batches.truncate(left);
    }

    pub(crate) fn lines(&self) -> Vec<u8> {
        let stored = self.stored();
        let lines = stored.batches.iter().map(|batch| batch.lines.clone());
        lines.collect::<Vec<_>>().concat()
    }

    pub(crate) fn take_calls(&self) -> usize {
        std::mem::take(&mut self.stored().calls)
    }
}

/// Opens the log for a machine whose clock is behind the server's by `ahead` microseconds.
#[derive(Debug)]
pub(crate) struct MemoryBackend {
    pub(crate) log: MemoryLog,
    pub(crate) ahead: i64,
    /// True if a writer can block others, like in PostgreSQL.
    pub(crate) can_seize: bool,
}

impl OpenShared for MemoryBackend {
    fn at(&self, _: &windlass_site::Site) -> Arc<dyn OpenShared> {
        Arc::new(Self {
            log: self.log.clone(),
            ahead: self.ahead,
            can_seize: self.can_seize,
        })
    }

    fn open(&self, _: &SharedConfig, _: Opening) -> Result<Box<dyn SharedLog>, SharedError> {
        match self.log.stored().is_down {
            true => Err(SharedError::Unreachable("down".to_owned())),
            false => Ok(Box::new(MemoryLink {
                log: self.log.clone(),
                ahead: self.ahead,
                can_seize: self.can_seize,
            })),
        }
    }
}

#[derive(Debug)]
struct MemoryLink {
    log: MemoryLog,
    ahead: i64,
    can_seize: bool,
}

impl Stored {
    fn position(&self, at: usize) -> Position {
        let batch = at.checked_sub(1).map(|last| self.batches[last].id.clone());
        Position {
            at: at as u64,
            batch: batch.unwrap_or_default(),
        }
    }

    fn head(&self, ahead: i64) -> Head {
        Head {
            position: self.position(self.batches.len()),
            clock_ahead: Some(ahead),
        }
    }

    fn tail(&self, after: &Position, limit: usize, ahead: i64) -> Result<Tail, SharedError> {
        let at = usize::try_from(after.at).unwrap();
        if at > self.batches.len() || self.position(at) != *after {
            return Err(SharedError::Diverged(after.clone()));
        }
        let batches = self.batches[at..].iter().take(limit).cloned();
        let batches = batches.enumerate();
        Ok(Tail {
            batches: batches
                .map(|(number, batch)| (self.position(at + number + 1), batch))
                .collect(),
            head: self.head(ahead),
        })
    }
}

impl MemoryLink {
    fn call(&self) -> Result<MutexGuard<'_, Stored>, SharedError> {
        let mut stored = self.log.stored();
        stored.calls += 1;
        match stored.is_down {
            true => Err(SharedError::Unreachable("down".to_owned())),
            false => Ok(stored),
        }
    }

    fn append_now(&self, expected: &Position, batch: &Batch) -> Result<Append, SharedError> {
        let mut stored = self.call()?;
        let tail = stored.tail(expected, 2, self.ahead)?;
        if !tail.batches.is_empty() {
            return Ok(Append::Moved(tail));
        }
        stored.batches.push(batch.clone());
        Ok(Append::Done(stored.head(self.ahead)))
    }
}

impl SharedLog for MemoryLink {
    fn head(&mut self) -> Result<Head, SharedError> {
        Ok(self.call()?.head(self.ahead))
    }

    /// Reads at most two batches, so that we get to see cut tails.
    fn read(&mut self, after: &Position, _: usize) -> Result<Tail, SharedError> {
        self.call()?.tail(after, 2, self.ahead)
    }

    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError> {
        let fault = self.log.stored().faults.pop_front();
        let lost = || SharedError::Unknown("cut".to_owned());
        match fault {
            Some(Fault::CutBefore) => return Err(lost()),
            Some(Fault::CutAfter) => {
                self.append_now(expected, batch)?;
                return Err(lost());
            }
            Some(Fault::Twice) => drop(self.append_now(expected, batch)?),
            Some(Fault::Overtaken(work)) => work(),
            None => {}
        }
        self.append_now(expected, batch)
    }

    /// The machines of a test take turns, so there's nobody to block. A fault simulates a writer
    /// that gets in between.
    fn seize(&mut self, after: &Position, max_bytes: usize) -> Result<Option<Tail>, SharedError> {
        match self.can_seize {
            true => self.read(after, max_bytes).map(Some),
            false => Ok(None),
        }
    }

    fn put_blob(&mut self, id: &str, bytes: &[u8]) -> Result<(), SharedError> {
        let mut stored = self.call()?;
        stored.blobs.insert(id.to_owned(), bytes.to_owned());
        Ok(())
    }

    fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, SharedError> {
        Ok(self.call()?.blobs.get(id).cloned())
    }

    fn wait(&mut self, _: &Position, _: Duration) -> Result<Head, SharedError> {
        self.head()
    }
}
