//! Molecules: formulas that were poured, and are worked through by many at once.
//!
//! Which steps are ready, held back or done is decided by [`windlass_plan::Schedule`], as everywhere; a molecule
//! remembers what the schedule was told, and beside that who has which step, and until when.

mod acts;
mod condition;
mod file;
mod settle;
mod step;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_plan::formula::CookedFormula;
use windlass_plan::{
    Action, Because, Event, Outcome, Schedule, ScheduleOptions, Status, StepIndex,
};

use crate::Stamp;
use crate::event::{BondKind, MolOrigin};
use crate::state::{Record, Refusal};

pub use acts::{Claim, ClaimedStep, StepProof};
pub(crate) use condition::MolView;
pub use condition::World;
pub use file::{MolFileStep, MoleculeFile};
pub use step::{Doer, MolGate, MolStep};

/// How long a claim holds without a heartbeat where nobody says it: 15 minutes.
pub const USUAL_LEASE_MS: u64 = 15 * 60 * 1000;
/// How long a passing molecule stays after it was last worked on where nobody says it: a day.
pub const USUAL_TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// How a molecule is kept.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MolState {
    /// Cooked, and not poured: only a formula that is printed is.
    Solid,
    /// Kept until somebody puts it away.
    #[default]
    Liquid,
    /// Passing: it is gone some time after it was last worked on.
    Vapor,
}

impl MolState {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Liquid => "liquid",
            Self::Vapor => "vapor",
        }
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
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// What the schedule was told, in this order.
    history: Vec<Event>,
    /// The schedule as it is with all of it; made anew when it is needed.
    #[serde(skip)]
    schedule: Option<Schedule>,
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
        let mut schedule = head.bare_schedule();
        let actions = schedule.begin();
        head.schedule = Some(schedule);
        head.follow(actions, at);
        Ok(head)
    }

    /// A molecule without steps, of which most is still to be said.
    pub(crate) fn head(id: String, at: Stamp) -> Self {
        Self {
            id,
            formula: String::new(),
            title: String::new(),
            bead_id: None,
            state: MolState::Liquid,
            created_at: at,
            created_by: String::new(),
            formula_digest: String::new(),
            concurrency: None,
            lease_ms: USUAL_LEASE_MS,
            ttl_ms: None,
            from: None,
            bonds: Vec::new(),
            steps: Vec::new(),
            outcome: None,
            ended_at: None,
            summary: None,
            closing: None,
            touched_at: at,
            made_by: String::new(),
            history: Vec::new(),
            schedule: None,
        }
    }

    fn bare_schedule(&self) -> Schedule {
        let specs = self.steps.iter().map(MolStep::spec).collect();
        Schedule::new(specs, ScheduleOptions::default())
    }

    fn schedule(&mut self) -> &mut Schedule {
        let (bare, history) = match self.schedule {
            Some(_) => (None, &[][..]),
            None => (Some(self.bare_schedule()), &self.history[..]),
        };
        let made = bare.map(|mut schedule| {
            schedule.begin();
            for event in history {
                // What was told before is told again in the same order: it cannot be rejected.
                let _ = schedule.apply(*event);
            }
            schedule
        });
        let empty = || Schedule::new(Vec::new(), ScheduleOptions::default());
        self.schedule = self.schedule.take().or(made);
        self.schedule.get_or_insert_with(empty)
    }

    /// Tells the schedule what happened at a moment, and follows what comes of it.
    ///
    /// # Errors
    /// When it is not allowed as things stand; nothing has changed then.
    pub(crate) fn tell(&mut self, event: Event, at: Stamp) -> Result<(), Refusal> {
        let told = self.schedule().apply(event);
        let actions = told.map_err(|rejected| Refusal::new(self.in_words(rejected)))?;
        self.history.push(event);
        self.follow(actions, at);
        Ok(())
    }

    fn in_words(&self, rejected: windlass_plan::Rejected) -> String {
        use windlass_plan::Rejected as R;
        let (R::UnknownStep { step }
        | R::NotReady { step, .. }
        | R::NotRunning { step, .. }
        | R::StaleAttempt { step, .. }
        | R::AlreadySettled { step, .. }
        | R::NotEnded { step, .. }
        | R::NestedFanOut { step }
        | R::NoRetryDue { step, .. }) = rejected;
        let name = self.steps.get(step.index());
        let name = name.map(|step| format!("step `{}` of `{}`", step.id, self.id));
        let text = rejected.to_string();
        name.map_or(text.clone(), |name| {
            text.replacen(&format!("step {step}"), &name, 1)
        })
    }

    fn follow(&mut self, actions: Vec<Action>, at: Stamp) {
        let mut due = Vec::new();
        for action in actions {
            let mut with = |step: StepIndex, work: &mut dyn FnMut(&mut MolStep)| {
                if let Some(step) = self.steps.get_mut(step.index()) {
                    work(step);
                }
            };
            match action {
                Action::Ready { step } => with(step, &mut |step| {
                    step.retry_at = None;
                    step.reached_at.get_or_insert(at);
                }),
                Action::Retry { step, after, .. } if after.is_zero() => due.push(step),
                Action::Retry { step, after, .. } => with(step, &mut |step| {
                    let micros = i64::try_from(after.as_micros()).unwrap_or(i64::MAX);
                    step.retry_at = Some(Stamp::from_micros(at.micros().saturating_add(micros)));
                }),
                Action::Reopened { step } => with(step, &mut MolStep::begin_anew),
                Action::HeldBack { .. }
                | Action::GivenUp { .. }
                | Action::Grown { .. }
                | Action::Gathered { .. }
                | Action::Finished { .. } => {}
            }
        }
        self.look(at);
        for step in due {
            let _ = self.tell(Event::RetryDue { step }, at);
        }
    }

    /// Notes how each step stands.
    fn look(&mut self, at: Stamp) {
        let Some(schedule) = &self.schedule else {
            return;
        };
        for (number, step) in self.steps.iter_mut().enumerate() {
            let number = StepIndex::new(number);
            step.status = schedule.status(number);
            step.attempt = schedule.attempt(number);
            step.held_by = match schedule.because(number) {
                Some(Because::Failed(by)) => Some(by),
                _ => None,
            };
        }
        self.outcome = schedule.outcome();
        self.ended_at = self.outcome.and(self.ended_at.or(Some(at)));
        if self.outcome.is_none() {
            self.summary = None;
        }
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
            *counts.entry(step.shown()).or_default() += 1;
        }
        counts
    }

    /// How many more steps may be begun.
    #[must_use]
    pub fn room(&self) -> usize {
        let limit = self.concurrency.map_or(usize::MAX, |limit| limit as usize);
        let at_work = |step: &&MolStep| step.status == Status::InProgress;
        limit.saturating_sub(self.steps.iter().filter(at_work).count())
    }

    /// When it is gone, if nobody works on it until then.
    #[must_use]
    pub fn expires_at(&self) -> Option<Stamp> {
        let ttl = i64::try_from(self.ttl_ms?).unwrap_or(i64::MAX);
        let from = self.touched_at.micros();
        Some(Stamp::from_micros(
            from.saturating_add(ttl.saturating_mul(1000)),
        ))
    }
}

