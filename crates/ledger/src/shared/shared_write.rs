//! Makes decisions on a ledger that other machines may share.
//!
//! We decide on the local replica, then append the events to the shared log. If another machine has
//! appended something in between, we lose the race, and the answer has the events we were missing.
//! We apply those and decide again. For example, if two machines claim the same bead, the loser's
//! second attempt sees the winner's claim and is refused. That refusal is final, since it is based
//! on the newest state.

use windlass_store::Appended;

use super::exchange::MAX_EXCHANGE;
use super::{Append, Batch, LocalLog, Opening, Position, Replica, SharedError};
use crate::draft::Writer;
use crate::{Draft, LedgerError, Stamp, State, output_store};

/// Number of lost races after which a writer gives up. This should be rare, since a writer that has
/// lost a race blocks the others if the backend can do that.
const GIVE_UP: usize = 100;

/// Number of writes after a lost race that block the other writers first. Another machine that got
/// in the way once is probably going to do so again, and a lost race costs far more than the round
/// trip that prevents it, since we have to load the state again. With 16 writers on two machines
/// (`cargo xtask bench shared`, 2026-11-30), blocking for one write made 280 claims a second, and
/// 355 for 16, in one run each.
const GUARDED_WRITES: u32 = 16;

pub(crate) struct Decided<T> {
    pub(crate) value: T,
    /// Lines of the local log that have to be on disk before we acknowledge the decision.
    pub(crate) to_sync: Option<Appended>,
    /// True if the shared log has the events. The caller must not repeat them then, even if we
    /// could not write them to the local log.
    pub(crate) is_shared: bool,
    /// Reason why we could not record the events here after the shared log got them.
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

/// Makes a decision on the local log alone, for a ledger that is not shared.
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
    let (lines, blobs) = draft.into_parts();
    // If a read failed, we can trust neither a decision nor a refusal.
    local.applied.check_sound()?;
    let value = value?;
    if lines.is_empty() {
        return Ok(Decided::here(value, None));
    }
    output_store::keep_all(local.places, &blobs)?;
    let appended = local.guard.append(&lines)?;
    local.applied.note_appended(appended.end);
    Ok(Decided::here(value, Some(appended)))
}

/// Makes a decision on the replica and appends its events to the shared log, then to the local log.
/// `local` stays locked meanwhile.
///
/// # Errors
/// Returns an error if `work` fails on the newest state, or if the shared log cannot be reached.
pub(crate) fn decide_shared<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let decided = decide_repeatedly(replica, local, writer, work);
    release(replica);
    if replica.is_note_due {
        // An outdated note only makes the next exchange take longer.
        let _ = replica.write_note();
    }
    decided
}

/// Decides again until we have appended the events. If other machines are writing as well, we block
/// them first, provided that the backend can do that.
fn decide_repeatedly<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<Decided<T>, LedgerError> {
    let known_ahead = replica.note().clock_ahead;
    let mut is_newest = catch_up(replica, local, writer)?;
    for races in 0..GIVE_UP {
        // After the first lost race, try once without blocking the others. The race has brought us
        // their events, and if those lead to a refusal, there's nothing to append.
        let seizure = match races {
            1 => None,
            _ => seize_if_contended(replica, local, writer.now)?,
        };
        match races > 0 || seizure == Some(Seizure::Moved) {
            true => replica.note.guarded_writes = GUARDED_WRITES,
            // Even a decision that writes nothing counts. Otherwise, an agent whose requests are
            // refused again and again would block the others each time.
            false if replica.note.guarded_writes > 0 => {
                replica.note.guarded_writes -= 1;
                replica.is_note_due = true;
            }
            false => {}
        }
        is_newest |= seizure.is_some();
        // The writer's time is based on what we knew about the server's clock at first. Connecting
        // may have told us more.
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
        (is_newest, replica.note.guarded_writes) = (true, GUARDED_WRITES);
    }
    Err(LedgerError::Contended(GIVE_UP))
}

/// A decision's value and the lines to append. If a lost race may undo them, also the state before.
type Drafted<T> = (T, Vec<u8>, Option<(State, u64)>);

