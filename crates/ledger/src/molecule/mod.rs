//! Molecules are poured formulas, whose steps many actors work on at the same time.
//!
//! [`windlass_plan::Schedule`] decides which steps are ready, held back or done. A molecule stores
//! the events passed to its schedule, together with the holder and lease of each claimed step.
//!
//! - The event that pours a molecule carries the cooked formula, so later changes to formula files
//!   don't affect it.
//! - A claim is valid only if the step is ready at the claim's position in the log. On one machine
//!   the lock decides between two claims; between clones the order of events does. Changing a
//!   claimed step requires the claim's token, except for a release with a reason. An expired lease
//!   doesn't end the claim by itself: the next command writes an event that does.
//! - Effects of time and of the outside world (leases, retries, conditions, timers, gates) are
//!   events too (see `leases_and_gates`). A condition on an environment variable waits until the
//!   user trusts the molecule, since its result enters the shared log.
//! - Pushing work back to a step repeats that step and everything that depends on it. All of them
//!   get their full number of attempts again.

mod event_cause;
mod leases_and_gates;
mod mol_condition;
mod mol_digest;
mod mol_file;
mod mol_head;
mod mol_schedule;
mod mol_scope;
mod mol_step;
mod run_kind;
mod scope_part;
mod step_draft;
#[cfg(test)]
mod tests;
mod verify_kind;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::{CookedFormula, Squash};
use windlass_plan::{Outcome, Status, StepIndex};

use crate::Stamp;
use crate::event::{BondKind, MolOrigin};
use crate::log_clock::{EventTime, Moment, shifted};
use crate::stored_record::{Record, Refusal};
use crate::word_enum::word_enum;

pub use leases_and_gates::Due;
pub(crate) use mol_condition::MolView;
pub use mol_condition::World;
use mol_digest::MolDigest;
pub use mol_file::{MolFileStep, MoleculeFile};
pub use mol_head::MolHead;
use mol_schedule::MolSchedule;
pub(crate) use mol_scope::Scopes;
use mol_scope::scopes_of;
pub use mol_step::{Doer, MolGate, MolStep};
pub use run_kind::{RUN, RunGives, RunInput, is_of_formulas, run_input_of};
pub use scope_part::MolScope;
pub use step_draft::{Claim, ClaimedStep, StepProof};
pub use verify_kind::{VERIFY, VerifyGives, criteria_of, for_formulas};

/// Default lifetime of a claim without a heartbeat, in milliseconds. It's 15 minutes.
pub(crate) const USUAL_LEASE_MS: u64 = 15 * 60 * 1000;
/// Default lifetime of a vapor (temporary) molecule after its last activity, in milliseconds. It's
/// one day.
pub const USUAL_TTL_MS: u64 = 24 * 60 * 60 * 1000;

word_enum! {
    /// Levels of persistence.
    #[derive(Default)]
    MolState, "state" {
        /// Cooked but not poured. Only a printed formula is in this state.
        Solid = "solid",
        /// Kept until an actor squashes or burns it.
        #[default]
        Liquid = "liquid",
        /// Temporary, and burned some time after its last activity.
        Vapor = "vapor",
    }
}

/// Ways of closing a molecule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PutAway {
    /// Replaced by a digest.
    Squashed,
    /// Discarded without a digest.
    Burned,
}

/// Record of a molecule's closing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// Squashed or burned.
    pub how: PutAway,
    /// Time of closing.
    pub at: Stamp,
    /// The actor that closed the molecule.
    pub actor: String,
    /// Reason for closing, or a summary of the results.
    pub reason: String,
    /// Id of the closing event.
    pub by: String,
}

/// Bond to the molecule this one follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bond {
    /// The other molecule's id.
    pub mol_id: String,
    /// Kind of bond.
    #[serde(rename = "type")]
    pub kind: BondKind,
    /// Time since which the other molecule hasn't been blocking this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met_at: Option<Stamp>,
}

