use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_plan::{Outcome, Status};

use super::{Bond, MolDigest, MolState, MolStep, Molecule, PutAway};
use crate::Stamp;
use crate::event::MolOrigin;

/// A molecule, as it stands in `mols/ID.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoleculeFile {
    /// `mol-` and letters and digits.
    pub id: String,
    /// The formula it is made of.
    pub formula: String,
    /// The bead it is worked through for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Whether it is kept or passing.
    pub state: MolState,
    /// When it was poured.
    pub created_at: Stamp,
    /// Who poured it.
    pub created_by: String,
    /// What it is called.
    pub title: String,
    /// The digest of the formula's sources when it was poured.
    pub formula_digest: String,
    /// The most steps that are in progress at once; as many as are ready if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// The step whose output it was made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// The molecules that it comes after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Bond>,
    /// When it is gone, if nobody works on it until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Stamp>,
    /// How its steps ended, once nothing is left to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub outcome: Option<Outcome>,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How it was put away: then this is `mols/ID.archive.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away: Option<PutAway>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away_at: Option<Stamp>,
    /// What its formula wants a digest to hold, once it was squashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<MolDigest>,
    /// Its steps, in the order of the formula.
    pub steps: Vec<MolFileStep>,
}

/// A step of a molecule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MolFileStep {
    /// Its name, unique in the molecule.
    pub id: String,
    /// Where it stands.
    pub status: Status,
    /// When its last attempt began.
    pub started_at: Option<Stamp>,
    /// When it was completed.
    pub completed_at: Option<Stamp>,
    /// What a person calls it.
    pub title: String,
    /// Why it does not go on, failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The steps it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The steps whose end it waits for, failed or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Who has it, or had it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Until when the claim holds without a heartbeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// The number of the present or last attempt.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub attempt: u32,
    /// How often it was pushed back to.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub generation: u32,
    /// The context pack that whoever has it, or had it last, was given: its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
}

impl MolFileStep {
    fn of(molecule: &Molecule, step: &MolStep) -> Self {
        let name =
            |at: &windlass_plan::StepIndex| molecule.steps.get(at.index()).map(|s| s.id.clone());
        let is_held = step.status == Status::InProgress;
        Self {
            id: step.id.clone(),
            status: molecule.status_of(step),
            started_at: step.started_at,
            completed_at: step.ended_at.filter(|_| step.status == Status::Completed),
            title: step.title.clone(),
            reason: molecule.reason(step),
            needs: step.needs.iter().filter_map(name).collect(),
            after: step.after.iter().filter_map(name).collect(),
            assignee: step.holder.clone(),
            lease_until: step.lease_until.filter(|_| is_held),
            attempt: step.attempt,
            generation: step.generation,
            pack: step.pack.clone(),
            output: step.output.clone(),
        }
    }
}

impl Molecule {
    /// As it is written for others.
    #[must_use]
    pub fn to_file(&self) -> MoleculeFile {
        MoleculeFile {
            id: self.id.clone(),
            formula: self.formula.clone(),
            bead_id: self.bead_id.clone(),
            state: self.state,
            created_at: self.created_at,
            created_by: self.created_by.clone(),
            title: self.title.clone(),
            formula_digest: self.formula_digest.clone(),
            concurrency: self.concurrency,
            from: self.from.clone(),
            after: self.bonds.clone(),
            expires_at: self.expires_at().filter(|_| self.closing.is_none()),
            outcome: self.outcome,
            ended_at: self.ended_at,
            summary: self.summary.clone(),
            put_away: self.closing.as_ref().map(|closing| closing.how),
            put_away_at: self.closing.as_ref().map(|closing| closing.at),
            digest: MolDigest::of(self),
            steps: self
                .steps
                .iter()
                .map(|step| MolFileStep::of(self, step))
                .collect(),
        }
    }

    /// Why a step does not go on, failed or was skipped, in words.
    #[must_use]
    pub fn reason(&self, step: &MolStep) -> Option<String> {
        match step.status {
            Status::Ready if self.is_waiting() => {
                let after: Vec<_> = self.open_bonds().map(|bond| &*bond.mol_id).collect();
                Some(format!("its molecule comes after {}", after.join(", ")))
            }
            Status::Blocked => {
                let by = step.held_by.and_then(|by| self.steps.get(by.index()));
                if let Some(by) = by {
                    return Some(format!("`{}` failed", by.id));
                }
                let note = step.note.as_deref().unwrap_or("its last attempt failed");
                step.retry_at
                    .map(|at| format!("{note}; it may be tried again from {at}"))
            }
            Status::Ready if step.is_undecided() => {
                Some("whether its condition holds was not looked at".to_owned())
            }
            Status::Ready => {
                let gates = step.closed_gates().filter_map(|at| step.gates.get(at));
                let kinds: Vec<&str> = gates.map(|gate| gate.kind.as_str()).collect();
                (!kinds.is_empty()).then(|| format!("waits for its gate: {}", kinds.join(", ")))
            }
            Status::Failed | Status::Skipped => step.note.clone().filter(|note| !note.is_empty()),
            Status::Pending | Status::InProgress | Status::Completed => None,
        }
    }
}
