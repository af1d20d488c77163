//! Beads: found, listed, shown.

use serde::Serialize;
use windlass_ledger::bead::{Bead, BeadStatus};
use windlass_ledger::{Picked, Reason, Stamp, State, WorkFilter};

use super::LedgerDesk;
use super::beads::check_bead;
use crate::Error;

/// Some of the beads that were asked for.
#[derive(Debug, Clone, Serialize)]
pub struct WorkList {
    /// Those that are shown.
    pub beads: Vec<BeadReport>,
    /// How many there are.
    pub total: usize,
}

/// A bead, and how it stands among the others.
#[derive(Debug, Clone, Serialize)]
pub struct BeadReport {
    /// The bead.
    #[serde(flatten)]
    pub bead: Bead,
    /// Why it cannot be begun.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<Reason>,
    /// Its parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// Those that depend on it.
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

impl LedgerDesk {
    /// The state now, or as it was at a moment.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn state_at(&self, at: Option<Stamp>) -> Result<std::borrow::Cow<'_, State>, Error> {
        Ok(match at {
            None => std::borrow::Cow::Borrowed(self.ledger.state()),
            Some(at) => std::borrow::Cow::Owned(self.ledger.state_at(at)?),
        })
    }

    /// A bead, and how it stands among the others, now or at a moment.
    ///
    /// # Errors
    /// When there is none.
    pub fn bead(&self, id: &str, at: Option<Stamp>) -> Result<BeadReport, Error> {
        let state = self.state_at(at)?;
        check_bead(&state, id)?;
        let bead = state.beads.get(id);
        let bead =
            bead.ok_or_else(|| Error::internal(format!("the row of `{id}` cannot be read")))?;
        let mut report = BeadReport::of(bead);
        if report.bead.status != BeadStatus::Closed {
            let now = at.unwrap_or_else(|| self.now());
            report.blocked_by = state.reasons(id, now, &self.elsewhere()?);
        }
        let finder = memchr::memmem::Finder::new(id);
        for (other, found) in state
            .beads
            .iter()
            .filter(|(_, found)| found.may_name(&finder))
        {
            for edge in found.head().map(|head| head.edges).unwrap_or_default() {
                if edge.to == id {
                    let is_part = edge.kind == windlass_ledger::EdgeKind::Parent;
                    let all = if is_part {
                        &mut report.children
                    } else {
                        &mut report.dependents
                    };
                    all.push(other.to_owned());
                }
            }
        }
        Ok(report)
    }

    /// Beads of any sort, now or at a moment; at most `limit`.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn list_beads(
        &self,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.state_at(at)?;
        Ok(list_of(&state, &state.list(filter, limit)))
    }

    /// Beads that can be worked on, now or at a moment; at most `limit`.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn ready_beads(
        &self,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.state_at(at)?;
        let now = at.unwrap_or_else(|| self.now());
        let ready = state.ready(filter, now, &self.elsewhere()?, limit);
        Ok(list_of(&state, &ready))
    }

    /// Beads that cannot be begun, with the reasons, now or at a moment; at most `limit`.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn blocked_beads(
        &self,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.state_at(at)?;
        let now = at.unwrap_or_else(|| self.now());
        let blocked = state.blocked(filter, now, &self.elsewhere()?);
        let total = blocked.len();
        let beads = blocked.into_iter().take(limit).filter_map(|blocked| {
            let mut report = BeadReport::of(state.beads.get(&blocked.id)?);
            report.blocked_by = blocked.reasons;
            Some(report)
        });
        Ok(WorkList {
            beads: beads.collect(),
            total,
        })
    }
}

pub(super) fn list_of(state: &State, picked: &Picked) -> WorkList {
    let beads = picked.ids.iter().filter_map(|id| state.beads.get(id));
    WorkList {
        beads: beads.map(BeadReport::of).collect(),
        total: picked.total,
    }
}
