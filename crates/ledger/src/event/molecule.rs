//! Payloads of `mol.*` and `verify.*` events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::CookedFormula;

use super::{Fields, Payload};
use crate::Stamp;
use crate::molecule::{MolState, StoredOutput};
use windlass_base::word_enum;

/// Payload of `mol.created`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MolCreated {
    /// The molecule's id.
    pub mol_id: String,
    /// The formula's name.
    pub formula: String,
    /// The bead served by the molecule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Persistence: liquid or vapor.
    pub state: MolState,
    /// Title; the formula's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Maximum number of steps in progress at once; unlimited if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Lifetime of a claim without a heartbeat, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// For a vapor molecule, its lifetime after the last activity in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Step whose output the molecule was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// Molecules this one follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<MolBond>,
    /// Cooked formula with all steps and their needs. Its digest pins the sources.
    #[schemars(with = "CookedFormula")]
    pub cooked: Value,
}

/// A molecule's relation to the one it follows.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BondKind {
    /// Starts when the other molecule is done.
    #[default]
    Sequential,
    /// Belongs to the other molecule and waits for nothing.
    Parallel,
    /// Starts if the other molecule fails, and is squashed otherwise.
    Conditional,
}

/// Bond to the molecule this one follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolBond {
    /// The other molecule's id.
    pub mol_id: String,
    /// Kind of bond.
    #[serde(default, rename = "type")]
    pub kind: BondKind,
}

/// Step whose output a molecule was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolOrigin {
    /// Id of the step's molecule.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// Index of the item in the output list, from 0.
    pub index: u32,
}

/// Payload of `mol.step_started`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepStarted {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// The actor claiming the step; the event's actor if absent.
    pub assignee: Option<String>,
    /// Token proving the claim, which begins with the attempt number. The event's id if absent.
    pub token: Option<String>,
    /// End of the lease, unless a heartbeat extends it.
    pub lease_until: Option<Stamp>,
}

/// Payload of `mol.step_heartbeat`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepHeartbeat {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// The claim's token.
    pub token: String,
    /// New end of the lease.
    pub lease_until: Stamp,
}

/// Payload of `mol.step_packed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepPacked {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// The claim's token.
    pub token: String,
    /// The context pack's id, a UUID.
    pub pack_id: String,
}

/// Payload of `mol.step_lease_expired`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepLeaseExpired {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// The expired claim's token.
    pub token: String,
    /// Due time in the log's time. Missing from older writers, which used their own clocks.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.step_released`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepReleased {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// The released claim's token.
    pub token: String,
    /// The claim's holder, if another actor releases it.
    pub holder: Option<String>,
    /// Reason for the release.
    pub reason: Option<String>,
}

/// Payload of `mol.step_completed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepCompleted {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// Always `completed`.
    #[serde(default = "completed")]
    pub status: String,
    /// The claim's token; the holder may omit it. A step that only contains others has none.
    pub token: Option<String>,
    /// The step's output.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Reference to an output above 64 KiB, which is stored apart from the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_output: Option<StoredOutput>,
}

fn completed() -> String {
    "completed".to_owned()
}

/// Payload of `mol.step_failed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepFailed {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// The claim's token; the holder may omit it.
    pub token: Option<String>,
    /// Reason for the failure.
    pub reason: String,
    /// True if another attempt would be useless, whatever the step's retry policy says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_good: bool,
    /// Output despite the failure.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Reference to an output above 64 KiB, which is stored apart from the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_output: Option<StoredOutput>,
    /// Due time in the log's time, if a timeout caused the failure.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.step_retry_due`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepRetryDue {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// Due time in the log's time. Missing from older writers, which used their own clocks.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.step_skipped`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepSkipped {
    /// The molecule's id.
    pub mol_id: String,
    /// The step's id.
    pub step_id: String,
    /// Reason for skipping the step.
    #[serde(default)]
    pub reason: String,
    /// True if a condition of the step caused the skip, false if an actor did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_condition: bool,
}

/// Payload of `mol.step_condition_held`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepConditionHeld {
    /// The molecule's id.
    pub mol_id: String,
    /// Id of the step whose conditions all hold.
    pub step_id: String,
}

/// Payload of `mol.pushed_back`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolPushedBack {
    /// The molecule's id.
    pub mol_id: String,
    /// The step to repeat, together with everything that depends on it.
    pub step_id: String,
    /// The step at whose gate this was decided.
    pub from_step: Option<String>,
    /// Reason for the push-back.
    #[serde(default)]
    pub reason: String,
}

