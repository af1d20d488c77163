use windlass_store::Appended;

use super::exchange::MAX_EXCHANGE;
use super::{Append, Batch, LocalLog, Opening, Position, Replica, SharedError};
use crate::draft::Writer;
use crate::{Draft, LedgerError, Stamp, State};

/// Number of lost races after which a writer blocks the others, if the backend can do this.
const MAX_RACES: usize = 2;
/// Number of lost races after which a writer gives up.
const GIVE_UP: usize = 100;

/// Result of a decision whose events were written.
pub(crate) struct Decided<T> {
    pub(crate) value: T,
    /// Lines of the local log that must become durable before the decision is acknowledged.
    pub(crate) to_sync: Option<Appended>,
    /// True if the shared log has the events, so that a failure of the local one must not make the caller repeat them.
    pub(crate) is_shared: bool,
    /// Failure to record the events here after the shared log got them.
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
/// Returns an error if `work` fails, or the events cannot be written.
pub(crate) fn decide_here<T>(
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let mut draft = Draft::new(local.applied.state_mut(), writer);
    let value = work(&mut draft);
    let lines = draft.into_lines();
    // After a failed read, neither a decision nor a refusal can be trusted.
    local.applied.check_sound()?;
    let value = value?;
    if lines.is_empty() {
        return Ok(Decided::here(value, None));
    }
    let appended = local.guard.append(&lines)?;
    local.applied.note_appended(appended.end);
    Ok(Decided::here(value, Some(appended)))
}

/// Makes a decision on the replica and appends its events to the shared log, then to the local log. The local log stays
/// locked meanwhile.
///
/// # Errors
/// Returns an error if `work` fails on the newest state, or if the shared log cannot be reached.
pub(crate) fn decide_shared<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let known_ahead = replica.clock_ahead();
    let mut is_newest = catch_up(replica, local, writer)?;
    let mut races = 0;
    loop {
        let writer = writer.shifted(replica.clock_ahead().saturating_sub(known_ahead));
        let snapshot = replica.is_contended.then(|| local.applied.snapshot());
        let mut draft = Draft::new(local.applied.state_mut(), &writer);
        let value = work(&mut draft);
        let lines = draft.into_lines();
        local.applied.check_sound()?;
        let value = match value {
            Ok(value) if !lines.is_empty() => value,
            unwritten if is_newest => {
                if races >= MAX_RACES {
                    replica.release();
                }
                return unwritten.map(|value| Decided::here(value, None));
            }
            _ => {
                local.reset(snapshot)?;
                replica.exchange(local, Opening::Write, writer.now)?;
                is_newest = true;
                continue;
            }
        };
        if let Some(recorded) = append(replica, local, lines, writer.now, snapshot)? {
            replica.is_contended = races > 0;
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
        (is_newest, races, replica.is_contended) = (true, races + 1, true);
        if races >= GIVE_UP {
            return Err(LedgerError::Contended(races));
        }
        if races >= MAX_RACES {
            replica.seize(local, writer.now)?;
        }
    }
}

/// Lines of the local log to sync, if any, or the failure to write them. The shared log has them.
type Recorded = Result<Option<Appended>, LedgerError>;

/// Appends the lines of a draft to the shared log and to the local one. Returns `None` if others were first, and the
/// state is now the newest one without the draft.
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
        // The shared log has lost events. The exchange restores them.
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
/// Returns an error if the local log or the note cannot be written. The next exchange then brings the events back.
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
    (replica.note.pulled_at, replica.note.failed) = (Some(now), None);
    let is_sync_due = replica.agree(local, position)?;
    // The shared log is durable, and gives back what the local one loses.
    Ok(Some(appended).filter(|_| is_sync_due))
}

/// Exchanges events first if the local log has some of its own, or the connection is new. Returns true if it did, so
/// that the state is the newest.
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

impl Replica {
    /// Blocks other writers until the next append, if the backend can, and applies what they have written.
    fn seize(&mut self, local: &mut LocalLog<'_, '_>, now: Stamp) -> Result<(), LedgerError> {
        let position = self.note.agreed.position.clone();
        let tail = self.ask(Opening::Write, |link| link.seize(&position, MAX_EXCHANGE));
        let tail = tail.map_err(|error| self.error(error))?;
        self.take(local, &tail, now)
    }

    /// Lets other writers continue. If the connection is lost, they can continue anyway, so errors are ignored.
    fn release(&mut self) {
        let _ = self.ask(Opening::Write, |link| link.release());
    }
}
