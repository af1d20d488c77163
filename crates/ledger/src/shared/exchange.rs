//! Moves events between the local log and the shared log, until each has all of the other's.
//!
//! Events are identified by their ids, and both logs only grow. So there are no conflicts to
//! resolve here, and it does no harm to start over after an interruption.

use std::collections::BTreeSet;
use std::ops::Range;

use windlass_store::{DurableLog, LogWriter};

use super::note::Agreed;
use super::{Append, Batch, Opening, Position, Replica, SharedError, Tail};
use crate::journal::applied_log::AppliedLog;
use crate::{LedgerError, Places, Stamp, State, fold, output_store};

/// Maximum size of the events to move at once in either direction, in bytes.
pub(super) const MAX_EXCHANGE: usize = 1 << 20;

/// The local log with its state, locked for writing.
pub(crate) struct LocalLog<'a, 'l> {
    pub(crate) places: &'a Places,
    pub(crate) log: &'a DurableLog,
    pub(crate) guard: &'a mut LogWriter<'l>,
    pub(crate) applied: &'a mut AppliedLog,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Exchanged {
    pub(crate) pulled: usize,
    pub(crate) pushed: usize,
}

/// Events of the local log that the shared one may lack, in log order.
struct Unshared {
    bytes: Vec<u8>,
    events: Vec<(String, Range<usize>)>,
}

impl Unshared {
    fn after(log: &DurableLog, end: u64) -> Result<Self, LedgerError> {
        let bytes = log.whole_lines(end)?;
        let events = fold::lines(&bytes, 0).filter_map(|(place, line)| {
            let event = fold::event_of(line)?;
            let start = usize::try_from(place.start).ok()?;
            Some((event.event_id.into_owned(), start..start + line.len()))
        });
        let events = events.collect();
        Ok(Self { bytes, events })
    }

    fn forget(&mut self, shared: &BTreeSet<String>) {
        self.events.retain(|(id, _)| !shared.contains(id));
    }

    fn next(&self) -> Option<(Batch, usize)> {
        let (mut lines, mut count) = (Vec::new(), 0);
        for (_, range) in &self.events {
            let line = self.bytes[range.clone()].trim_ascii_end();
            // A single event may be larger than that, and then gets a batch of its own.
            if count > 0 && lines.len() + line.len() >= MAX_EXCHANGE {
                break;
            }
            lines.extend(line);
            lines.push(b'\n');
            count += 1;
        }
        (count > 0).then(|| (Batch::of(lines), count))
    }
}

/// An error in an exchange, by the log that it occurred on.
enum ExchangeError {
    Shared(SharedError),
    Local(LedgerError),
}

impl From<SharedError> for ExchangeError {
    fn from(error: SharedError) -> Self {
        Self::Shared(error)
    }
}

impl From<LedgerError> for ExchangeError {
    fn from(error: LedgerError) -> Self {
        Self::Local(error)
    }
}

impl LocalLog<'_, '_> {
    /// Drops the events of a draft that we did not write, by going back to `snapshot`. Without a
    /// snapshot, we have to load the state again.
    pub(super) fn reset(&mut self, snapshot: Option<(State, u64)>) -> Result<(), LedgerError> {
        match snapshot {
            Some(snapshot) => {
                self.applied.restore(snapshot);
                Ok(())
            }
            None => self.applied.load(Some(self.log)),
        }
    }

    /// Appends the events of `tail` that the local log lacks. Returns their number, and the ids of
    /// all events in the tail.
    pub(super) fn take(&mut self, tail: &Tail) -> Result<(usize, BTreeSet<String>), LedgerError> {
        let (mut missing, mut count, mut ids) = (Vec::new(), 0, BTreeSet::new());
        for (_, batch) in &tail.batches {
            for (_, line) in fold::lines(&batch.lines, 0) {
                let Some(event) = fold::event_of(line) else {
                    continue;
                };
                let id = event.event_id.into_owned();
                if !self.applied.state().has_seen(&id) && !ids.contains(&id) {
                    missing.extend(line.trim_ascii_end());
                    missing.push(b'\n');
                    count += 1;
                }
                ids.insert(id);
            }
        }
        // If reading the checkpoint failed, events may seem to be missing although the log has
        // them.
        self.applied.check_sound()?;
        if count > 0 {
            let _ = self.guard.append(&missing)?;
            self.applied.follow(self.log)?;
        }
        Ok((count, ids))
    }
}

impl Replica {
    /// Appends to each of the two logs the events that it lacks. `now` becomes the time of the
    /// pull.
    ///
    /// # Errors
    /// Returns an error if the shared log cannot be reached or the local log cannot be written. The
    /// logs may have received some of the events by then.
    pub(crate) fn exchange(
        &mut self,
        local: &mut LocalLog<'_, '_>,
        opening: Opening,
        now: Stamp,
    ) -> Result<Exchanged, LedgerError> {
        self.reread();
        self.note.check(local.log)?;
        let mut done = Exchanged::default();
        let mut unshared = Unshared::after(local.log, self.note.agreed.end)?;
        let mut position = self.note.agreed.position.clone();
        loop {
            match self.exchange_once(local, opening, &mut position, &mut unshared, &mut done) {
                Ok(true) => {}
                Ok(false) => break,
                Err(ExchangeError::Shared(SharedError::Diverged(_)))
                    if position != Position::default() =>
                {
                    // The shared log has lost events, so compare both logs from the start.
                    self.note.agreed = Agreed::default();
                    position = Position::default();
                    unshared = Unshared::after(local.log, 0)?;
                }
                Err(ExchangeError::Shared(error)) => return Err(error.at(&self.config.location)),
                Err(ExchangeError::Local(error)) => return Err(error),
            }
        }
        self.note_pulled(now);
        self.agree(local, position)?;
        Ok(done)
    }

