//! The state that follows from a log, as far as it was applied.

use windlass_store::DurableLog;

use super::checkpoint::Checkpoint;
use crate::state::State;
use crate::{LedgerError, Places, fold};

/// A state, and how much of the log it follows from.
#[derive(Debug)]
pub(crate) struct AppliedLog {
    state: State,
    /// How much of the log was applied.
    end: u64,
    /// Length of the log when it was last read, in bytes: more than `end` if its last line is unfinished.
    read_bytes: u64,
    checkpoint: Checkpoint,
    /// Whether something was found that belongs before what was applied already.
    merged: bool,
}

impl AppliedLog {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            state: State::default(),
            end: 0,
            read_bytes: 0,
            checkpoint: Checkpoint::of(places),
            merged: false,
        }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The state, for who appends to the log what is applied to it.
    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// How much of the log was applied.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Length of the log when it was last read, in bytes.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    /// Whether something was found that belongs before what was applied already.
    pub(crate) fn was_merged(&self) -> bool {
        self.merged
    }

    /// Sets the state to that of `log` alone.
    pub(crate) fn load(&mut self, log: Option<&DurableLog>) -> Result<(), LedgerError> {
        (self.state, self.end) = (State::default(), 0);
        self.checkpoint.forget();
        let Some(log) = log else {
            return Ok(());
        };
        if let Some((state, end)) = self.checkpoint.load(log)? {
            (self.state, self.end) = (state, end);
        }
        self.follow(log)
    }

    /// Applies what was appended to `log`.
    pub(crate) fn follow(&mut self, log: &DurableLog) -> Result<(), LedgerError> {
        // Lines that did not fit on the disk as a whole are taken back, and others may have come in their place.
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
        // Whatever the checkpoint has is of no use for what comes.
        let all = log.whole_lines(0)?;
        self.state = fold::fold(&all, None);
        self.end = all.len() as u64;
        self.checkpoint.forget();
        Ok(())
    }

    /// Notes that what was applied already was appended, up to `end`.
    pub(crate) fn note_appended(&mut self, end: u64) {
        (self.end, self.read_bytes) = (end, end);
    }

    /// Applies lines that `log` does not have: the last of all that are `beside` it.
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

    /// Whether all could be read that was asked for. Where not, what cannot be read is thrown away, so that it is made
    /// again from the log.
    ///
    /// # Errors
    /// When not all could be.
    pub(crate) fn check_sound(&self) -> Result<(), LedgerError> {
        let Some(why) = self.state.damage() else {
            return Ok(());
        };
        let why = why.to_owned();
        self.checkpoint.remove()?;
        let path = self.checkpoint.path().to_owned();
        Err(LedgerError::Damaged { path, why })
    }

    /// Throws the checkpoint away.
    pub(crate) fn remove_checkpoint(&self) -> Result<(), LedgerError> {
        self.checkpoint.remove()
    }

    /// Keeps a checkpoint, at once or where it is time.
    pub(crate) fn keep(&mut self, log: &DurableLog, at_once: bool) -> Result<(), LedgerError> {
        match at_once || self.checkpoint.is_due(self.end) {
            true => self.checkpoint.save(log, &self.state, self.end),
            false => Ok(()),
        }
    }
}

/// All whole lines of `log`, and those beside it.
pub(crate) fn all_lines(log: Option<&DurableLog>, beside: &[u8]) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = match log {
        Some(log) => log.whole_lines(0)?,
        None => Vec::new(),
    };
    bytes.extend(beside);
    Ok(bytes)
}