/// Payload of `mol.gate_opened`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolGateOpened {
    /// The molecule's id.
    pub mol_id: String,
    /// The step behind the gate.
    pub step_id: String,
    /// Index of the gate, from 0.
    pub gate: u32,
    /// Reason for opening the gate.
    pub reason: Option<String>,
    /// Inputs from the actor that opened the gate, by name.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub inputs: Fields,
    /// Due time in the log's time, if the gate waited for a time.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.gate_closed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolGateClosed {
    /// The molecule's id.
    pub mol_id: String,
    /// The step behind the gate, which has failed.
    pub step_id: String,
    /// Index of the gate, from 0.
    pub gate: u32,
    /// The reason the gate will never open.
    pub reason: String,
    /// True if the gate timed out, false if an actor rejected it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Due time in the log's time, if the gate timed out.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.changed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolChanged {
    /// The molecule's id.
    pub mol_id: String,
    /// New maximum number of steps in progress at once; 0 for no limit.
    pub concurrency: Option<u32>,
    /// New lifetime of a claim without a heartbeat, in milliseconds.
    pub lease_ms: Option<u64>,
}

/// Payload of `mol.bonded`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBonded {
    /// The molecule's id.
    pub mol_id: String,
    /// The molecule it follows.
    pub after: String,
    /// Kind of bond.
    #[serde(default, rename = "type")]
    pub kind: BondKind,
}

/// Payload of `mol.bond_met`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBondMet {
    /// The molecule's id.
    pub mol_id: String,
    /// The molecule it no longer waits for.
    pub after: String,
}

/// Payload of `mol.completed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolCompleted {
    /// The molecule's id.
    pub mol_id: String,
    /// Summary of the results.
    #[serde(default)]
    pub summary: String,
}

/// Payload of `mol.squashed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolSquashed {
    /// The molecule's id.
    pub mol_id: String,
    /// Summary of the results.
    #[serde(default)]
    pub summary: String,
}

/// Payload of `mol.burned`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBurned {
    /// The molecule's id.
    pub mol_id: String,
    /// Reason for discarding the molecule.
    #[serde(default)]
    pub reason: String,
    /// Due time in the log's time; absent if an actor burned the molecule.
    pub due_at: Option<Stamp>,
}

impl Payload {
    /// The deadline that caused the event, in the log's time. `None` if an actor caused it, or
    /// an older version wrote it.
    pub(crate) fn due_at(&self) -> Option<Stamp> {
        match self {
            Self::MolStepLeaseExpired(data) => data.due_at,
            Self::MolStepRetryDue(data) => data.due_at,
            Self::MolStepFailed(data) => data.due_at,
            Self::MolGateOpened(data) => data.due_at,
            Self::MolGateClosed(data) => data.due_at,
            Self::MolBurned(data) => data.due_at,
            _ => None,
        }
    }
}

word_enum! {
    /// Verdicts of verifications.
    #[derive(Default)]
    VerifyOutcome, "verdict" {
        /// All criteria hold.
        Pass = "PASS",
        /// At least one criterion doesn't hold.
        Fail = "FAIL",
        /// A person must decide, because no program can check a criterion.
        #[default]
        NeedsHuman = "NEEDS_HUMAN",
    }
}

/// Payload of `verify.started`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct VerifyStarted {
    /// The bead under verification.
    pub bead_id: Option<String>,
    /// The molecule under verification.
    pub mol_id: Option<String>,
    /// The step under verification.
    pub step_id: Option<String>,
}

/// Payload of `verify.verdict`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct VerifyVerdict {
    /// The verified bead.
    pub bead_id: Option<String>,
    /// The verified molecule.
    pub mol_id: Option<String>,
    /// The verified step.
    pub step_id: Option<String>,
    /// The verdict reached.
    pub verdict: VerifyOutcome,
    /// Number of criteria that hold.
    #[serde(default)]
    pub criteria_passed: u32,
    /// Number of criteria that don't hold.
    #[serde(default)]
    pub criteria_failed: u32,
    /// Reasoning behind the verdict.
    #[serde(default)]
    pub reasoning: String,
    /// Path of the evidence file, relative to the folder containing `.beads`.
    pub evidence: Option<String>,
}