impl Bond {
    pub(crate) fn open(mol_id: String, kind: BondKind) -> Self {
        Self {
            mol_id,
            kind,
            met_at: None,
        }
    }
}

/// A poured formula.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Molecule {
    /// Id: `mol-` followed by letters and digits.
    pub id: String,
    /// The formula's name.
    pub formula: String,
    /// Title shown to readers.
    pub title: String,
    /// The bead served by the molecule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Persistence of the molecule and its events.
    pub state: MolState,
    /// Time of pouring.
    pub created_at: Stamp,
    /// The actor that poured the molecule.
    pub created_by: String,
    /// Digest of the formula's sources at the time of pouring.
    pub formula_digest: String,
    /// Maximum number of steps in progress at once; unlimited if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Lifetime of a claim without a heartbeat, in milliseconds.
    pub lease_ms: u64,
    /// For a vapor molecule, its lifetime after the last activity in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Settings for the digest, if the molecule is squashed once it's done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// The step whose output the molecule was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// Bonds to the molecules this one follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bonds: Vec<Bond>,
    /// The steps in formula order.
    pub steps: Vec<MolStep>,
    /// Outcome; absent while steps remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Time of the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// Summary of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Record of the closing; absent while the molecule isn't closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// Time of the last activity.
    pub touched_at: Stamp,
    /// Id of the event that created the molecule.
    pub made_by: String,
    /// The schedule, which decides which steps are ready, held back or done.
    #[serde(rename = "history")]
    pub(crate) schedule: MolSchedule,
    /// Reference moment for the lifetime. We only record it if clock and log differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) touched: Option<Moment>,
    /// Position of the last event that changed the molecule, in the order of all events.
    #[serde(default)]
    pub(crate) changed: Stamp,
    /// Times of the event being applied.
    #[serde(skip)]
    pub(crate) time: EventTime,
}

/// A molecule's cooked formula. We store it separately because few commands need it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MolPlan {
    /// The molecule's id.
    pub id: String,
    /// See [`CookedFormula`].
    pub cooked: Value,
}

impl Molecule {
    /// Returns a molecule made from `head` and the steps of its formula, with its schedule started.
    pub(crate) fn new(mut head: Self, cooked: &CookedFormula) -> Result<Self, Refusal> {
        let unusable = |error: windlass_base::Diagnostics| {
            let first = error.iter().next().map(ToString::to_string);
            Refusal::new(first.unwrap_or_default())
        };
        let specs = cooked.node_specs().map_err(unusable)?;
        let steps = cooked.steps.iter().zip(specs);
        let steps = steps.zip(scopes_of(cooked));
        head.steps = steps
            .map(|((step, spec), scope)| MolStep::new(step, spec, scope))
            .collect();
        let at = head.created_at;
        let actions = head.schedule.begin(&head.steps);
        head.follow(actions, at);
        Ok(head)
    }

