//! The interface to the backends that store shared logs.
//!
//! A shared log is a sequence of batches. A writer tells the backend up to which position it has
//! read the log, and its batch is only appended if the log still ends there. Otherwise, the writer
//! gets the batches it was missing and has to decide again. Backends do not need to know anything
//! about events for this, so a table or a file with a lock is enough.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_site::Site;

use super::SharedConfig;
use crate::LedgerError;

/// A position in a shared log: after a batch, or before the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Number of the batch in the backend, which only grows. It is 0 before the first batch.
    pub at: u64,
    /// The batch's id, or an empty string before the first one.
    ///
    /// The number alone is not enough. If a server is restored from a backup, for example, and
    /// others go on from there, another batch gets this number. Only the id shows that.
    pub batch: String,
}

/// The end of a shared log, as of the last call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The position after the last batch.
    pub position: Position,
    /// The server's clock minus ours, in microseconds. `None` if the backend has no clock.
    pub clock_ahead: Option<i64>,
}

/// Lines to append together: all or none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Identifies the batch. If we lose the connection during an append, we look for this id to
    /// find out if the append succeeded.
    pub id: String,
    /// Events as JSON Lines.
    pub lines: Vec<u8>,
}

impl Batch {
    /// Makes a batch whose id is the digest of its lines. No other batch has the same id, because
    /// each line contains the unique id of its event.
    #[must_use]
    pub fn of(lines: Vec<u8>) -> Self {
        let mut id = Digest::of_bytes(&lines).hex();
        // 128 bits are plenty to tell batches apart.
        id.truncate(32);
        Self { id, lines }
    }
}

/// The batches after a position in a shared log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// The batches in order, each with the position after it.
    pub batches: Vec<(Position, Batch)>,
    /// The end of the log. If the tail was cut, it is later than the last of these batches.
    pub head: Head,
}

impl Tail {
    /// The position after the last batch, or `start`, where the tail begins, if there is none.
    #[must_use]
    pub fn end<'a>(&'a self, start: &'a Position) -> &'a Position {
        self.batches.last().map_or(start, |(position, _)| position)
    }
}

/// Outcome of an append that reached the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Append {
    /// We appended the batch, and it is durable. The log now ends at this head.
    Done(Head),
    /// Others have appended batches after the expected position, so we appended nothing.
    Moved(Tail),
}

/// Reasons for the failure of a call.
///
/// After a failed append, callers need to know if the batch may be in the log anyway. For all
/// variants but [`SharedError::Unknown`], it is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// We could not reach the log, so it appended nothing.
    #[error("{0}")]
    Unreachable(String),
    /// We lost the connection before an answer arrived, so the log may have appended the batch.
    #[error("{0}")]
    Unknown(String),
    /// The log no longer has the batch at the expected position, i.e. it has lost events.
    #[error("the shared log no longer has the batch at position {}", .0.at)]
    Diverged(Position),
    /// The log refuses the operation, e.g. because of a wrong password, a missing permission or a
    /// newer format.
    #[error("{0}")]
    Refused(String),
}

impl SharedError {
    pub(super) fn at(self, location: &str) -> LedgerError {
        let location = location.to_owned();
        match self {
            Self::Unreachable(why) => LedgerError::Unreachable { location, why },
            Self::Unknown(why) => LedgerError::Unsettled { location, why },
            Self::Refused(why) => LedgerError::SharedRefused { location, why },
            Self::Diverged(_) => LedgerError::SharedRefused {
                location,
                why: self.to_string(),
            },
        }
    }
}

/// A log of events that many machines share. The backend orders and stores batches without knowing
/// what's in them.
///
/// Any call may block, but only for a bounded time.
pub trait SharedLog: fmt::Debug + Send {
    /// Limits the time of the following calls to that of `opening`. One connection serves readers
    /// and writers in turn, and a reader should not have to wait as long as a writer.
    fn limit_for(&mut self, _opening: Opening) {}

    /// Asks for the end of the log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn head(&mut self) -> Result<Head, SharedError>;

    /// Reads the batches after the position `after`, up to about `max_bytes`. The first one is
    /// always included, even if it is larger.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, or if the batch at `after` is missing.
    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError>;

    /// Appends `batch` if the log ends at `expected`. The batch is durable once this returns
    /// [`Append::Done`].
    ///
    /// After a lost connection, the caller may repeat the call. If the first one has stored the
    /// batch already, we return a tail that begins with it.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written, or if the batch at `expected` is missing.
    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError>;

    /// Blocks other writers until the next append or [`SharedLog::release`], and reads the batches
    /// after `after`. Returns `None` if the backend cannot block writers.
    ///
    /// # Errors
    /// Fails in the same cases as [`SharedLog::read`].
    fn seize(&mut self, _after: &Position, _max_bytes: usize) -> Result<Option<Tail>, SharedError> {
        Ok(None)
    }

    /// Lets other writers continue if we do not append anything after a [`SharedLog::seize`]. This
    /// does nothing if our connection is not blocking them.
    ///
    /// # Errors
    /// Returns an error if the connection is lost, which lets other writers continue as well.
    fn release(&mut self) -> Result<(), SharedError> {
        Ok(())
    }

    /// Stores a blob under `id`, its digest in hexadecimal. A blob needs no sync of its own,
    /// because it becomes durable along with the next append.
    ///
    /// # Errors
    /// Returns an error if the blob cannot be stored.
    fn put_blob(&mut self, id: &str, bytes: &[u8]) -> Result<(), SharedError>;

    /// Reads the blob `id`, or returns `None` if there is none. The caller has to check the digest.
    ///
    /// # Errors
    /// Returns an error if the backend cannot be read.
    fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, SharedError>;

    /// Waits until the log has batches after `after`, but no longer than `limit`. Returns the end
    /// of the log in either case.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError>;

    /// Tells `doctor` how reliable the backend is, one finding per entry. The flag is true for a
    /// problem.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn inspect(&mut self) -> Result<Vec<(bool, String)>, SharedError> {
        Ok(Vec::new())
    }
}

/// Purposes of opening a shared log. They decide if we may create anything, and how long we wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Create whatever is missing, since the user asked for it.
    Create,
    /// Open an existing log for a change.
    Write,
    /// Open an existing log for a reader, which should not have to wait long.
    Read,
    /// Open an existing log after a lost connection. This retries for several seconds.
    Again,
}

/// Opens shared logs by their location.
pub trait OpenShared: fmt::Debug + Send + Sync {
    /// These backends, configured for the ledger of `site`.
    fn at(&self, site: &Site) -> Arc<dyn OpenShared>;

    /// Connects to the log that `config` describes.
    ///
    /// # Errors
    /// Returns an error if the location is invalid or the log cannot be reached.
    fn open(
        &self,
        config: &SharedConfig,
        opening: Opening,
    ) -> Result<Box<dyn SharedLog>, SharedError>;
}
