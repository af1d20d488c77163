use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;
use windlass_site::Site;

use super::SharedConfig;

/// A position in a shared log, either after a batch or before the first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Number of the batch in the backend. Numbers only grow, and 0 is the position before the
    /// first batch.
    pub at: u64,
    /// The batch's id; empty before the first one. If the log has lost events and continued without
    /// them, the id no longer matches.
    pub batch: String,
}

/// The end of a shared log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The position after the last batch.
    pub position: Position,
    /// Offset of the server's clock from this machine's in microseconds, positive if the server is
    /// ahead. `None` if the backend has no clock.
    pub clock_ahead: Option<i64>,
}

/// Lines appended together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The batch's id, which shows whether an interrupted append succeeded.
    pub id: String,
    /// Events as JSON Lines.
    pub lines: Vec<u8>,
}

impl Batch {
    /// Returns a batch of `lines`. Its id is their digest, which is unique because the lines
    /// contain event ids.
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
    /// The batches in order, each with the position after it.
    pub batches: Vec<(Position, Batch)>,
    /// The end of the log. It's later than the last batch if the tail was cut.
    pub head: Head,
}

impl Tail {
    /// Returns the position after the last batch. `start` is where the tail begins.
    #[must_use]
    pub fn end<'a>(&'a self, start: &'a Position) -> &'a Position {
        self.batches.last().map_or(start, |(position, _)| position)
    }
}

/// Results of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Append {
    /// The batch was appended and is durable. The log now ends at this head.
    Done(Head),
    /// The log has batches after the expected position, so nothing was appended.
    Moved(Tail),
}

/// Errors returned by shared logs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// The log can't be reached. An append has not taken place.
    #[error("{0}")]
    Unreachable(String),
    /// The connection was lost before an answer arrived. An append may have taken place.
    #[error("{0}")]
    Unknown(String),
    /// The log no longer has the batch at the expected position.
    #[error("the shared log no longer has the batch at position {}", .0.at)]
    Diverged(Position),
    /// The log refuses the operation, for example because of a wrong password, a missing permission
    /// or a newer format.
    #[error("{0}")]
    Refused(String),
}

/// A log of events shared by many machines. The backend orders and stores batches without knowing
/// their contents.
///
/// Every call may block for a bounded time.
pub trait SharedLog: fmt::Debug + Send {
    /// Limits the following calls to the time acceptable for `opening`, since a connection serves
    /// readers and writers in turn.
    fn limit_for(&mut self, _opening: Opening) {}

    /// Returns the end of the log.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    fn head(&mut self) -> Result<Head, SharedError>;

    /// Returns batches after the position `after`. Their size is about `max_bytes`, and at least
    /// one batch is returned if there is one.
    ///
    /// # Errors
    /// Returns an error if the log can't be read, or if the batch at `after` is missing.
    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError>;

    /// Appends `batch` if the log ends at `expected`. With [`Append::Done`], the batch is durable.
    /// If an interrupted call has already stored the batch, it's the first one of the returned
    /// tail.
    ///
    /// # Errors
    /// Returns an error if the log can't be written, or if the batch at `expected` is missing.
    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError>;

    /// Blocks other writers until the next append or [`SharedLog::release`], and returns the
    /// batches after `after`. Returns `None` if the backend can't block writers.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`SharedLog::read`].
    fn seize(&mut self, _after: &Position, _max_bytes: usize) -> Result<Option<Tail>, SharedError> {
        Ok(None)
    }

    /// Lets other writers continue after a [`SharedLog::seize`] without an append. Does nothing if
    /// this connection isn't blocking them.
    ///
    /// # Errors
    /// Returns an error if the connection is lost, which lets other writers continue as well.
    fn release(&mut self) -> Result<(), SharedError> {
        Ok(())
    }

    /// Waits until the log has batches after `after`, or until `limit` has passed. Returns the end
    /// of the log.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError>;

    /// Returns findings about the backend's reliability for `doctor`. The flag is true for a
    /// problem.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    fn inspect(&mut self) -> Result<Vec<(bool, String)>, SharedError> {
        Ok(Vec::new())
    }
}

/// Purposes of opening a shared log. They decide what may be created and how long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Creates whatever is missing, because the user asked for it.
    Create,
    /// Opens an existing log for a change.
    Write,
    /// Opens an existing log for a reader, which shouldn't have to wait long.
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
    /// Returns an error if the location is invalid or the log can't be reached.
    fn open(
        &self,
        config: &SharedConfig,
        opening: Opening,
    ) -> Result<Box<dyn SharedLog>, SharedError>;
}
