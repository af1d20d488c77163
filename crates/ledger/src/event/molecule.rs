//! Events about molecules and about verification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::CookedFormula;

use super::{Fields, Payload};
use crate::Stamp;
use crate::molecule::MolState;
use crate::word_enum::word_enum;

/// Payload of `mol.created`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MolCreated {
    /// Id of the molecule.
    pub mol_id: String,
    /// Name of the formula.
    pub formula: String,
    /// Id of the bead that the molecule serves.
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
    /// For a vapor molecule: lifetime after the last activity, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Step from whose output the molecule was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// Molecules that this one follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<MolBond>,
    /// Cooked formula, with all steps and their needs. Its digest pins the sources.
    #[schemars(with = "CookedFormula")]
    pub cooked: Value,
}

/// Relation of a molecule to the one it follows.
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
    /// Starts if the other molecule fails; otherwise it is squashed.
    Conditional,
}

/// Bond to the molecule that this one follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolBond {
    /// Id of the other molecule.
    pub mol_id: String,
    /// Kind of bond.
    #[serde(default, rename = "type")]
    pub kind: BondKind,
}

/// Step from whose output a molecule was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolOrigin {
    /// Id of its molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Index of the item in the list that is the output, from 0.
    pub index: u32,
}

/// Payload of `mol.step_started`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepStarted {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Actor that claims the step; the event's actor if absent.
    pub assignee: Option<String>,
    /// Token that proves the claim; begins with the attempt number. The event's id if absent.
    pub token: Option<String>,
    /// End of the lease unless a heartbeat extends it.
    pub lease_until: Option<Stamp>,
}

/// Payload of `mol.step_heartbeat`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepHeartbeat {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Token of the claim.
    pub token: String,
    /// New end of the lease.
    pub lease_until: Stamp,
}

/// Payload of `mol.step_packed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepPacked {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Token of the claim.
    pub token: String,
    /// Id of the context pack, a UUID.
    pub pack_id: String,
}

/// Payload of `mol.step_lease_expired`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepLeaseExpired {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Token of the expired claim.
    pub token: String,
    /// Due time by the log's time; missing from older writers, which used their own clocks.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.step_released`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepReleased {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Token of the released claim.
    pub token: String,
    /// Holder of the claim, if another actor releases it.
    pub holder: Option<String>,
    /// Reason.
    pub reason: Option<String>,
}

/// Payload of `mol.step_completed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepCompleted {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Always `completed`.
    #[serde(default = "completed")]
    pub status: String,
    /// Token of the claim; the holder of the step may omit it. A step that only contains others has none.
    pub token: Option<String>,
    /// Output of the step.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
}

fn completed() -> String {
    "completed".to_owned()
}

/// Payload of `mol.step_failed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepFailed {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Token of the claim; the holder of the step may omit it.
    pub token: Option<String>,
    /// Reason.
    pub reason: String,
    /// True if another attempt would be useless, regardless of the step's retry policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_good: bool,
    /// Output despite the failure.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Due time by the log's time; absent unless a timeout caused the failure.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.step_retry_due`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepRetryDue {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Due time by the log's time; missing from older writers, which used their own clocks.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.step_skipped`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepSkipped {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step.
    pub step_id: String,
    /// Reason.
    #[serde(default)]
    pub reason: String,
    /// True if a condition of the step caused the skip; false if an actor did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_condition: bool,
}

/// Payload of `mol.step_condition_held`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepConditionHeld {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step, all of whose conditions hold.
    pub step_id: String,
}

/// Payload of `mol.pushed_back`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolPushedBack {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step to repeat, together with everything that depends on it.
    pub step_id: String,
    /// Id of the step at whose gate this was decided.
    pub from_step: Option<String>,
    /// Reason.
    #[serde(default)]
    pub reason: String,
}

/// Payload of `mol.gate_opened`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolGateOpened {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step behind the gate.
    pub step_id: String,
    /// Index of the gate, from 0.
    pub gate: u32,
    /// Reason.
    pub reason: Option<String>,
    /// Inputs given by the actor that opened it, by name.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub inputs: Fields,
    /// Due time by the log's time; absent if the gate did not wait for a time.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.gate_closed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolGateClosed {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the step behind the gate; the step has failed.
    pub step_id: String,
    /// Index of the gate, from 0.
    pub gate: u32,
    /// Reason why the gate will never open.
    pub reason: String,
    /// True if the gate timed out; false if an actor rejected it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Due time by the log's time; absent unless the gate timed out.
    pub due_at: Option<Stamp>,
}

/// Payload of `mol.changed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolChanged {
    /// Id of the molecule.
    pub mol_id: String,
    /// New maximum number of steps in progress at once; 0 for no limit.
    pub concurrency: Option<u32>,
    /// New lifetime of a claim without a heartbeat, in milliseconds.
    pub lease_ms: Option<u64>,
}

/// Payload of `mol.bonded`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBonded {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the molecule that it follows.
    pub after: String,
    /// Kind of bond.
    #[serde(default, rename = "type")]
    pub kind: BondKind,
}

/// Payload of `mol.bond_met`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBondMet {
    /// Id of the molecule.
    pub mol_id: String,
    /// Id of the molecule that it no longer waits for.
    pub after: String,
}

/// Payload of `mol.completed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolCompleted {
    /// Id of the molecule.
    pub mol_id: String,
    /// Summary of the results.
    #[serde(default)]
    pub summary: String,
}

/// Payload of `mol.squashed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolSquashed {
    /// Id of the molecule.
    pub mol_id: String,
    /// Summary of the results.
    #[serde(default)]
    pub summary: String,
}

/// Payload of `mol.burned`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBurned {
    /// Id of the molecule.
    pub mol_id: String,
    /// Reason.
    #[serde(default)]
    pub reason: String,
    /// Due time by the log's time; absent if an actor burned the molecule.
    pub due_at: Option<Stamp>,
}

impl Payload {
    /// Returns the due time in the log's time, if the event was caused by the passage of time.
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
    /// Verdict of a verification.
    #[derive(Default)]
    VerifyOutcome, "verdict" {
        /// All criteria hold.
        Pass = "PASS",
        /// At least one criterion does not hold.
        Fail = "FAIL",
        /// A person must decide: a criterion cannot be checked by a program.
        #[default]
        NeedsHuman = "NEEDS_HUMAN",
    }
}

/// Payload of `verify.started`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct VerifyStarted {
    /// Id of the bead under verification.
    pub bead_id: Option<String>,
    /// Id of the molecule under verification.
    pub mol_id: Option<String>,
    /// Id of the step under verification.
    pub step_id: Option<String>,
}

/// Payload of `verify.verdict`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct VerifyVerdict {
    /// Id of the verified bead.
    pub bead_id: Option<String>,
    /// Id of the verified molecule.
    pub mol_id: Option<String>,
    /// Id of the verified step.
    pub step_id: Option<String>,
    /// Verdict.
    pub verdict: VerifyOutcome,
    /// Number of criteria that hold.
    #[serde(default)]
    pub criteria_passed: u32,
    /// Number of criteria that do not hold.
    #[serde(default)]
    pub criteria_failed: u32,
    /// Reason.
    #[serde(default)]
    pub reasoning: String,
    /// Path of the evidence file, relative to the folder that contains `.beads`.
    pub evidence: Option<String>,
}
