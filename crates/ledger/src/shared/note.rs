//! A replica's note of how far the local and the shared log agree.
//!
//! With this note, an exchange only has to move the events after the agreed point. If the note is
//! missing or wrong, we compare both logs from an earlier point, which takes longer but loses
//! nothing. That is why we do not need to sync the note to disk.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use windlass_store::{
    DurableLog, FileMark, RootedPath, StoreError, read_file, read_in_place, write_in_place,
};

use super::Position;
use crate::journal::checkpoint::edge;
use crate::{LedgerError, Places, Stamp};

/// Maximum size of the note to read, in bytes. A larger file counts as a missing note.
const MAX_BYTES: u64 = 64 << 10;
/// Number of bytes of the local log that may await a sync. If they are lost, the shared log still
/// has them.
const SYNC_INTERVAL: u64 = 64 << 10;

/// Time that readers wait after the first failure before they try again, in microseconds. It
/// doubles with each further failure.
const FIRST_PAUSE: i64 = 1_000_000;
/// Maximum number of doublings. They make for a wait of up to eight seconds.
const MAX_DOUBLINGS: u32 = 3;

/// The point up to which both logs have the same events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Agreed {
    pub(crate) position: Position,
    pub(crate) end: u64,
    /// Hash of the local log's bytes right before `end`, to notice if the log was replaced.
    edge: String,
}

/// A replica's note. If it is missing or outdated, the next exchange takes longer but loses
/// nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReplicaNote {
    /// Location and name of the shared log. A note about another log is useless.
    log_name: String,
    local: Option<FileMark>,
    pub(crate) agreed: Agreed,
    /// An earlier agreed point, up to which the local log was on disk. If the machine has restarted
    /// since, it replaces `agreed`.
    durable: Agreed,
    /// Tells whether the machine has restarted since we wrote the note (see [`BOOT_ID`]).
    boot: String,
    pub(crate) pulled_at: Option<Stamp>,
    /// The server's clock minus ours, in microseconds.
    pub(crate) clock_ahead: i64,
    /// Number of writes that still have to block other writers first. A lost race, or newer events
    /// found while blocking, start the count.
    pub(crate) guarded_writes: u32,
    /// The last failure to reach the shared log, unless we have reached it since.
    pub(crate) failed: Option<Failure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) at: Stamp,
    pub(crate) why: String,
    pub(crate) count: u32,
}

impl Failure {
    /// True if it is too early at `now` for readers to try again. Without this, every command would
    /// wait for the timeout.
    pub(crate) fn is_recent(&self, now: Stamp) -> bool {
        let doublings = self.count.saturating_sub(1).min(MAX_DOUBLINGS);
        now.since(self.at).abs() < FIRST_PAUSE << doublings
    }
}

impl ReplicaNote {
    /// Reads the note about the shared log `log_name`. If there is none, starts an empty one.
    pub(crate) fn read(places: &Places, log_name: &str) -> Self {
        let bytes = read_in_place(&path(places), MAX_BYTES);
        let read = bytes.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let read = read.filter(|note| note.log_name == log_name);
        read.unwrap_or_else(|| Self {
            log_name: log_name.to_owned(),
            ..Self::default()
        })
    }

    /// Moves `agreed` back to a point that the local log still has.
    ///
    /// # Errors
    /// Returns an error if the local log cannot be read.
    pub(crate) fn check(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        let mark = log.mark()?;
        let is_same = self.local.is_some_and(|local| local.is_same_file(&mark));
        let is_sound = |agreed: &Agreed| -> Result<bool, StoreError> {
            Ok(is_same && agreed.end <= mark.bytes && edge(log, agreed.end)? == agreed.edge)
        };
        if self.boot != *BOOT_ID || !is_sound(&self.agreed)? {
            self.agreed = match is_sound(&self.durable)? {
                true => self.durable.clone(),
                false => Agreed::default(),
            };
        }
        Ok(())
    }

    /// Records that both logs agree at `position` and at the local length `end`. Returns true if
    /// it is time to sync the local log to disk.
    ///
    /// # Errors
    /// Returns an error if the local log cannot be read.
    pub(crate) fn agree(
        &mut self,
        log: &DurableLog,
        position: Position,
        end: u64,
    ) -> Result<bool, LedgerError> {
        // A sync may have reached the previous point in the meantime.
        if self.agreed.end <= log.synced_bytes() {
            self.durable = self.agreed.clone();
        }
        self.agreed = Agreed {
            position,
            end,
            edge: edge(log, end)?,
        };
        self.local = Some(log.mark()?);
        self.boot.clone_from(&BOOT_ID);
        // If we can't tell whether the machine has restarted, we wouldn't notice a power cut, so
        // sync every point.
        let room = if self.boot.is_empty() {
            0
        } else {
            SYNC_INTERVAL
        };
        Ok(end.saturating_sub(log.synced_bytes()) > room)
    }

    /// Overwrites the file. A crash may bring back the previous note or none, which does no harm.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(crate) fn write(&self, places: &Places) -> Result<(), LedgerError> {
        let bytes = serde_json::to_vec(self)?;
        Ok(write_in_place(&path(places), &bytes)?)
    }
}

pub(super) fn path(places: &Places) -> RootedPath {
    places.home().join("replica")
}

/// Id that Linux gives to each start of the machine. It is empty if there is none.
static BOOT_ID: LazyLock<String> = LazyLock::new(|| {
    let place = RootedPath::new("/proc/sys/kernel/random").join("boot_id");
    let bytes = read_file(&place, 256).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim().to_owned()
});
