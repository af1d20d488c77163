//! Events about molecules, and about what was verified.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::CookedFormula;

use super::{Fields, Payload};
use crate::Stamp;
use crate::molecule::MolState;
use crate::word_enum::word_enum;

/// `mol.created`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MolCreated {
    /// Its id.
    pub mol_id: String,
    /// The formula it is made of.
    pub formula: String,
    /// The bead it is worked through for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Whether it is kept or passing.
    pub state: MolState,
    /// What it is called; as the formula if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The most steps that are in progress at once; as many as are ready if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// How long a claim holds without a heartbeat, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// Of one that passes: how long after it was last worked on, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// The step whose output it was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<MolOrigin>,
    /// The molecules that it comes after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<MolBond>,
    /// The formula as it was cooked: all steps, with what they need. The digest in it pins its sources.
    #[schemars(with = "CookedFormula")]
    pub cooked: Value,
}

/// How a molecule comes after another.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BondKind {
    /// It begins when the other is done.
    #[default]
    Sequential,
    /// It belongs to the other, and waits for nothing.
    Parallel,
    /// It begins if the other fails, and is put away if that is done.
    Conditional,
}

/// That a molecule comes after another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolBond {
    /// The other.
    pub mol_id: String,
    /// In which way.
    #[serde(default, rename = "type")]
    pub kind: BondKind,
}

/// The step whose output a molecule was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolOrigin {
    /// Its molecule.
    pub mol_id: String,
    /// The step.
    pub step_id: String,
    /// Which item of the list in its output, from 0.
    pub index: u32,
}

/// `mol.step_started`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepStarted {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// Who does it; the actor if not given.
    pub assignee: Option<String>,
    /// What proves the claim from now on, the number of the attempt first; the event's id if not given.
    pub token: Option<String>,
    /// Until when the claim holds without a heartbeat.
    pub lease_until: Option<Stamp>,
}

/// `mol.step_heartbeat`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepHeartbeat {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// The token of the claim.
    pub token: String,
    /// Until when the claim holds from now on.
    pub lease_until: Stamp,
}

/// `mol.step_packed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepPacked {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// The token of the claim.
    pub token: String,
    /// The context pack: its id, a UUID.
    pub pack_id: String,
}

/// `mol.step_lease_expired`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepLeaseExpired {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// The token of the claim that is over.
    pub token: String,
    /// When it was due by the log's time; older writers went by their own clocks.
    pub due_at: Option<Stamp>,
}

/// `mol.step_released`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepReleased {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// The token of the claim that is given back.
    pub token: String,
    /// The holder of the claim, where somebody else gives it back.
    pub holder: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// `mol.step_completed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepCompleted {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// `completed`
    #[serde(default = "completed")]
    pub status: String,
    /// The token of the claim; whoever has the step may complete it without. A step that only contains others has none.
    pub token: Option<String>,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
}

fn completed() -> String {
    "completed".to_owned()
}

/// `mol.step_failed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepFailed {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// The token of the claim; whoever has the step may let it fail without.
    pub token: Option<String>,
    /// Why.
    pub reason: String,
    /// Whether another attempt could not do better either, whatever the policy of the step allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_good: bool,
    /// What it gave all the same.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// When it was due by the log's time; not given where its time is not up.
    pub due_at: Option<Stamp>,
}

/// `mol.step_retry_due`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepRetryDue {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// When it was due by the log's time; older writers went by their own clocks.
    pub due_at: Option<Stamp>,
}

/// `mol.step_skipped`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepSkipped {
    /// Which molecule.
    pub mol_id: String,
    /// Which step.
    pub step_id: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// Whether a condition of the step left it out; otherwise somebody did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_condition: bool,
}

/// `mol.step_condition_held`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolStepConditionHeld {
    /// Which molecule.
    pub mol_id: String,
    /// The step that is to be done, since all its conditions hold.
    pub step_id: String,
}

/// `mol.pushed_back`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolPushedBack {
    /// Which molecule.
    pub mol_id: String,
    /// The step that is to be done anew, and all that follows from it.
    pub step_id: String,
    /// The step at whose gate that was decided.
    pub from_step: Option<String>,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// `mol.gate_opened`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolGateOpened {
    /// Which molecule.
    pub mol_id: String,
    /// The step that the gate stands before.
    pub step_id: String,
    /// Which of its gates, from 0.
    pub gate: u32,
    /// Why.
    pub reason: Option<String>,
    /// What who opened it had to say, by name.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub inputs: Fields,
    /// When it was due by the log's time; not given where no time was waited for.
    pub due_at: Option<Stamp>,
}

/// `mol.gate_closed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolGateClosed {
    /// Which molecule.
    pub mol_id: String,
    /// The step that the gate stands before; it has failed.
    pub step_id: String,
    /// Which of its gates, from 0.
    pub gate: u32,
    /// Why it will never open.
    pub reason: String,
    /// Whether it was not opened in time; otherwise somebody said no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// When it was due by the log's time; not given where its time is not up.
    pub due_at: Option<Stamp>,
}

/// `mol.changed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolChanged {
    /// Which molecule.
    pub mol_id: String,
    /// The most steps that are in progress at once from now on; 0 for as many as are ready.
    pub concurrency: Option<u32>,
    /// How long a claim holds without a heartbeat from now on, in milliseconds.
    pub lease_ms: Option<u64>,
}

/// `mol.bonded`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBonded {
    /// Which molecule.
    pub mol_id: String,
    /// The molecule that it comes after.
    pub after: String,
    /// In which way.
    #[serde(default, rename = "type")]
    pub kind: BondKind,
}

/// `mol.bond_met`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBondMet {
    /// Which molecule.
    pub mol_id: String,
    /// The molecule that it waited for, and need wait for no longer.
    pub after: String,
}

/// `mol.completed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolCompleted {
    /// Which molecule.
    pub mol_id: String,
    /// What came of it.
    #[serde(default)]
    pub summary: String,
}

/// `mol.squashed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolSquashed {
    /// Which molecule.
    pub mol_id: String,
    /// What came of it.
    #[serde(default)]
    pub summary: String,
}

/// `mol.burned`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MolBurned {
    /// Which molecule.
    pub mol_id: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// When it was due by the log's time; not given where somebody did it by hand.
    pub due_at: Option<Stamp>,
}

impl Payload {
    /// When it was due by the log's time, for what time brought about.
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
    /// What came of verifying.
    #[derive(Default)]
    VerifyOutcome, "verdict" {
        /// Everything that was asked for holds.
        Pass = "PASS",
        /// Something does not.
        Fail = "FAIL",
        /// A person has to look: something cannot be told by a program.
        #[default]
        NeedsHuman = "NEEDS_HUMAN",
    }
}

/// `verify.started`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct VerifyStarted {
    /// The bead whose work is verified.
    pub bead_id: Option<String>,
    /// The molecule whose work is verified.
    pub mol_id: Option<String>,
    /// The step of it.
    pub step_id: Option<String>,
}

/// `verify.verdict`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct VerifyVerdict {
    /// The bead whose work was verified.
    pub bead_id: Option<String>,
    /// The molecule whose work was verified.
    pub mol_id: Option<String>,
    /// The step of it.
    pub step_id: Option<String>,
    /// What came of it.
    pub verdict: VerifyOutcome,
    /// How many criteria hold.
    #[serde(default)]
    pub criteria_passed: u32,
    /// How many do not.
    #[serde(default)]
    pub criteria_failed: u32,
    /// Why.
    #[serde(default)]
    pub reasoning: String,
    /// The file with what was found, from the folder that `.beads` lies in.
    pub evidence: Option<String>,
}
