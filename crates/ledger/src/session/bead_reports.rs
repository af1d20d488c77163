//! Queries for showing, listing and searching beads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::bead::{Bead, BeadStatus};
use crate::{Elsewhere, Picked, Reason, Route, Routes, Stamp, State, WorkFilter};
use serde::Serialize;

use super::bead_work::{Beads, check_bead};
use windlass_site::Error;

/// One page of the beads matching a query.
#[derive(Debug, Clone, Serialize)]
pub struct WorkList {
    /// The beads on this page.
    pub beads: Vec<BeadReport>,
    /// Number of matches on all pages.
    pub total: usize,
}

/// A bead with its relations, for showing it.
#[derive(Debug, Clone, Serialize)]
pub struct BeadReport {
    /// The bead in its current state.
    #[serde(flatten)]
    pub bead: Bead,
    /// Reason why the bead can't start. Empty if it can, or is closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<Reason>,
    /// Ids of the beads that are part of this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// Ids of the beads that depend on this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependents: Vec<String>,
}

impl BeadReport {
    pub(super) fn of(bead: Bead) -> Self {
        Self {
            bead,
            blocked_by: Vec::new(),
            children: Vec::new(),
            dependents: Vec::new(),
        }
    }
}

impl Beads<'_> {
    /// Looks up a bead with its relations, now or as they were at the time `at`.
    ///
    /// # Errors
    /// Returns an error if the bead doesn't exist.
    pub fn get(&self, id: &str, at: Option<Stamp>) -> Result<BeadReport, Error> {
        let state = self.session.state_at(at)?;
        check_bead(&state, id)?;
        let bead = state.beads.get(id);
        // The index of the checkpoint has the bead, but its record is damaged.
        let bead =
            bead.ok_or_else(|| Error::internal(format!("the row of `{id}` cannot be read")))?;
        let mut report = BeadReport::of(bead);
        if report.bead.status != BeadStatus::Closed {
            let now = at.unwrap_or_else(|| self.session.now());
            report.blocked_by = state.work().reasons(id, now, &self.elsewhere()?);
        }
        let work = state.work();
        let (children, dependents) = work.dependents(id);
        let owned = |ids: BTreeSet<&str>| ids.into_iter().map(str::to_owned).collect();
        (report.children, report.dependents) = (owned(children), owned(dependents));
        Ok(report)
    }

    /// Lists at most `limit` beads that match `filter`, now or as they were at the time `at`.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn list(
        &self,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.session.state_at(at)?;
        let picked = state.work().list(filter, limit);
        Ok(list_of(&state, &picked, filter.skip))
    }

    /// Lists beads like [`Self::list`], but only those that can be worked on.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn ready(
        &self,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.session.state_at(at)?;
        let now = at.unwrap_or_else(|| self.session.now());
        let ready = state.work().ready(filter, now, &self.elsewhere()?, limit);
        Ok(list_of(&state, &ready, filter.skip))
    }

    /// Lists beads like [`Self::list`], but only those that can't start, with the reasons.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn blocked(
        &self,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.session.state_at(at)?;
        let now = at.unwrap_or_else(|| self.session.now());
        let (work, elsewhere) = (state.work(), self.elsewhere()?);
        let blocked = work.blocked(filter, now, &elsewhere, limit);
        let mut list = list_of(&state, &blocked, filter.skip);
        for report in &mut list.beads {
            report.blocked_by = work.reasons(&report.bead.id, now, &elsewhere);
        }
        Ok(list)
    }

    /// Lists beads like [`Self::list`], but only those that have `text` in any text field,
    /// regardless of case.
    ///
    /// # Errors
    /// Returns an error if the log can't be read.
    pub fn search(
        &self,
        text: &str,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.session.state_at(at)?;
        let picked = state.work().search(text, filter, limit);
        Ok(list_of(&state, &picked, filter.skip))
    }

    /// Looks up the beads of other ledgers that beads here depend on. We can only search ledgers
    /// that have a route.
    pub(super) fn elsewhere(&self) -> Result<Elsewhere, Error> {
        let mut known = Elsewhere::default();
        let routes = Routes::read(self.session.places())?;
        if routes.iter().next().is_none() {
            return Ok(known);
        }
        let own = self.session.places().beads();
        let mut behind: BTreeMap<&str, (&Route, Vec<String>)> = BTreeMap::new();
        // Sort the missing beads by ledger, so that we open each ledger only once.
        for id in self.session.state().work().missing() {
            let Some(route) = routes.resolve(&id) else {
                continue;
            };
            if Path::new(&route.path) != own.path() {
                let ids = behind.entry(&route.path).or_insert((route, Vec::new()));
                ids.1.push(id);
            }
        }
        for (route, ids) in behind.into_values() {
            // We can't tell if the beads of an unreadable ledger are closed. If we leave them out,
            // they continue to block the beads here, which is the safe choice.
            let there = match self
                .session
                .service
                .open_behind(route, None, self.session.job)
            {
                Ok(there) => there,
                Err(error) => {
                    self.session.site().note_trouble(error.to_string());
                    continue;
                }
            };
            for id in ids {
                known.note(&id, there.state());
            }
        }
        Ok(known)
    }
}

fn list_of(state: &State, picked: &Picked, skip: usize) -> WorkList {
    let beads = picked
        .ids
        .iter()
        .skip(skip)
        .filter_map(|id| state.beads.get(id));
    WorkList {
        beads: beads.map(BeadReport::of).collect(),
        total: picked.total,
    }
}
