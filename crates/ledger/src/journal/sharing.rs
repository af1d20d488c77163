//! Connects a journal to the log it shares with other machines.
//!
//! The journal's own log then serves as a replica. Readers call [`refresh`] or [`pull`], which
//! update the replica if possible. If the shared log cannot be reached, they carry on with the
//! events that are there. [`exchange`] is stricter, and fails unless both logs have the same events
//! afterwards.

use std::sync::Arc;
use std::time::Duration;

use windlass_store::{DurableLog, LockRequest};

use super::Journal;
use crate::shared::{Exchanged, LocalLog, OpenShared, Opening, Replica, SharedConfig};
use crate::{LedgerError, Stamp, side_files};

/// Time for which a reader waits for the lock. It is short, because the process holding the lock is
/// probably fetching the same events.
const READER_WAIT: Duration = Duration::from_millis(500);

/// Connects `journal` to its shared log, if it has one. Does not contact the log.
///
/// # Errors
/// Returns an error if the configuration cannot be read.
pub(crate) fn connect(
    journal: &mut Journal,
    backends: Option<Arc<dyn OpenShared>>,
    is_offline: bool,
) -> Result<(), LedgerError> {
    journal.replica = Replica::of(&journal.places, backends, is_offline)?;
    Ok(())
}

pub(crate) fn connect_to(
    journal: &mut Journal,
    config: SharedConfig,
    backends: Option<Arc<dyn OpenShared>>,
) {
    journal.replica = Some(Replica::new(&journal.places, config, backends, false));
}

pub(crate) fn replica(journal: &mut Journal) -> Option<&mut Replica> {
    journal.replica.as_mut()
}

/// Returns the offset of the server's clock from this machine's in microseconds, positive if the
/// server is ahead.
pub(crate) fn clock_ahead(journal: &Journal) -> i64 {
    journal
        .replica
        .as_ref()
        .map_or(0, |replica| replica.note().clock_ahead)
}

/// True if the last pull is more than `max_age` microseconds ago.
pub(crate) fn is_due(journal: &Journal, now: Stamp, max_age: i64) -> bool {
    let replica = journal.replica.as_ref();
    replica.is_some_and(|replica| replica.is_due(now, max_age))
}

/// Pulls events from other machines if the last pull is older than `max_age` microseconds. An
/// unreachable shared log only causes a warning with the local replica's age.
///
/// # Errors
/// Returns an error if the local log cannot be read.
pub(crate) fn refresh(
    journal: &mut Journal,
    now: Stamp,
    max_age: i64,
    request: &LockRequest,
) -> Result<(), LedgerError> {
    if is_due(journal, now, max_age) {
        pull(journal, now, request)?;
    }
    if let Some(replica) = &mut journal.replica {
        replica.warn_if_outdated(now);
    }
    Ok(())
}

/// Pulls events from other machines. A failure to reach the shared log is recorded for later
/// readers.
///
/// # Errors
/// Returns an error if the local log cannot be read.
pub(crate) fn pull(
    journal: &mut Journal,
    now: Stamp,
    request: &LockRequest,
) -> Result<(), LedgerError> {
    match exchange(journal, Opening::Read, now, &request.within(READER_WAIT)) {
        // The process holding the lock pulls the same events, so failing to get the lock is no
        // error.
        Ok(_) | Err(LedgerError::Lock(_)) => Ok(()),
        Err(error) => {
            // We can still answer from the replica, so just record the failure and load what's
            // there.
            if let Some(replica) = &mut journal.replica {
                replica.note_failure(now, &error);
            }
            journal.reload()
        }
    }
}

/// Appends events found only in working tree copies to the log, which is created if needed.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub(crate) fn take_in_copies(
    journal: &mut Journal,
    request: &LockRequest,
) -> Result<(), LedgerError> {
    journal.places.check_links()?;
    side_files::prepare_folder(&journal.places)?;
    let log = journal.take_log()?;
    let done = journal.take_in(&log, request);
    journal.log = Some(log);
    done
}

/// Exchanges events until the local and the shared log have the same ones.
///
/// # Errors
/// Returns an error if the shared log cannot be reached, or a log cannot be written.
pub(crate) fn exchange(
    journal: &mut Journal,
    opening: Opening,
    now: Stamp,
    request: &LockRequest,
) -> Result<Exchanged, LedgerError> {
    // The exchange needs the replica and the log along with the rest of the journal. Take both out,
    // and put them back even if the exchange fails.
    let Some(mut replica) = journal.replica.take() else {
        return Ok(Exchanged::default());
    };
    let done = journal.take_log().and_then(|log| {
        let done = locked_exchange(journal, &mut replica, &log, opening, now, request);
        journal.log = Some(log);
        done
    });
    journal.replica = Some(replica);
    let done = done?;
    if done.pulled > 0 || !journal.copies.beside().is_empty() {
        journal.reload()?;
        // The exchange has succeeded by now. If we can't write a checkpoint or another file that's
        // derived from the log, that's only worth a warning.
        let kept = journal.keep(false);
        if let Err(error) = kept.and_then(|()| journal.refresh_files(now, false)) {
            journal.warn(format!("cannot write the files beside the log: {error}"));
        }
    }
    Ok(done)
}

fn locked_exchange(
    journal: &mut Journal,
    replica: &mut Replica,
    log: &DurableLog,
    opening: Opening,
    now: Stamp,
    request: &LockRequest,
) -> Result<Exchanged, LedgerError> {
    let mut guard = log.writer(request)?;
    // The state may include events found only in copies. They would count as present in the log, so
    // load the state again without them.
    match journal.copies.beside().is_empty() {
        true => journal.applied.follow(log)?,
        false => journal.applied.load(Some(log))?,
    }
    let hooks = journal.state().hooks().clone();
    let mut local = LocalLog {
        places: &journal.places,
        log,
        guard: &mut guard,
        applied: &mut journal.applied,
    };
    let done = replica.exchange(&mut local, opening, now)?;
    if done.pulled > 0 {
        journal.feed(log, &guard);
        side_files::write_hooks(&journal.places, &hooks, journal.state().hooks());
    }
    Ok(done)
}