/// Runs `work` on the replica.
///
/// We only trust a refusal, or a result that writes nothing, if the state is the newest. On an
/// older state, we pull and run `work` again, so that the caller is not turned away because of a
/// claim that has long been released, for example.
fn draft<T>(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    writer: &Writer<'_>,
    work: &mut dyn FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    is_seized: bool,
    mut is_newest: bool,
) -> Result<Drafted<T>, LedgerError> {
    loop {
        // A copy of the state is expensive, so only keep one if we have reason to expect a lost
        // race. Without it, a lost race means loading the state again.
        let may_lose = replica.note.guarded_writes > 0 && !is_seized;
        let snapshot = may_lose.then(|| local.applied.snapshot());
        let mut draft = Draft::new(local.applied.state_mut(), writer);
        let value = work(&mut draft);
        let (lines, blobs) = draft.into_parts();
        local.applied.check_sound()?;
        match value {
            Ok(value) if !lines.is_empty() => {
                output_store::keep_all(local.places, &blobs)?;
                return Ok((value, lines, snapshot));
            }
            unwritten if is_newest => return unwritten.map(|value| (value, Vec::new(), None)),
            _ => {
                local.reset(snapshot)?;
                replica.exchange(local, Opening::Write, writer.now)?;
                is_newest = true;
            }
        }
    }
}

/// Lines of the local log to sync, if any, or why we could not write them. The shared log has them
/// in either case.
type Recorded = Result<Option<Appended>, LedgerError>;

/// Appends a draft's lines to the shared log, then to the local one.
///
/// If others were first, this returns `None`. The state then has their events, but no longer has
/// the draft's.
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
        // The shared log has lost events, for example because it was restored from a backup. An
        // exchange sends them again.
        Err(SharedError::Diverged(_)) => {
            local.reset(snapshot)?;
            replica.exchange(local, Opening::Write, now)?;
            Ok(None)
        }
        Err(error) => Err(error.at(&replica.config.location)),
    }
}

/// Appends a batch to the local log, after the shared one got it at `position`.
///
/// # Errors
/// Returns an error if the local log or the note cannot be written. The next exchange then brings
/// the events back.
fn record(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    batch: &Batch,
    position: Position,
    now: Stamp,
) -> Recorded {
    let appended = local.guard.append(&batch.lines);
    // The state has the events, but the local log doesn't.
    let appended = appended.inspect_err(|_| local.applied.note_ahead())?;
    local.applied.note_appended(appended.end);
    replica.note_pulled(now);
    let is_sync_due = replica.agree(local, position)?;
    // We needn't sync yet, since the shared log is durable and has everything that the local one
    // could lose.
    Ok(Some(appended).filter(|_| is_sync_due))
}

/// Exchanges events first if the local log has unshared ones, or if the connection is new and the
/// shared log has moved on. Returns true if we know that the state is the newest.
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
        let head = head.map_err(|error| error.at(&replica.config.location))?;
        if head.position == replica.note.agreed.position {
            return Ok(true);
        }
    }
    replica.exchange(local, Opening::Write, writer.now)?;
    Ok(true)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seizure {
    /// Others have written since the last exchange.
    Moved,
    /// The replica was up to date.
    Unmoved,
}

/// For some writes after a lost race, blocks other writers until the next append, and applies what
/// they have written. Returns `None` if we are not blocking anybody.
fn seize_if_contended(
    replica: &mut Replica,
    local: &mut LocalLog<'_, '_>,
    now: Stamp,
) -> Result<Option<Seizure>, LedgerError> {
    if replica.note.guarded_writes == 0 {
        return Ok(None);
    }
    let position = replica.note.agreed.position.clone();
    let was_connected = replica.is_connected();
    match replica.ask(Opening::Write, |link| link.seize(&position, MAX_EXCHANGE)) {
        // The backend can't do that.
        Ok(None) => {
            replica.note.guarded_writes = 0;
            Ok(None)
        }
        // The server may have ended the connection long ago. The append opens a new one.
        Err(SharedError::Unreachable(_)) if was_connected => Ok(None),
        Ok(Some(tail)) if tail.batches.is_empty() => Ok(Some(Seizure::Unmoved)),
        Ok(Some(tail)) => {
            replica.take(local, &tail, now)?;
            Ok(Some(Seizure::Moved))
        }
        // The shared log has lost events. An exchange restores them.
        Err(SharedError::Diverged(_)) => {
            release(replica);
            replica.exchange(local, Opening::Write, now)?;
            Ok(None)
        }
        Err(error) => Err(error.at(&replica.config.location)),
    }
}

/// Lets other writers continue. If the connection is lost, they continue anyway, so we ignore the
/// error.
fn release(replica: &mut Replica) {
    if replica.is_connected() {
        let _ = replica.ask(Opening::Write, |link| link.release());
    }
}
