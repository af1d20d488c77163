use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_site::Site;

use super::SharedConfig;

/// Position in a shared log: after a batch, or before the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Place of the batch in the backend; it only grows. 0 before the first batch.
    pub at: u64,
    /// Id of the batch; empty before the first one. It detects a log that lost events and went on without them.
    pub batch: String,
}

/// End of a shared log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Position after the last batch.
    pub position: Position,
    /// Microseconds that the server's clock is ahead of this machine's; `None` if the backend has no clock.
    pub clock_ahead: Option<i64>,
}

/// Lines that are appended together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Id, which settles whether an interrupted append took place.
    pub id: String,
    /// Events, one JSON line each.
    pub lines: Vec<u8>,
}

impl Batch {
    /// Creates a batch. Its id follows from `lines`, which contain the ids of their events.
    #[must_use]
    pub fn of(lines: Vec<u8>) -> Self {
        let mut id = Digest::of_bytes(&lines).hex();
        id.truncate(32);
        Self { id, lines }
    }
}

/// Batches after a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// Batches in order, each with the position after it.
    pub batches: Vec<(Position, Batch)>,
    /// End of the log; later than the last batch if the tail was cut.
    pub head: Head,
}

impl Tail {
    /// Returns the position after the last batch of the tail, which began after `start`.
    #[must_use]
    pub fn end<'a>(&'a self, start: &'a Position) -> &'a Position {
        self.batches.last().map_or(start, |(position, _)| position)
    }
}

/// Result of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Append {
    /// The batch is in the log, durable, and ends at this head.
    Done(Head),
    /// The log has batches after the expected position, and nothing was appended.
    Moved(Tail),
}

/// Error of a shared log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// The log cannot be reached; an append has certainly not taken place.
    #[error("{0}")]
    Unreachable(String),
    /// The connection was lost before an answer; an append may have taken place.
    #[error("{0}")]
    Unknown(String),
    /// The log no longer has the batch at the expected position.
    #[error("the shared log no longer has the batch at position {}", .0.at)]
    Diverged(Position),
    /// The log refuses the operation: a wrong password, a missing permission, a newer format.
    #[error("{0}")]
    Refused(String),
}

/// Log of events that many machines share. The backend orders and stores batches and knows nothing of their contents.
///
/// Every call may block, for a bounded time.
pub trait SharedLog: fmt::Debug + Send {
    /// Limits the duration of the following calls to what the caller of `opening` waits for. A connection serves readers
    /// and writers in turn.
    fn limit_for(&mut self, _opening: Opening) {}

    /// Returns the end of the log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn head(&mut self) -> Result<Head, SharedError>;

    /// Returns batches after the position `after`, of about `max_bytes` bytes and at least one if there is one.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, or lacks the batch at `after`.
    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError>;

    /// Appends `batch` if the log ends at `expected`. On return with [`Append::Done`], it is durable. A batch that is
    /// already there, from an interrupted call, is the first one of the returned tail.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written, or lacks the batch at `expected`.
    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError>;

    /// Returns the batches after `after`, and keeps other writers away until the next append or
    /// [`SharedLog::release`], if the backend can.
    ///
    /// # Errors
    /// See [`SharedLog::read`].
    fn seize(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        self.read(after, max_bytes)
    }

    /// Lets other writers continue after a [`SharedLog::seize`] without an append.
    ///
    /// # Errors
    /// Returns an error if the connection is lost, which has the same effect.
    fn release(&mut self) -> Result<(), SharedError> {
        Ok(())
    }

    /// Waits until the log has batches after `after`, at most for `limit`. Returns the end of the log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError>;

    /// Returns findings about the reliability of the backend, for `doctor`: each with true for a problem.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn inspect(&mut self) -> Result<Vec<(bool, String)>, SharedError> {
        Ok(Vec::new())
    }
}

/// Way of opening a shared log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Creates what is missing, as a person asked for it.
    Create,
    /// Opens an existing log, for a change.
    Write,
    /// Opens an existing log for a reader, who does not wait long.
    Read,
    /// Opens an existing log after a lost connection, and tries for several seconds.
    Again,
}

/// Opens shared logs by their location.
pub trait OpenShared: fmt::Debug + Send + Sync {
    /// Returns the same backends for the ledger of `site`.
    fn at(&self, site: &Site) -> Arc<dyn OpenShared>;

    /// Opens the log at the location in `config`.
    ///
    /// # Errors
    /// Returns an error if the location is invalid or the log cannot be reached.
    fn open(
        &self,
        config: &SharedConfig,
        opening: Opening,
    ) -> Result<Box<dyn SharedLog>, SharedError>;
}
