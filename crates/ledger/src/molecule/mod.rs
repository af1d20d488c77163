//! Molecules are poured formulas. Many actors can work on the steps of a molecule at the same time.
//!
//! [`windlass_plan::Schedule`] decides which steps are ready, held back or done. A molecule stores
//! the events that were passed to its schedule, and the holder and lease of each claimed step.
//!
//! - The event that pours a molecule carries the cooked formula, so later changes to formula files
//!   don't affect it.
//! - A claim is valid only if the step is ready at the claim's position in the log. Between two
//!   claims on one machine, the lock decides. Between clones, the order of events does. To change a
//!   claimed step, an actor needs the claim's token, unless it gives a reason for a release. A
//!   lease that has expired doesn't end its claim yet: the next command writes an event that does.
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
mod step_output;
#[cfg(test)]
mod tests;
mod verify_kind;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use windlass_formula::{CookedFormula, Squash};
use windlass_plan::{Outcome, Status, StepIndex};

use crate::Stamp;
use crate::event::{BondKind, MolOrigin};
use crate::log_clock::{EventTime, Moment, shifted};
use crate::stored_record::{Record, Refusal};
use windlass_base::word_enum;

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
pub use step_output::{StepOutput, StoredOutput};
pub use verify_kind::{VERIFY, VerifyGives, criteria_of, for_formulas};

/// Default lifetime of a claim without a heartbeat: 15 minutes, in milliseconds.
pub(crate) const USUAL_LEASE_MS: u64 = 15 * 60 * 1000;
/// Default lifetime of a vapor (temporary) molecule after its last activity: one day, in
/// milliseconds.
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

/// Record of who closed a molecule, when and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// Tells whether a digest remains.
    pub how: PutAway,
    /// Time of closing.
    pub at: Stamp,
    /// The actor that closed the molecule.
    pub actor: String,
    /// Reason for closing, or a summary of the results.
    pub reason: String,
    /// Id of the event that closed it.
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

/// A poured formula, folded from its events. [`Molecule::to_file`] gives the form for readers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Molecule {
    /// Id: `mol-` followed by letters and digits.
    pub id: String,
    /// The formula's name.
    pub formula: String,
    /// Title shown to readers. It's the formula's unless the pouring actor chose another.
    pub title: String,
    /// The bead that the molecule's work is for, if any.
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
    /// Maximum number of steps in progress at once, or `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Time until a claim expires without a heartbeat, in milliseconds.
    pub lease_ms: u64,
    /// Time until a vapor molecule expires without activity, in milliseconds. `None` for liquid
    /// ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Settings for the digest. Set if the formula asks to squash the molecule once it's done.
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
    /// `None` while steps remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Time of the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// Summary of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `None` while the molecule isn't closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// Time of the last activity.
    pub touched_at: Stamp,
    /// Id of the event that created the molecule.
    pub made_by: String,
    #[serde(rename = "history")]
    pub(crate) schedule: MolSchedule,
    /// Both times of the last activity, from which we convert the lifetime. This is only set if the
    /// clock and the log differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) touched: Option<Moment>,
    /// Position of the last event that changed the molecule, in the order of all events.
    #[serde(default)]
    pub(crate) changed: Stamp,
    /// Times of the event being applied, useless afterwards.
    #[serde(skip)]
    pub(crate) time: EventTime,
}

/// A molecule's cooked formula. Few commands need it, so we store it apart from the molecule.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MolPlan {
    /// The molecule's id.
    pub id: String,
    /// A [`CookedFormula`] as JSON. It may have the format of an older version.
    pub cooked: Box<RawValue>,
}

impl Molecule {
    /// Completes `head` with the steps of its formula and starts the schedule, which decides which
    /// of them are ready.
    pub(crate) fn new(mut head: Self, cooked: &CookedFormula) -> Result<Self, Refusal> {
        // A refusal has a single reason, so only report the first problem.
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

    /// Looks up the index of the step with this id.
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

    /// True until all steps have ended, or an actor closes the molecule.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.closing.is_none() && self.outcome.is_none()
    }

    /// The bonds that keep this molecule from starting.
    pub fn open_bonds(&self) -> impl Iterator<Item = &Bond> {
        let bonds = self.bonds.iter();
        bonds.filter(|bond| bond.kind != BondKind::Parallel && bond.met_at.is_none())
    }

