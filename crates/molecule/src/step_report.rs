//! Reports about single steps.

use serde::Serialize;
use windlass_formula::{AcceptanceCriterion, CookedStep, Drain, Gate, Scope};
use windlass_ledger::{Doer, MolStep, Molecule, Stamp};
use windlass_plan::Status;

use crate::step_packs::StepPack;

/// Report about a step and its requirements.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's name.
    pub step_id: String,
    /// Title shown to readers.
    pub title: String,
    /// Status at the time of the report.
    pub status: Status,
    /// The reason why the step is blocked, failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Token proving the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Number of the attempt.
    pub attempt: u32,
    /// Current or last holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Time at which the claim ends without a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// Requirements beyond the work itself.
    #[serde(flatten)]
    pub asks: StepAsks,
    /// Description of the work.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Additional notes for the actor; empty if there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// Criteria that the finished step must meet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// Gates that must open before the step starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// Inputs from the people who opened the gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<windlass_ledger::MolGate>,
    /// The current or last holder's context pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<StepPack>,
    /// The step's output.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub output: serde_json::Value,
    /// The reason why the last attempt failed or the work was pushed back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A step's requirements beyond the work itself.
#[derive(Debug, Clone, Serialize)]
pub struct StepAsks {
    /// Kind of actor performing the step.
    pub doer: Doer,
    /// The actor the step is assigned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// Kind of agent that should perform the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The only agent allowed to claim the step, by name, group or role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels a machine needs to run the step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// The step's role in a scope (a group of steps that succeed or fail together).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Molecules made when the step is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// True if the step is a review, which must not change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// True if no other step of the molecule may run at the same time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Kind of work.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Priority, from 0 (critical) to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The step's labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Other metadata from the formula.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// Time limit for one attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<windlass_plan::DurationText>,
    /// Maximum number of attempts, including the first.
    #[serde(skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    /// Program that decides whether the step is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

impl StepAsks {
    fn of(step: &MolStep, asked: &CookedStep) -> Self {
        Self {
            doer: step.doer,
            meant_for: step.meant_for.clone(),
            agent: step.agent.clone(),
            target: step.target.clone(),
            runs_on: step.runs_on.clone(),
            scope: asked.scope.clone(),
            drain: asked.drain.clone(),
            review_only: asked.review_only,
            alone: step.alone,
            kind: asked.kind.clone(),
            priority: step.priority,
            labels: asked.labels.clone(),
            metadata: asked.metadata.clone(),
            timeout: asked.timeout.clone(),
            max_attempts: step.max_attempts,
            check: asked.check.as_ref().map(|check| check.path.clone()),
        }
    }
}

impl StepReport {
    pub(crate) fn of(molecule: &Molecule, step: &MolStep, asked: Option<&CookedStep>) -> Self {
        let is_held = step.shown() == Status::InProgress;
        let unknown = CookedStep::default();
        let asked = asked.unwrap_or(&unknown);
        let answered = step.gates.iter().filter(|gate| !gate.inputs.is_empty());
        Self {
            mol_id: molecule.id.clone(),
            step_id: step.id.clone(),
            title: step.title.clone(),
            status: molecule.status_of(step),
            reason: molecule.reason(step),
            token: step.token.clone().filter(|_| is_held),
            attempt: step.attempt,
            holder: step.holder.clone(),
            lease_until: step.lease_until.filter(|_| is_held),
            asks: StepAsks::of(step, asked),
            description: asked.description.clone(),
            notes: asked.notes.clone(),
            acceptance: asked.acceptance.clone(),
            gates: asked.gates.clone(),
            answers: answered.cloned().collect(),
            pack: step.pack.as_deref().map(StepPack::of),
            output: step.output.clone(),
            note: step.note.clone(),
        }
    }
}
