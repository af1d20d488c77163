//! Access to the log itself: queries, statistics, verification, rebuild and sync.

use std::collections::BTreeMap;

use crate::journal::Mirror;
use crate::{Check, EventFilter, FoundEvent, Rejected, Stamp};
use serde::Serialize;

use super::{LedgerSession, lock_request};
use windlass_site::Error;

/// Statistics of a log.
#[derive(Debug, Clone, Serialize)]
pub struct EventStats {
    /// Number of events.
    pub events: u64,
    /// Time of the first event.
    pub first: Option<Stamp>,
    /// Time of the last event.
    pub last: Option<Stamp>,
    /// Number of events per type.
    pub by_type: BTreeMap<String, u64>,
    /// Number of events per actor.
    pub by_actor: BTreeMap<String, u64>,
    /// Number of beads.
    pub beads: usize,
    /// Number of messages.
    pub messages: usize,
    /// The rejected events.
    pub rejected: Vec<Rejected>,
    /// Number of lines that are not events.
    pub odd_lines: usize,
}

/// Session view of the log itself.
#[derive(Debug)]
pub struct EventLog<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl EventLog<'_> {
    /// Returns the events matching `filter`, in log order.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn find(&self, filter: &EventFilter) -> Result<Vec<FoundEvent>, Error> {
        Ok(filter.find_in(&self.session.journal)?)
    }

    /// Returns the log's statistics, in the current state or at the time `at`.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
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

    /// Checks the log and all files derived from it.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn verify(&self) -> Result<Check, Error> {
        Ok(Check::of(&self.session.journal)?)
    }

    /// Deletes everything derived from the log and builds it again.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub fn rebuild(&mut self) -> Result<(), Error> {
        let now = self.session.now();
        let request = lock_request(self.session);
        Ok(self.session.journal.rebuild(now, &request)?)
    }

    /// Exchanges events between the log and the copy in this working tree, and rewrites all files
    /// beside the log.
    ///
    /// With `clean`, we first remove git's conflict markers from the copy. Returns the number of
    /// removed markers.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub fn sync(&mut self, clean: bool) -> Result<usize, Error> {
        let copy = self.session.journal.copies().here().filter(|_| clean);
        let markers = copy.map_or(Ok(0), Mirror::clean)?;
        let now = self.session.now();
        let request = lock_request(self.session);
        self.session.journal.sync(now, &request)?;
        Ok(markers)
    }
}
