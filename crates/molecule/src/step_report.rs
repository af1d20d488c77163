//! Reports about single steps.

use serde::Serialize;
use windlass_formula::{AcceptanceCriterion, CookedStep, Drain, Gate, Scope};
use windlass_ledger::{Doer, MolStep, Molecule, Stamp};
use windlass_plan::Status;

use crate::step_packs::StepPack;

/// A step in full, for its holder.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// The molecule's ID.
    pub mol_id: String,
    /// The step's name.
    pub step_id: String,
    /// The title for readers.
    pub title: String,
    /// The status at the time of the report.
    pub status: Status,
    /// The reason why the step is blocked, has failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The proof of the claim, or `None` if the step isn't claimed. With the token, anyone can act
    /// for the holder, so don't show it to anyone else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The number of the current or last attempt.
    pub attempt: u32,
    /// The current or last holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// The time at which the claim ends unless there's another heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// The step's requirements beyond the work itself.
    #[serde(flatten)]
    pub asks: StepAsks,
    /// Instructions for the work.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Additional notes from the formula.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// The criteria for the finished work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// The gates in front of the step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// The gates that a person opened with inputs, and those inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<windlass_ledger::MolGate>,
    /// The context pack of the current or last holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<StepPack>,
    /// The output, or null if there's none. A large output is null as well unless it has been
    /// loaded; see `stored_output`.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub output: serde_json::Value,
    /// A reference to an output of more than 64 KiB, which is stored in a file of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_output: Option<windlass_ledger::StoredOutput>,
    /// The reason why the last attempt failed or the work was pushed back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A step's requirements beyond the work itself.
#[derive(Debug, Clone, Serialize)]
pub struct StepAsks {
    /// Performer of the step, e.g. an agent or the machine.
    pub doer: Doer,
    /// The actor for whom the step is meant. Unlike `target`, this doesn't keep others from
    /// claiming it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// The kind of agent to perform the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The only agent that may claim the step, by name, group or role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels that a machine needs to run the step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// The step's role in a scope, i.e. in a group of steps that succeed or fail together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The molecules to make at this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// True if the step is a review, which must not change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// True if no other step of the molecule may run at the same time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// The type of work, e.g. `bug`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The priority, from 0 (critical) to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The labels in the formula.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Other metadata from the formula.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// The time limit of one attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<windlass_plan::DurationText>,
    /// The maximum number of attempts, including the first.
    #[serde(skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    /// The path of the program that decides if the step is done.
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
        // A burned molecule has no formula any more. Report what's in the state.
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
            output: step.output.value().cloned().unwrap_or_default(),
            stored_output: step.output.stored().cloned(),
            note: step.note.clone(),
        }
    }
}
