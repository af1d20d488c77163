//! State folded from a log, together with the log position that it covers.

use windlass_store::DurableLog;

use super::checkpoint::Checkpoint;
use crate::state::State;
use crate::{LedgerError, Places, fold};

/// A state and the length of the log that it covers.
#[derive(Debug)]
pub(crate) struct AppliedLog {
    state: State,
    /// Number of bytes of the log that were applied.
    end: u64,
    /// Length of the log at the last read, in bytes. It exceeds `end` if the last line is incomplete.
    read_bytes: u64,
    checkpoint: Checkpoint,
    /// True if an event was found that is older than one already applied.
    merged: bool,
    /// True if the state has events that the log lacks, and the next read has to load it again.
    is_ahead: bool,
}

impl AppliedLog {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            state: State::default(),
            end: 0,
            read_bytes: 0,
            checkpoint: Checkpoint::of(places),
            merged: false,
            is_ahead: false,
        }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the state for an appender, which applies its events before it writes them.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Returns the number of bytes of the log that were applied.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Returns the length of the log at the last read, in bytes.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    /// True if an event was found that is older than one already applied.
    pub(crate) fn was_merged(&self) -> bool {
        self.merged
    }

    /// Loads the state of `log` alone, without events from copies.
    pub(crate) fn load(&mut self, log: Option<&DurableLog>) -> Result<(), LedgerError> {
        (self.state, self.end, self.is_ahead) = (State::default(), 0, false);
        self.checkpoint.forget();
        let Some(log) = log else {
            return Ok(());
        };
        if let Some((state, end)) = self.checkpoint.load(log)? {
            (self.state, self.end) = (state, end);
        }
        self.follow(log)
    }

    /// Applies the lines that were appended to `log`.
    pub(crate) fn follow(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        if self.is_ahead {
            return self.load(Some(log));
        }
        // A writer takes back lines that did not fit on the disk; other lines may now be in their place.
        let before = self.end.saturating_sub(1);
        self.read_bytes = log.bytes()?;
        let bytes = log.whole_lines(before)?;
        let fresh = match self.end {
            0 => Some(&bytes[..]),
            _ => bytes.strip_prefix(b"\n"),
        };
        if let Some(fresh) = fresh {
            let followed = fold::catch_up(&mut self.state, fresh, self.end);
            self.merged |= followed.is_err();
            if followed.is_ok() && self.state.damage().is_none() {
                self.end += fresh.len() as u64;
                return Ok(());
            }
        }
        // The checkpoint was built in the old event order, so the whole log must be read.
        let all = log.whole_lines(0)?;
        self.state = fold::fold(&all, None);
        self.end = all.len() as u64;
        self.checkpoint.forget();
        Ok(())
    }

    /// Returns a copy of the state and its position in the log.
    pub(crate) fn snapshot(&self) -> (State, u64) {
        (self.state.clone(), self.end)
    }

    /// Returns to a snapshot of the same log. The log must not have changed since.
    pub(crate) fn restore(&mut self, snapshot: (State, u64)) {
        (self.state, self.end) = snapshot;
    }

    /// Records that events that were already applied have been appended to the log, up to `end`.
    pub(crate) fn note_appended(&mut self, end: u64) {
        (self.end, self.read_bytes) = (end, end);
    }

    /// Records that events already applied could not be appended to the log. They stay visible until the next read.
    pub(crate) fn note_ahead(&mut self) {
        self.is_ahead = true;
    }

    /// Applies lines that `log` lacks; `lines` is the tail of `beside`, all such lines.
    pub(crate) fn apply_beside(
        &mut self,
        log: Option<&DurableLog>,
        lines: &[u8],
        beside: &[u8],
    ) -> Result<(), LedgerError> {
        let start = self.end + (beside.len() - lines.len()) as u64;
        let followed = fold::catch_up(&mut self.state, lines, start);
        if followed.is_err() || self.state.damage().is_some() {
            self.state = fold::fold(&all_lines(log, beside)?, None);
        }
        Ok(())
    }

    /// Checks that no checkpoint read has failed. After a failure, the checkpoint is deleted, so that the next command
    /// rebuilds it from the log.
    ///
    /// # Errors
    /// Returns [`LedgerError::Damaged`] if a read failed.
    pub(crate) fn check_sound(&self) -> Result<(), LedgerError> {
        let Some(why) = self.state.damage() else {
            return Ok(());
        };
        let why = why.to_owned();
        self.checkpoint.remove()?;
        let path = self.checkpoint.path().to_owned();
        Err(LedgerError::Damaged { path, why })
    }

    pub(crate) fn remove_checkpoint(&self) -> Result<(), LedgerError> {
        self.checkpoint.remove()
    }

    /// Saves a checkpoint if `at_once` is set or one is due.
    pub(crate) fn keep(&mut self, log: &DurableLog, at_once: bool) -> Result<(), LedgerError> {
        match !self.is_ahead && (at_once || self.checkpoint.is_due(self.end)) {
            true => self.checkpoint.save(log, &self.state, self.end),
            false => Ok(()),
        }
    }
}

/// Returns all complete lines of `log`, followed by the lines in `beside`.
pub(crate) fn all_lines(log: Option<&DurableLog>, beside: &[u8]) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = match log {
        Some(log) => log.whole_lines(0)?,
        None => Vec::new(),
    };
    bytes.extend(beside);
    Ok(bytes)
}