    /// Returns the index of the step `id`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<StepIndex> {
        let at = self.steps.iter().position(|step| step.id == id)?;
        Some(StepIndex::new(at))
    }

    /// Returns the step at index `at`.
    #[must_use]
    pub fn step(&self, at: StepIndex) -> Option<&MolStep> {
        self.steps.get(at.index())
    }

    /// True if the molecule is neither closed nor finished.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.closing.is_none() && self.outcome.is_none()
    }

    /// Returns the bonds that keep this molecule from starting.
    pub fn open_bonds(&self) -> impl Iterator<Item = &Bond> {
        let bonds = self.bonds.iter();
        bonds.filter(|bond| bond.kind != BondKind::Parallel && bond.met_at.is_none())
    }

    /// True if no step can start because the molecule follows an unfinished one.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.open_bonds().next().is_some()
    }

    /// Returns the number of steps in each status.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<Status, usize> {
        let mut counts = BTreeMap::new();
        for step in &self.steps {
            *counts.entry(self.status_of(step)).or_default() += 1;
        }
        counts
    }

    /// Returns a step's status. While the molecule waits for another one, a ready step counts as
    /// pending.
    #[must_use]
    pub fn status_of(&self, step: &MolStep) -> Status {
        match step.shown() {
            Status::Ready if self.is_waiting() => Status::Pending,
            status => status,
        }
    }

    /// Returns the steps in progress.
    pub(crate) fn at_work(&self) -> impl DoubleEndedIterator<Item = &MolStep> {
        let steps = self.steps.iter();
        steps.filter(|step| step.status == Status::InProgress)
    }

    /// Returns the number of further steps that may start now.
    #[must_use]
    pub fn room(&self) -> usize {
        let limit = self.concurrency.map_or(usize::MAX, |limit| limit as usize);
        limit.saturating_sub(self.at_work().count())
    }

    /// Returns a step in progress that keeps `step` from starting, because one of the two must run
    /// alone.
    #[must_use]
    pub fn in_the_way_of(&self, step: &MolStep) -> Option<&MolStep> {
        self.at_work().find(|other| other.alone || step.alone)
    }

    /// True if the step may be claimed now.
    #[must_use]
    pub fn may_begin(&self, step: &MolStep) -> bool {
        step.is_startable()
            && self.closing.is_none()
            && !self.is_waiting()
            && self.room() > 0
            && self.in_the_way_of(step).is_none()
    }

    /// Returns the time at which a vapor molecule expires without further activity.
    #[must_use]
    pub fn expires_at(&self) -> Option<Stamp> {
        Some(self.touched_at.after_millis(self.ttl_ms?))
    }

    /// Returns [`Self::expires_at`], converted to the log's time at `now`.
    pub(crate) fn expiry(&self, now: Stamp) -> Option<Stamp> {
        let touched = self
            .touched
            .map_or(self.touched_at, |touched| touched.clock);
        let at = touched.after_millis(self.ttl_ms?);
        Some(shifted(at, self.touched, now))
    }

    /// True if the lifetime has passed without activity, in the log's time. The next command on the
    /// molecule then burns it.
    #[must_use]
    pub fn is_expired(&self, now: Stamp) -> bool {
        self.closing.is_none()
            && self.expiry(now).is_some_and(|at| at < now)
            && self.at_work().all(|step| step.is_overdue(now))
    }
}

/// Iterates over the steps that may be claimed now.
pub fn startable(molecule: &Molecule) -> impl Iterator<Item = &MolStep> {
    let at_work: Vec<&MolStep> = molecule.at_work().collect();
    let is_closed = molecule.closing.is_some() || molecule.is_waiting() || molecule.room() == 0;
    let steps = molecule.steps.iter().filter(move |_| !is_closed);
    steps.filter(move |step| {
        let mut others = at_work.iter();
        step.is_startable() && !others.any(|other| other.alone || step.alone)
    })
}

impl Record for MolPlan {
    const ROWS: u8 = crate::rows::key::PLANS;

    type Note = ();
    type Head<'a> = ();

    fn id(&self) -> &str {
        &self.id
    }

    fn head<'a>(&'a self, (): &'a ()) {}

    fn note((): &()) {}
}

impl MolPlan {
    /// Parses the formula. Returns `None` if it doesn't match the current format.
    #[must_use]
    pub fn cooked(&self) -> Option<CookedFormula> {
        CookedFormula::deserialize(&self.cooked).ok()
    }
}

impl Molecule {
    /// Records activity, which restarts the lifetime. A clock that is behind never shortens the
    /// lifetime.
    pub(crate) fn touch(&mut self, time: EventTime) {
        self.changed = time.order;
        let before = self.touched.map_or(self.touched_at, |moment| moment.log);
        let (clock, log) = (time.stamp.to_millis(), time.log);
        self.touched_at = clock.max(self.touched_at);
        if log >= before {
            let is_plain = clock == log && clock == self.touched_at;
            self.touched = (!is_plain).then_some(Moment { clock, log });
        }
    }

    /// Drops all steps. Only the molecule's own record remains.
    pub(crate) fn forget_steps(&mut self) {
        self.steps.clear();
        self.schedule = MolSchedule::default();
    }
}
