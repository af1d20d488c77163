//! The form of a molecule for readers, as it's in `mols/ID.json`.
//!
//! The state has more than readers need, such as the schedule and the tokens of claims. Tokens must
//! stay out of here, since anyone with one can complete the step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::Scope;
use windlass_plan::{Outcome, Status};

use super::mol_scope::Scopes;
use super::{Bond, MolDigest, MolState, MolStep, Molecule, PutAway, StoredOutput};
use crate::Stamp;
use crate::event::MolOrigin;

/// A molecule, as stored in `mols/ID.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoleculeFile {
    /// Id: `mol-` followed by letters and digits.
    pub id: String,
    /// The formula's name.
    pub formula: String,
    /// The bead served by the molecule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Liquid or vapor.
    pub state: MolState,
    /// Time of pouring.
    pub created_at: Stamp,
    /// The actor that poured it.
    pub created_by: String,
    /// Title shown to readers.
    pub title: String,
    /// Digest of the formula's sources at the time of pouring.
    pub formula_digest: String,
    /// Maximum number of steps in progress at once; unlimited if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Step whose output the molecule was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// Bonds to the molecules this one follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Bond>,
    /// Time of expiry without further activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Stamp>,
    /// Outcome, once no step is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub outcome: Option<Outcome>,
    /// Time of that outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Stamp>,
    /// Summary of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Squashed or burned, once the molecule is closed. The file is then `mols/ID.archive.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away: Option<PutAway>,
    /// Time of closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away_at: Option<Stamp>,
    /// Digest requested by the formula, once the molecule is squashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<MolDigest>,
    /// The steps in formula order.
    pub steps: Vec<MolFileStep>,
}

/// A step of a molecule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MolFileStep {
    /// Id, unique in the molecule.
    pub id: String,
    /// Displayed status.
    pub status: Status,
    /// Start of the last attempt.
    pub started_at: Option<Stamp>,
    /// Time of completion.
    pub completed_at: Option<Stamp>,
    /// Title shown to readers.
    pub title: String,
    /// The reason why the step is blocked, failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Ids of the steps it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Ids of the steps it follows, even if they fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The only agent allowed to claim it, by name, group or role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Labels a machine needs to run it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_on: Vec<String>,
    /// The step's part in a scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Current or last holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// End of the lease, unless a heartbeat extends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Stamp>,
    /// Number of the current or last attempt.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub attempt: u32,
    /// Number of push-backs so far.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub generation: u32,
    /// Id of the context pack given to the current or last holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The step's output.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Reference to an output above 64 KiB, which is stored apart from the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_output: Option<StoredOutput>,
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
            target: step.target.clone(),
            runs_on: step.runs_on.clone(),
            scope: Scopes(molecule).part_of(step),
            assignee: step.holder.clone(),
            lease_until: step.lease_until.filter(|_| is_held),
            attempt: step.attempt,
            generation: step.generation,
            pack: step.pack.clone(),
            output: step.output.value().cloned().unwrap_or_default(),
            stored_output: step.output.stored().cloned(),
        }
    }
}

impl Molecule {
    /// Converts the molecule to the form for readers.
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

    /// Explains why a step is blocked, failed or was skipped. `None` for any other step.
    #[must_use]
    pub fn reason(&self, step: &MolStep) -> Option<String> {
        match step.status {
            Status::Ready if self.is_waiting() => {
                let after: Vec<_> = self.open_bonds().map(|bond| &*bond.mol_id).collect();
                Some(format!("its molecule waits for {}", after.join(", ")))
            }
            Status::Blocked => {
                let by = step.held_by.and_then(|by| self.steps.get(by.index()));
                // The step waits behind a failed one. Otherwise, it has failed itself and waits for
                // its next attempt.
                if let Some(by) = by {
                    return Some(format!("`{}` failed", by.id));
                }
                let note = step.note.as_deref().unwrap_or("its last attempt failed");
                step.retry_at
                    .map(|at| format!("{note}; next attempt at {at}"))
            }
            Status::Ready if step.is_undecided() => {
                Some("its condition was not evaluated yet".to_owned())
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