/// The short form of a molecule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MolHead<'a> {
    /// See [`Molecule::formula`].
    pub formula: &'a str,
    /// See [`Molecule::state`].
    pub state: MolState,
    /// How its steps ended.
    pub outcome: Option<Outcome>,
    /// How it was put away.
    pub put_away: Option<PutAway>,
    /// In microseconds.
    pub created: i64,
    /// In microseconds.
    pub touched: i64,
    /// See [`Molecule::expires_at`], in microseconds.
    pub expires: Option<i64>,
    /// The step whose output it was made of.
    #[serde(borrow)]
    pub from: Option<(&'a str, &'a str)>,
}

impl MolHead<'_> {
    /// Whether it is there to be worked on.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.put_away.is_none() && self.outcome.is_none()
    }
}

impl Record for Molecule {
    type Note = ();
    type Head<'a> = MolHead<'a>;

    fn id(&self) -> &str {
        &self.id
    }

    fn head<'a>(&'a self, (): &'a ()) -> MolHead<'a> {
        MolHead {
            formula: &self.formula,
            state: self.state,
            outcome: self.outcome,
            put_away: self.closing.as_ref().map(|closing| closing.how),
            created: self.created_at.micros(),
            touched: self.touched_at.micros(),
            expires: self.expires_at().map(Stamp::micros),
            from: self
                .from
                .as_ref()
                .map(|from| (from.mol_id.as_str(), from.step_id.as_str())),
        }
    }

    fn note(_: &MolHead<'_>) {}
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
    /// Keeps nothing of it but that it was there.
    pub(crate) fn forget_steps(&mut self) {
        self.steps.clear();
        self.history.clear();
        self.schedule = None;
    }
}
