//! Decisions on a ledger, which may be shared with other machines.
//!
//! We make a decision on the local replica and append its events to the shared log. If another
//! machine has appended something in between, we lose the race, and the answer brings the events
//! we're missing. So we apply those and make the decision again. Say two machines claim the same
//! bead. The loser's second attempt sees the winner's claim and is refused, but now on the newest
//! state.

use windlass_store::Appended;

use super::exchange::MAX_EXCHANGE;
use super::{Append, Batch, LocalLog, Opening, Position, Replica, SharedError};
use crate::draft::Writer;
use crate::{Draft, LedgerError, Stamp, State};

/// Number of lost races after which a writer gives up.
const GIVE_UP: usize = 100;

/// A decision whose events have been written.
pub(crate) struct Decided<T> {
    pub(crate) value: T,
    /// Lines of the local log that must become durable before the decision is acknowledged.
    pub(crate) to_sync: Option<Appended>,
    /// True if the shared log has the events. A failure of the local log must then not make the
    /// caller repeat them.
    pub(crate) is_shared: bool,
    /// A failure to record the events here after the shared log got them.
    pub(crate) problem: Option<LedgerError>,
}

impl<T> Decided<T> {
    fn here(value: T, to_sync: Option<Appended>) -> Self {
        Self {
            value,
            to_sync,
            is_shared: false,
            problem: None,
        }
    }
}

/// Makes a decision on the local log alone.
///
/// # Errors
/// Returns an error if `work` fails, or the events can't be written.
pub(crate) fn decide_here<T>(
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let mut draft = Draft::new(local.applied.state_mut(), writer);
    let value = work(&mut draft);
    let lines = draft.into_lines();
    // After a failed read, we can't trust a decision, and no refusal either.
    local.applied.check_sound()?;
    let value = value?;
    if lines.is_empty() {
        return Ok(Decided::here(value, None));
    }
    let appended = local.guard.append(&lines)?;
    local.applied.note_appended(appended.end);
    Ok(Decided::here(value, Some(appended)))
}

/// Makes a decision on the replica and appends its events to the shared log, then to the local log.
/// The local log stays locked meanwhile.
///
/// # Errors
/// Returns an error if `work` fails on the newest state, or if the shared log can't be reached.
pub(crate) fn decide_shared<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let decided = decide_repeatedly(replica, local, writer, work);
    release(replica);
    if replica.is_note_due {
        // An older note only costs the next exchange some time.
        let _ = replica.write_note();
    }
    decided
}

/// Decides until the events have been appended. While others write as well, we block them first, if
/// the backend can.
fn decide_repeatedly<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let known_ahead = replica.note().clock_ahead;
    let mut is_newest = catch_up(replica, local, writer)?;
    for races in 0..GIVE_UP {
        // The first lost race has brought the newest events, and refusing on those takes no lock.
        let seizure = match races {
            1 => None,
            _ => seize_if_contended(replica, local, writer.now)?,
        };
        replica.note.is_contended = races > 0 || seizure == Some(Seizure::Moved);
        is_newest |= seizure.is_some();
        let writer = writer.shifted(replica.note().clock_ahead.saturating_sub(known_ahead));
        let (value, lines, snapshot) =
            draft(replica, local, &writer, work, seizure.is_some(), is_newest)?;
        if lines.is_empty() {
            return Ok(Decided::here(value, None));
        }
        if let Some(recorded) = append(replica, local, lines, writer.now, snapshot)? {
            let (to_sync, problem) = match recorded {
                Ok(to_sync) => (to_sync, None),
                Err(error) => (None, Some(error)),
            };
            return Ok(Decided {
                value,
                to_sync,
                is_shared: true,
                problem,
            });
        }
        (is_newest, replica.note.is_contended) = (true, true);
    }
    Err(LedgerError::Contended(GIVE_UP))
}

/// A decision's value and the lines to append. If a lost race is to return to the state before
/// them, that comes along.
type Drafted<T> = (T, Vec<u8>, Option<(State, u64)>);

