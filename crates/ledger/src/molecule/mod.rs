//! Molecules: formulas that were poured, and are worked through by many at once.
//!
//! Which steps are ready, held back or done is decided by [`windlass_plan::Schedule`], as everywhere; a molecule
//! remembers what the schedule was told, and beside that who has which step, and until when.

mod event_cause;
mod mol_condition;
mod mol_digest;
mod mol_due;
mod mol_file;
mod mol_head;
mod mol_schedule;
mod mol_step;
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

pub(crate) use mol_condition::MolView;
pub use mol_condition::World;
use mol_digest::MolDigest;
pub use mol_due::Due;
pub use mol_file::{MolFileStep, MoleculeFile};
pub use mol_head::MolHead;
use mol_schedule::MolSchedule;
pub use mol_step::{Doer, MolGate, MolStep};
pub use step_draft::{Claim, ClaimedStep, StepProof};
pub use verify_kind::{VERIFY, VerifyGives, criteria_of, for_formulas};

/// How long a claim holds without a heartbeat where nobody says it: 15 minutes.
pub(crate) const USUAL_LEASE_MS: u64 = 15 * 60 * 1000;
/// How long a passing molecule stays after it was last worked on where nobody says it: a day.
pub const USUAL_TTL_MS: u64 = 24 * 60 * 60 * 1000;

word_enum! {
    /// How a molecule is kept.
    #[derive(Default)]
    MolState, "state" {
        /// Cooked, and not poured: only a formula that is printed is.
        Solid = "solid",
        /// Kept until somebody puts it away.
        #[default]
        Liquid = "liquid",
        /// Passing: it is gone some time after it was last worked on.
        Vapor = "vapor",
    }
}

/// How a molecule was put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PutAway {
    /// A digest of it is kept.
    Squashed,
    /// Nothing is.
    Burned,
}

/// That a molecule was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// How.
    pub how: PutAway,
    /// When.
    pub at: Stamp,
    /// By whom.
    pub actor: String,
    /// Why, or what came of it.
    pub reason: String,
    /// The event.
    pub by: String,
}

/// That a molecule comes after another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bond {
    /// The other.
    pub mol_id: String,
    /// In which way.
    #[serde(rename = "type")]
    pub kind: BondKind,
    /// Since when it need not be waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met_at: Option<Stamp>,
}

/// A formula that was poured.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Molecule {
    /// `mol-` and letters and digits.
    pub id: String,
    /// The formula it is made of.
    pub formula: String,
    /// What it is called.
    pub title: String,
    /// The bead it is worked through for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Whether it is kept or passing.
    pub state: MolState,
    /// When it was poured.
    pub created_at: Stamp,
    /// Who poured it.
    pub created_by: String,
    /// The digest of the formula's sources when it was poured.
    pub formula_digest: String,
    /// The most steps that are in progress at once; as many as are ready if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// How long a claim holds without a heartbeat, in milliseconds.
    pub lease_ms: u64,
    /// Of one that passes: how long after it was last worked on, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// That it is squashed once it is done, and what its digest holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// The step whose output it was made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// The molecules that it comes after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bonds: Vec<Bond>,
    /// Its steps, in the order of the formula.
    pub steps: Vec<MolStep>,
    /// How its steps ended, once nothing is left to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How it was put away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// When something happened to it last.
    pub touched_at: Stamp,
    /// The event that made it.
    pub made_by: String,
    /// State that decides which steps are ready, held back or done.
    #[serde(rename = "history")]
    pub(crate) schedule: MolSchedule,
    /// The moment from which its lifetime is reckoned, where the clock and the log differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) touched: Option<Moment>,
    /// The place of the event that changed it last in the order of all events.
    #[serde(default)]
    pub(crate) changed: Stamp,
    /// When the event happened that is being applied.
    #[serde(skip)]
    pub(crate) time: EventTime,
}

/// The formula of a molecule as it was cooked: read by who wants to see what a step asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MolPlan {
    /// The id of the molecule.
    pub id: String,
    /// See [`CookedFormula`].
    pub cooked: Value,
}

