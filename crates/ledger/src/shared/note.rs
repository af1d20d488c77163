//! A replica's note, which records how far the local and the shared log agree.

use serde::{Deserialize, Serialize};
use windlass_store::{
    Durability, DurableLog, FileMark, RootedPath, StoreError, read_file, write_atomic,
};

use super::Position;
use crate::journal::checkpoint::edge;
use crate::{LedgerError, Places, Stamp};

/// Maximum size of the note, in bytes.
const MAX_BYTES: u64 = 64 << 10;
/// Number of bytes of the local log that may be waiting for a sync. Losing them is harmless,
/// because the shared log has them.
const SYNC_INTERVAL: u64 = 64 << 10;

/// Time for which readers don't try again after a first failure, in microseconds. It doubles with
/// each further one.
const FIRST_PAUSE: i64 = 1_000_000;
/// Maximum number of doublings, for a pause of at most eight seconds.
const MAX_DOUBLINGS: u32 = 3;

/// The point up to which both logs have the same events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Agreed {
    /// Position in the shared log.
    pub(crate) position: Position,
    /// Length of the local log, in bytes.
    pub(crate) end: u64,
    /// Hash of the local log's bytes right before `end`.
    edge: String,
}

/// A replica's note. If it's missing, unreadable or outdated, the next exchange takes longer but
/// loses nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReplicaNote {
    /// The shared log's location and name.
    log_name: String,
    local: Option<FileMark>,
    pub(crate) agreed: Agreed,
    /// Earlier point up to which the local log was durable. After the machine restarts, it replaces
    /// `agreed`.
    durable: Agreed,
    /// Id of the system start during which the note was written.
    boot: String,
    /// Time of the last pull.
    pub(crate) pulled_at: Option<Stamp>,
    /// Offset of the server's clock from this machine's in microseconds, positive if the server is
    /// ahead.
    pub(crate) clock_ahead: i64,
    /// True if the last write lost a race or found that others had written. The next one may meet
    /// them too.
    pub(crate) is_contended: bool,
    /// The last failure to reach the shared log; absent if it has been reached since.
    pub(crate) failed: Option<Failure>,
}

/// A failure to reach the shared log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) at: Stamp,
    pub(crate) why: String,
    /// Number of failures in a row.
    pub(crate) count: u32,
}

impl Failure {
    /// True if readers should not try again yet at `now`. Otherwise each command would wait for the
    /// timeout.
    pub(crate) fn is_recent(&self, now: Stamp) -> bool {
        let doublings = self.count.saturating_sub(1).min(MAX_DOUBLINGS);
        now.since(self.at).abs() < FIRST_PAUSE << doublings
    }
}

impl ReplicaNote {
    /// Reads the note about the shared log `log_name`.
    pub(crate) fn read(places: &Places, log_name: &str) -> Self {
        let bytes = read_file(&path(places), MAX_BYTES).ok().flatten();
        let read = bytes.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let read = read.filter(|note| note.log_name == log_name);
        read.unwrap_or_else(|| Self {
            log_name: log_name.to_owned(),
            ..Self::default()
        })
    }

    /// Moves `agreed` back to a point that's still in the local log.
    ///
    /// # Errors
    /// Returns an error if the local log can't be read.
    pub(crate) fn check(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        let mark = log.mark()?;
        let is_same = self.local.is_some_and(|local| local.is_same_file(&mark));
        let is_sound = |agreed: &Agreed| -> Result<bool, StoreError> {
            Ok(is_same && agreed.end <= mark.bytes && edge(log, agreed.end)? == agreed.edge)
        };
        if self.boot != boot_id() || !is_sound(&self.agreed)? {
            self.agreed = match is_sound(&self.durable)? {
                true => self.durable.clone(),
                false => Agreed::default(),
            };
        }
        Ok(())
    }

    /// Records that both logs agree at `position` and at the local length `end`. Returns true if
    /// the local log should be made durable.
    ///
    /// # Errors
    /// Returns an error if the local log can't be read.
    pub(crate) fn agree(
        &mut self,
        log: &DurableLog,
        position: Position,
        end: u64,
    ) -> Result<bool, LedgerError> {
        // In the meantime, a sync may have made the previous point durable.
        if self.agreed.end <= log.synced_bytes() {
            self.durable = self.agreed.clone();
        }
        self.agreed = Agreed {
            position,
            end,
            edge: edge(log, end)?,
        };
        self.local = Some(log.mark()?);
        self.boot = boot_id();
        // If we can't tell system starts apart, a power cut would go unnoticed, so every point must
        // be durable.
        let room = if self.boot.is_empty() {
            0
        } else {
            SYNC_INTERVAL
        };
        Ok(end.saturating_sub(log.synced_bytes()) > room)
    }

    /// Writes the note.
    ///
    /// # Errors
    /// Returns an error if the file can't be written.
    pub(crate) fn write(&self, places: &Places) -> Result<(), LedgerError> {
        let bytes = serde_json::to_vec(self)?;
        Ok(write_atomic(&path(places), &bytes, Durability::Relaxed)?)
    }
}

pub(super) fn path(places: &Places) -> RootedPath {
    places.home().join("replica.json")
}

/// Returns the current system start's id, or an empty string if there is none.
fn boot_id() -> String {
    let place = RootedPath::new("/proc/sys/kernel/random").join("boot_id");
    let bytes = read_file(&place, 256).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}