/// Runs `work` on the replica. If it writes nothing or refuses, and the state isn't the newest,
/// runs it again on that.
fn draft<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    is_seized: bool,
    mut is_newest: bool,
) -> Result<Drafted<T>, LedgerError> {
    loop {
        let may_lose = replica.note.is_contended && !is_seized;
        let snapshot = may_lose.then(|| local.applied.snapshot());
        let mut draft = Draft::new(local.applied.state_mut(), writer);
        let value = work(&mut draft);
        let lines = draft.into_lines();
        local.applied.check_sound()?;
        match value {
            Ok(value) if !lines.is_empty() => return Ok((value, lines, snapshot)),
            unwritten if is_newest => return unwritten.map(|value| (value, Vec::new(), None)),
            _ => {
                local.reset(snapshot)?;
                replica.exchange(local, Opening::Write, writer.now)?;
                is_newest = true;
            }
        }
    }
}

/// Lines of the local log to sync, if any, or the failure to write them. Either way, the shared log
/// has them.
type Recorded = Result<Option<Appended>, LedgerError>;

/// Appends a draft's lines to the shared log and then to the local one. Returns `None` if others
/// were first. The state is then the newest one, without the draft.
fn append(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    lines: Vec<u8>,
    now: Stamp,
    snapshot: Option<(State, u64)>,
) -> Result<Option<Recorded>, LedgerError> {
    let batch = Batch::of(lines);
    let position = replica.note.agreed.position.clone();
    match replica.append_once(&position, &batch) {
        Ok(Append::Done(head)) => {
            replica.see_clock(&head);
            Ok(Some(record(replica, local, &batch, head.position, now)))
        }
        Ok(Append::Moved(tail)) => {
            local.reset(snapshot)?;
            replica.take(local, &tail, now)?;
            Ok(None)
        }
        // The shared log has lost events, which the exchange restores.
        Err(SharedError::Diverged(_)) => {
            local.reset(snapshot)?;
            replica.exchange(local, Opening::Write, now)?;
            Ok(None)
        }
        Err(error) => Err(replica.error(error)),
    }
}

/// Appends a batch that ends at `position` of the shared log to the local one.
///
/// # Errors
/// Returns an error if the local log or the note can't be written. The next exchange then brings
/// the events back.
fn record(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    batch: &Batch,
    position: Position,
    now: Stamp,
) -> Recorded {
    let appended = local.guard.append(&batch.lines);
    let appended = appended.inspect_err(|_| local.applied.note_ahead())?;
    local.applied.note_appended(appended.end);
    replica.note_pulled(now);
    let is_sync_due = replica.agree(local, position)?;
    // The shared log is durable, and gives back whatever the local one loses.
    Ok(Some(appended).filter(|_| is_sync_due))
}

/// Exchanges events first if the local log has some of its own, or the connection is new. Returns
/// true if it did, which means that the state is the newest.
fn catch_up(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
) -> Result<bool, LedgerError> {
    let is_new = !replica.is_connected();
    replica.reread();
    replica.note.check(local.log)?;
    if replica.note.agreed.end == local.applied.end() {
        if !is_new {
            return Ok(false);
        }
        let head = replica.ask(Opening::Write, |link| link.head());
        let head = head.map_err(|error| replica.error(error))?;
        if head.position == replica.note.agreed.position {
            return Ok(true);
        }
    }
    replica.exchange(local, Opening::Write, writer.now)?;
    Ok(true)
}

/// Results of blocking other writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seizure {
    /// Others have written since the last exchange.
    Moved,
    /// The replica was up to date.
    Unmoved,
}

/// If the last write lost a race, blocks other writers until the next append and applies what
/// they've written. Returns `None` if nobody is blocked.
fn seize_if_contended(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    now: Stamp,
) -> Result<Option<Seizure>, LedgerError> {
    if !replica.note.is_contended {
        return Ok(None);
    }
    let position = replica.note.agreed.position.clone();
    match replica.ask(Opening::Write, |link| link.seize(&position, MAX_EXCHANGE)) {
        Ok(None) => Ok(None),
        Ok(Some(tail)) if tail.batches.is_empty() => Ok(Some(Seizure::Unmoved)),
        Ok(Some(tail)) => {
            replica.take(local, &tail, now)?;
            Ok(Some(Seizure::Moved))
        }
        // The shared log has lost events, which the exchange restores.
        Err(SharedError::Diverged(_)) => {
            release(replica);
            replica.exchange(local, Opening::Write, now)?;
            Ok(None)
        }
        Err(error) => Err(replica.error(error)),
    }
}

/// Lets other writers continue. A lost connection lets them continue anyway, so we ignore errors.
fn release(replica: &mut Replica) {
    if replica.is_connected() {
        let _ = replica.ask(Opening::Write, |link| link.release());
    }
}
