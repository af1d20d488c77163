//! One step, as it is told.

use serde::Serialize;
use windlass_formula::{AcceptanceCriterion, CookedStep, Gate};
use windlass_ledger::{Doer, MolStep, Molecule, Stamp};
use windlass_plan::Status;

use crate::step_packs::StepPack;

/// A step with what it asks for.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// Its molecule.
    pub mol_id: String,
    /// Its name.
    pub step_id: String,
    /// What a person calls it.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Why it does not go on, failed or was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What proves the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The number of the attempt.
    pub attempt: u32,
    /// Who has it, or had it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Until when the claim holds without a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// What it asks for, beside the work itself.
    #[serde(flatten)]
    pub asks: StepAsks,
    /// What is to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// What must be so for it to count as done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceCriterion>,
    /// What must be so before it starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// What those who opened them had to say, by gate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<windlass_ledger::MolGate>,
    /// The context pack that whoever has it, or had it last, was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<StepPack>,
    /// What it gave.
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub output: serde_json::Value,
    /// Why its last attempt, or that of another, was sent back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a step asks for, beside the work itself.
#[derive(Debug, Clone, Serialize)]
pub struct StepAsks {
    /// Who does it: an agent, a person together with one, the machine.
    pub doer: Doer,
    /// Who it is meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<String>,
    /// What sort of agent should do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it only looks: nothing is to be changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub review_only: bool,
    /// Whether nothing else of the molecule is done meanwhile.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// What sort of work it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// From 0, critical, to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Its labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Whatever else its author noted.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// How long one attempt may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<windlass_plan::DurationText>,
    /// The most attempts, the first included.
    #[serde(skip_serializing_if = "is_one")]
    pub max_attempts: u32,
    /// The program that says whether it is done.
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