    /// Reads one tail, or appends one batch if there is nothing left to read. Returns true if there
    /// may be more to do.
    fn exchange_once(
        &mut self,
        local: &mut LocalLog<'_, '_>,
        opening: Opening,
        position: &mut Position,
        unshared: &mut Unshared,
        done: &mut Exchanged,
    ) -> Result<bool, ExchangeError> {
        let tail = self.ask(opening, |link| link.read(position, MAX_EXCHANGE))?;
        done.pulled += take_into(local, &tail, unshared)?;
        *position = tail.end(position).clone();
        // The tail was cut, so read on from its end before we append anything.
        if *position != tail.head.position && !tail.batches.is_empty() {
            return Ok(true);
        }
        // Everything in the shared log is here by now. As soon as another machine gets in between,
        // start over with what it has appended.
        while let Some((batch, count)) = unshared.next() {
            match self.append_once(position, &batch)? {
                Append::Done(head) => {
                    *position = head.position;
                    unshared.events.drain(..count);
                    done.pushed += count;
                }
                Append::Moved(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Records that both logs agree at `position` and at the current end of the local log. Returns
    /// true if it is time to sync the local log to disk.
    pub(super) fn agree(
        &mut self,
        local: &LocalLog<'_, '_>,
        position: Position,
    ) -> Result<bool, LedgerError> {
        let is_sync_due = self.note.agree(local.log, position, local.applied.end())?;
        self.write_note()?;
        Ok(is_sync_due)
    }

    /// Appends the events of `tail` that the local log lacks. If the tail was cut, this reads on
    /// until its end.
    ///
    /// We do not write the note yet, since we may be blocking other writers.
    pub(super) fn take(
        &mut self,
        local: &mut LocalLog<'_, '_>,
        tail: &Tail,
        now: Stamp,
    ) -> Result<(), LedgerError> {
        local.take(tail)?;
        let position = tail.end(&self.note.agreed.position).clone();
        let is_whole = position == tail.head.position;
        self.note_pulled(now);
        self.note.agree(local.log, position, local.applied.end())?;
        self.is_note_due = true;
        match is_whole {
            true => Ok(()),
            false => self.exchange(local, Opening::Write, now).map(drop),
        }
    }

    /// Stores the outputs of `batch` and appends the batch at `position`. If the connection breaks,
    /// we find out from the batch's id whether the append succeeded.
    ///
    /// # Errors
    /// Returns an error if the log cannot be reached, or if we could not find that out.
    pub(super) fn append_once(
        &mut self,
        position: &Position,
        batch: &Batch,
    ) -> Result<Append, SharedError> {
        let mut opening = Opening::Write;
        for _ in 0..MAX_TRIES {
            // If the connection was lost, the outputs may be as well, so send them each time.
            let places = self.places.clone();
            let done = self.ask(opening, |link| {
                output_store::send(&places, &batch.lines, link)?;
                link.append(position, batch)
            });
            match done {
                Ok(Append::Moved(tail)) if begins_with(&tail, batch) => {
                    return Ok(own_append(tail));
                }
                Ok(done) => return Ok(done),
                // Repeating the append can't store the batch twice, and the answer tells us about
                // the first attempt.
                Err(SharedError::Unknown(_)) => opening = Opening::Again,
                Err(SharedError::Unreachable(why)) if opening == Opening::Again => {
                    return Err(SharedError::Unknown(why));
                }
                Err(error) => return Err(error),
            }
        }
        Err(SharedError::Unknown(
            "the connection was lost again and again".to_owned(),
        ))
    }
}

/// Maximum number of attempts at one append, if each of them ends with a lost connection.
const MAX_TRIES: usize = 5;

fn begins_with(tail: &Tail, batch: &Batch) -> bool {
    let first = tail.batches.first();
    first.is_some_and(|(_, first)| first.id == batch.id)
}

/// Returns the result of an append that had succeeded by the time we lost the connection. Other
/// machines may have appended batches since, which the next exchange will get.
fn own_append(tail: Tail) -> Append {
    let position = tail
        .batches
        .into_iter()
        .next()
        .map(|(position, _)| position);
    Append::Done(super::Head {
        position: position.unwrap_or_default(),
        clock_ahead: tail.head.clock_ahead,
    })
}

/// Appends the events of `tail` that the local log lacks, and drops all events of the tail from
/// `unshared`.
fn take_into(
    local: &mut LocalLog<'_, '_>,
    tail: &Tail,
    unshared: &mut Unshared,
) -> Result<usize, LedgerError> {
    let (count, ids) = local.take(tail)?;
    unshared.forget(&ids);
    Ok(count)
}
