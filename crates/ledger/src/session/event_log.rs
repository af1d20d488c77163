//! The log itself: looked at, counted, checked, made anew.

use std::collections::BTreeMap;

use crate::journal::Mirror;
use crate::{Check, EventFilter, FoundEvent, Rejected, Stamp};
use serde::Serialize;

use super::LedgerSession;
use windlass_site::Error;

/// What a log is made of.
#[derive(Debug, Clone, Serialize)]
pub struct EventStats {
    /// How many events there are.
    pub events: u64,
    /// When the first happened.
    pub first: Option<Stamp>,
    /// When the last happened.
    pub last: Option<Stamp>,
    /// How many there are of each type.
    pub by_type: BTreeMap<String, u64>,
    /// How many there are of each actor.
    pub by_actor: BTreeMap<String, u64>,
    /// How many beads follow from them.
    pub beads: usize,
    /// How many messages.
    pub messages: usize,
    /// Those that were not allowed where they stand.
    pub rejected: Vec<Rejected>,
    /// How many lines are no events.
    pub odd_lines: usize,
}

/// The log itself: looked at, counted, checked, made anew.
#[derive(Debug)]
pub struct EventLog<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl EventLog<'_> {
    /// The events that are asked for, in their order.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn find(&self, filter: &EventFilter) -> Result<Vec<FoundEvent>, Error> {
        Ok(filter.find_in(&self.session.journal)?)
    }

    /// What the log is made of, now or as it was at a moment.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn stats(&self, at: Option<Stamp>) -> Result<EventStats, Error> {
        let state = self.session.state_at(at)?;
        Ok(EventStats {
            events: state.events(),
            first: state.small.first,
            last: state.last().map(crate::event::OrderKey::timestamp),
            by_type: state.small.by_type.clone(),
            by_actor: state.small.by_actor.clone(),
            beads: state.beads.count(),
            messages: state.messages.count(),
            rejected: state.rejected().to_vec(),
            odd_lines: state.odd_lines().len(),
        })
    }

    /// Whether the log and all that follows from it are in order.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn verify(&self) -> Result<Check, Error> {
        Ok(Check::of(&self.session.journal)?)
    }

    /// Throws away what follows from the log, and makes it again.
    ///
    /// # Errors
    /// When something cannot be read or written.
    pub fn rebuild(&mut self) -> Result<(), Error> {
        let now = self.session.now();
        let (timeout, holder) = (self.session.site().lock_timeout(), self.session.holder());
        Ok(self.session.journal.rebuild(now, timeout, &holder)?)
    }

    /// Brings the log and its copy in this working tree together, and writes the files beside it, however old they are; `clean` takes conflict markers out of the copy. How many
    /// there were.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn sync(&mut self, clean: bool) -> Result<usize, Error> {
        let copy = self.session.journal.copies().here().filter(|_| clean);
        let markers = copy.map_or(Ok(0), Mirror::clean)?;
        let now = self.session.now();
        let (timeout, holder) = (self.session.site().lock_timeout(), self.session.holder());
        self.session.journal.sync(now, timeout, &holder)?;
        Ok(markers)
    }
}
