use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_site::Site;

use super::SharedConfig;

/// Position in a shared log, either after a batch or before the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Number of the batch in the backend. Numbers only grow, and 0 is the position before the first batch.
    pub at: u64,
    /// Id of the batch, or empty before the first one. If the log lost events and continued without them, the id no
    /// longer matches.
    pub batch: String,
}

/// The end of a shared log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Position after the last batch.
    pub position: Position,
    /// How far the server's clock is ahead of this machine's, in microseconds. `None` if the backend has no clock.
    pub clock_ahead: Option<i64>,
}

/// Lines that are appended together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Batch id. It shows whether an interrupted append succeeded.
    pub id: String,
    /// Events, one JSON line each.
    pub lines: Vec<u8>,
}

impl Batch {
    /// Creates a batch. Its id is a digest of `lines`, which are unique because they contain event ids.
    #[must_use]
    pub fn of(lines: Vec<u8>) -> Self {
        let mut id = Digest::of_bytes(&lines).hex();
        id.truncate(32);
        Self { id, lines }
    }
}

/// The batches after a position in a shared log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// Batches in order, each with the position after it.
    pub batches: Vec<(Position, Batch)>,
    /// End of the log. It is later than the last batch if the tail was cut.
    pub head: Head,
}

impl Tail {
    /// Returns the position after the last batch. `start` is the position at which the tail begins.
    #[must_use]
    pub fn end<'a>(&'a self, start: &'a Position) -> &'a Position {
        self.batches.last().map_or(start, |(position, _)| position)
    }
}

/// Result of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Append {
    /// The batch was appended and is durable. The log now ends at this head.
    Done(Head),
    /// The log has batches after the expected position. Nothing was appended.
    Moved(Tail),
}

/// Error that a shared log can return.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// The log cannot be reached. An append has not taken place.
    #[error("{0}")]
    Unreachable(String),
    /// The connection was lost before an answer arrived. An append may have taken place.
    #[error("{0}")]
    Unknown(String),
    /// The log no longer has the batch at the expected position.
    #[error("the shared log no longer has the batch at position {}", .0.at)]
    Diverged(Position),
    /// The log refuses the operation, for example because of a wrong password, a missing permission or a newer format.
    #[error("{0}")]
    Refused(String),
}

/// A log of events that many machines share. The backend orders and stores batches without knowing their contents.
///
/// Every call may block for a bounded time.
pub trait SharedLog: fmt::Debug + Send {
    /// Limits the duration of the following calls to what the caller of `opening` waits for. A connection serves readers
    /// and writers in turn.
    fn limit_for(&mut self, _opening: Opening) {}

    /// Returns the end of the log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn head(&mut self) -> Result<Head, SharedError>;

    /// Returns batches after the position `after`. Their size is about `max_bytes`, and at least one batch is returned
    /// if there is one.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, or if it lacks the batch at `after`.
    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError>;

    /// Appends `batch` if the log ends at `expected`. If the result is [`Append::Done`], the batch is durable. If an
    /// interrupted call already stored the batch, it is the first one of the returned tail.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written, or if it lacks the batch at `expected`.
    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError>;

    /// Blocks other writers until the next append or [`SharedLog::release`], and returns the batches after `after`.
    /// Returns `None` if the backend cannot block writers.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`SharedLog::read`].
    fn seize(&mut self, _after: &Position, _max_bytes: usize) -> Result<Option<Tail>, SharedError> {
        Ok(None)
    }

    /// Lets other writers continue after a [`SharedLog::seize`] that was not followed by an append. Does nothing if this
    /// connection does not block them.
    ///
    /// # Errors
    /// Returns an error if the connection is lost. Other writers can then continue as well.
    fn release(&mut self) -> Result<(), SharedError> {
        Ok(())
    }

    /// Waits until the log has batches after `after`, or until `limit` has passed. Returns the end of the log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError>;

    /// Returns findings about the backend's reliability for `doctor`. The flag is true for a problem.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn inspect(&mut self) -> Result<Vec<(bool, String)>, SharedError> {
        Ok(Vec::new())
    }
}

/// Purpose for which a shared log is opened. It decides what may be created and how long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Creates what is missing, because the user asked for it.
    Create,
    /// Opens an existing log for a change.
    Write,
    /// Opens an existing log for a reader, which should not wait long.
    Read,
    /// Opens an existing log after a lost connection. Retries for several seconds.
    Again,
}

/// Opens shared logs by their location.
pub trait OpenShared: fmt::Debug + Send + Sync {
    /// Returns these backends, configured for the ledger of `site`.
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