impl Molecule {
    /// `head` with the steps of its formula.
    pub(crate) fn new(mut head: Self, cooked: &CookedFormula) -> Result<Self, Refusal> {
        let unusable = |error: windlass_base::Diagnostics| {
            let first = error.iter().next().map(ToString::to_string);
            Refusal::new(first.unwrap_or_default())
        };
        let specs = cooked.node_specs().map_err(unusable)?;
        let steps = cooked.steps.iter().zip(specs);
        head.steps = steps.map(|(step, spec)| MolStep::new(step, spec)).collect();
        let at = head.created_at;
        let actions = head.schedule.begin(&head.steps);
        head.follow(actions, at);
        Ok(head)
    }

    /// The number of the step called `id`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<StepIndex> {
        let at = self.steps.iter().position(|step| step.id == id)?;
        Some(StepIndex::new(at))
    }

    /// The step of a number.
    #[must_use]
    pub fn step(&self, at: StepIndex) -> Option<&MolStep> {
        self.steps.get(at.index())
    }

    /// Whether it is there to be worked on.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.closing.is_none() && self.outcome.is_none()
    }

    /// The bonds that keep it from being begun.
    pub fn open_bonds(&self) -> impl Iterator<Item = &Bond> {
        let bonds = self.bonds.iter();
        bonds.filter(|bond| bond.kind != BondKind::Parallel && bond.met_at.is_none())
    }

    /// Whether nothing of it can be begun yet, since it comes after another.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.open_bonds().next().is_some()
    }

    /// How many steps stand how.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<Status, usize> {
        let mut counts = BTreeMap::new();
        for step in &self.steps {
            *counts.entry(self.status_of(step)).or_default() += 1;
        }
        counts
    }

    /// Where a step stands: one whose own needs are met waits as long as its molecule does.
    #[must_use]
    pub fn status_of(&self, step: &MolStep) -> Status {
        match step.shown() {
            Status::Ready if self.is_waiting() => Status::Pending,
            status => status,
        }
    }

    /// The steps that are in progress.
    pub(crate) fn at_work(&self) -> impl DoubleEndedIterator<Item = &MolStep> {
        let steps = self.steps.iter();
        steps.filter(|step| step.status == Status::InProgress)
    }

    /// How many more steps may be begun.
    #[must_use]
    pub fn room(&self) -> usize {
        let limit = self.concurrency.map_or(usize::MAX, |limit| limit as usize);
        limit.saturating_sub(self.at_work().count())
    }

    /// The step that is in progress and that `step` may not be done beside, as one of the two is done alone.
    #[must_use]
    pub fn in_the_way_of(&self, step: &MolStep) -> Option<&MolStep> {
        self.at_work().find(|other| other.alone || step.alone)
    }

    /// Whether a step may be claimed as things stand.
    #[must_use]
    pub fn may_begin(&self, step: &MolStep) -> bool {
        step.is_startable()
            && self.closing.is_none()
            && !self.is_waiting()
            && self.room() > 0
            && self.in_the_way_of(step).is_none()
    }

    /// When it is gone, if nobody works on it until then.
    #[must_use]
    pub fn expires_at(&self) -> Option<Stamp> {
        Some(self.touched_at.after_millis(self.ttl_ms?))
    }

    /// When it is gone by the log's time `now`, if nobody works on it until then.
    pub(crate) fn expiry(&self, now: Stamp) -> Option<Stamp> {
        let touched = self
            .touched
            .map_or(self.touched_at, |touched| touched.clock);
        let at = touched.after_millis(self.ttl_ms?);
        Some(shifted(at, self.touched, now))
    }

    /// Whether nobody worked on it for as long as it was to stay, by the log's time: the next who does anything with it
    /// throws it away.
    #[must_use]
    pub fn is_expired(&self, now: Stamp) -> bool {
        self.closing.is_none()
            && self.expiry(now).is_some_and(|at| at < now)
            && self.at_work().all(|step| step.is_overdue(now))
    }
}

impl Record for MolPlan {
    type Note = ();
    type Head<'a> = ();

    fn id(&self) -> &str {
        &self.id
    }

    fn head<'a>(&'a self, (): &'a ()) {}

    fn note((): &()) {}
}

impl MolPlan {
    /// The formula.
    #[must_use]
    pub fn cooked(&self) -> Option<CookedFormula> {
        CookedFormula::deserialize(&self.cooked).ok()
    }
}

impl Molecule {
    /// Notes that something happened to it. Its lifetime begins anew, and is never shortened by a clock that is behind.
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

    /// Keeps nothing of it but that it was there.
    pub(crate) fn forget_steps(&mut self) {
        self.steps.clear();
        self.schedule = MolSchedule::default();
    }
}
