//! Connects a journal to the log it shares with other machines.

use std::sync::Arc;
use std::time::Duration;

use super::Journal;
use crate::shared::{Exchanged, LocalLog, OpenShared, Opening, Replica, SharedConfig};
use crate::{LedgerError, Stamp, side_files};

/// Time for which a reader waits for the lock. The process holding it may be fetching the same
/// events, so there's no use in waiting longer.
const READER_WAIT: Duration = Duration::from_millis(500);

/// Connects `journal` to its shared log, if it has one. Doesn't contact the log.
///
/// # Errors
/// Returns an error if the configuration can't be read.
pub(crate) fn connect(
    journal: &mut Journal,
    backends: Option<Arc<dyn OpenShared>>,
    is_offline: bool,
) -> Result<(), LedgerError> {
    journal.replica = Replica::of(&journal.places, backends, is_offline)?;
    Ok(())
}

/// Connects `journal` to the shared log described by `config`. Doesn't contact the log.
pub(crate) fn connect_to(
    journal: &mut Journal,
    config: SharedConfig,
    backends: Option<Arc<dyn OpenShared>>,
) {
    journal.replica = Some(Replica::new(&journal.places, config, backends, false));
}

/// Returns the connection of `journal`, or `None` if the ledger isn't shared.
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

/// True if the last pull is older than `max_age` microseconds, so that a reader should ask the
/// shared log.
pub(crate) fn is_due(journal: &Journal, now: Stamp, max_age: i64) -> bool {
    let replica = journal.replica.as_ref();
    replica.is_some_and(|replica| replica.is_due(now, max_age))
}

/// Pulls events from other machines if the last pull is older than `max_age` microseconds. If the
/// shared log can't be reached, adds a warning with the local replica's age.
///
/// # Errors
/// Returns an error if the local log can't be read.
pub(crate) fn refresh(
    journal: &mut Journal,
    now: Stamp,
    max_age: i64,
    holder: &str,
) -> Result<(), LedgerError> {
    if is_due(journal, now, max_age) {
        pull(journal, now, holder)?;
    }
    if let Some(replica) = &mut journal.replica {
        replica.warn_if_outdated(now);
    }
    Ok(())
}

/// Pulls events from other machines. If the shared log can't be reached, records that for later
/// readers.
///
/// # Errors
/// Returns an error if the local log can't be read.
pub(crate) fn pull(journal: &mut Journal, now: Stamp, holder: &str) -> Result<(), LedgerError> {
    match exchange(journal, Opening::Read, now, READER_WAIT, holder) {
        // The process holding the lock pulls the same events, so it's no error if we don't get it.
        Ok(_) | Err(LedgerError::Lock(_)) => Ok(()),
        Err(error) => {
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
/// Returns an error if a file can't be read or written.
pub(crate) fn take_in_copies(
    journal: &mut Journal,
    timeout: Duration,
    holder: &str,
) -> Result<(), LedgerError> {
    journal.places.check_links()?;
    side_files::prepare_folder(&journal.places)?;
    let log = journal.take_log()?;
    let done = journal.take_in(&log, timeout, holder);
    journal.log = Some(log);
    done
}

/// Exchanges events until the local and the shared log have the same ones.
///
/// # Errors
/// Returns an error if the shared log can't be reached, or a log can't be written.
pub(crate) fn exchange(
    journal: &mut Journal,
    opening: Opening,
    now: Stamp,
    timeout: Duration,
    holder: &str,
) -> Result<Exchanged, LedgerError> {
    let Some(mut replica) = journal.replica.take() else {
        return Ok(Exchanged::default());
    };
    let done = journal.take_log().and_then(|log| {
        let done = locked_exchange(journal, &mut replica, &log, opening, now, timeout, holder);
        journal.log = Some(log);
        done
    });
    journal.replica = Some(replica);
    let done = done?;
    if done.pulled > 0 || !journal.copies.beside().is_empty() {
        journal.reload()?;
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
    log: &windlass_store::DurableLog,
    opening: Opening,
    now: Stamp,
    timeout: Duration,
    holder: &str,
) -> Result<Exchanged, LedgerError> {
    let mut guard = log.writer(timeout, holder)?;
    // The state includes events found only in copies. They would count as present in the log, so
    // reload it without them.
    match journal.copies.beside().is_empty() {
        true => journal.applied.follow(log)?,
        false => journal.applied.load(Some(log))?,
    }
    let hooks = journal.state().hooks().clone();
    let mut local = LocalLog {
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