    /// True if no step can start, since the molecule follows one that hasn't ended.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.open_bonds().next().is_some()
    }

    /// Counts the steps by [`Self::status_of`].
    #[must_use]
    pub fn counts(&self) -> BTreeMap<Status, usize> {
        let mut counts = BTreeMap::new();
        for step in &self.steps {
            *counts.entry(self.status_of(step)).or_default() += 1;
        }
        counts
    }

    /// Returns the status to show for a step.
    ///
    /// The schedule doesn't know about bonds. So while the molecule waits for another one, we show
    /// a ready step as pending.
    #[must_use]
    pub fn status_of(&self, step: &MolStep) -> Status {
        match step.shown() {
            Status::Ready if self.is_waiting() => Status::Pending,
            status => status,
        }
    }

    pub(crate) fn at_work(&self) -> impl DoubleEndedIterator<Item = &MolStep> {
        let steps = self.steps.iter();
        steps.filter(|step| step.status == Status::InProgress)
    }

    /// Number of steps that may start in addition to those in progress.
    #[must_use]
    pub fn room(&self) -> usize {
        let limit = self.concurrency.map_or(usize::MAX, |limit| limit as usize);
        limit.saturating_sub(self.at_work().count())
    }

    /// A step in progress that keeps `step` from starting, since one of the two must run alone.
    #[must_use]
    pub fn in_the_way_of(&self, step: &MolStep) -> Option<&MolStep> {
        self.at_work().find(|other| other.alone || step.alone)
    }

    /// True if an actor may claim the step now. [`startable`] checks all steps at once.
    #[must_use]
    pub fn may_begin(&self, step: &MolStep) -> bool {
        step.is_startable()
            && self.closing.is_none()
            && !self.is_waiting()
            && self.room() > 0
            && self.in_the_way_of(step).is_none()
    }

    /// Time at which a vapor molecule expires if there's no further activity, on the writer's
    /// clock.
    #[must_use]
    pub fn expires_at(&self) -> Option<Stamp> {
        Some(self.touched_at.after_millis(self.ttl_ms?))
    }

    /// Like [`Self::expires_at`], but in the log's time at `now`.
    pub(crate) fn expiry(&self, now: Stamp) -> Option<Stamp> {
        let touched = self
            .touched
            .map_or(self.touched_at, |touched| touched.clock);
        let at = touched.after_millis(self.ttl_ms?);
        Some(shifted(at, self.touched, now))
    }

    /// True if the lifetime has passed without activity, in the log's time. The next command on the
    /// molecule then burns it, unless a step is in progress and not overdue.
    #[must_use]
    pub fn is_expired(&self, now: Stamp) -> bool {
        self.closing.is_none()
            && self.expiry(now).is_some_and(|at| at < now)
            && self.at_work().all(|step| step.is_overdue(now))
    }
}

/// Lists the steps that an actor may claim now.
pub fn startable(molecule: &Molecule) -> impl Iterator<Item = &MolStep> {
    // This gives the same answers as `may_begin`, but looks for the steps in progress only once.
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
    /// Parses the formula. Returns `None` if it's not in the current format.
    #[must_use]
    pub fn cooked(&self) -> Option<CookedFormula> {
        serde_json::from_str(self.cooked.get()).ok()
    }
}

impl Molecule {
    /// Records activity, which restarts the lifetime. Never shortens it, even if the actor's clock
    /// is behind.
    pub(crate) fn touch(&mut self, time: EventTime) {
        self.changed = time.order;
        let before = self.touched.map_or(self.touched_at, |moment| moment.log);
        // The log's time may have been turned back since the last activity. Keep the later one
        // then.
        let (clock, log) = (time.stamp.to_millis(), time.log);
        self.touched_at = clock.max(self.touched_at);
        if log >= before {
            // If both clocks show the same time, `touched_at` is all we need.
            let is_plain = clock == log && clock == self.touched_at;
            self.touched = (!is_plain).then_some(Moment { clock, log });
        }
    }

    pub(crate) fn forget_steps(&mut self) {
        self.steps.clear();
        self.schedule = MolSchedule::default();
    }
}
