//! What a formula is cooked to: the final graph of steps, everything decided that can be decided before it is poured.

mod condition;
mod cooked_step;
mod gate_input;
mod step_origin;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Digest;

pub use condition::{CompareOp, Comparison, LookAt, RunCondition, StepSet, TestOver};
pub use cooked_step::{
    AcceptanceCriterion, CheckSpec, CookedStep, FanOut, FanOutOrder, Gate, GateKind, Need,
    NeedKind, OnExhausted, RetryPolicy, RunIf, WaitMode, WaitsFor,
};
pub use gate_input::{GateInput, InputType, answers};
pub use step_origin::{Origin, SourceRole, SourceUsed, Via};

/// The version of the form of a cooked formula.
pub const COOKED_VERSION: u64 = 1;

/// A formula with all it is composed of merged, expanded and woven, its conditions decided, its graph checked.
///
/// The same texts, values and options give the same cooked formula, byte for byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CookedFormula {
    /// The version of this form: 1.
    pub schema_version: u64,
    /// The name of the formula.
    pub formula: String,
    /// What sort of formula it is.
    pub kind: FormulaKind,
    /// Whose rules it was read by, where they differ.
    pub dialect: Dialect,
    /// The version its author gave it.
    pub version: i64,
    /// What a molecule of it is called.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its variables, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, CookedVar>,
    /// The steps, in the order of the documents; each stands for one unit of work.
    pub steps: Vec<CookedStep>,
    /// Steps that a condition left out. What needed them needs what they needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How it is meant to be kept when it is poured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Whether its steps are worth keeping one by one: what would be lost without is not got back cheaply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pour: bool,
    /// What becomes of the molecule when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// Whatever else its author notes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// Where the legs of a convoy put what they find.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputPlaces>,
    /// Where other formulas may be attached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bond_points: Vec<CookedBondPoint>,
    /// Attachments that depend on what the formula is poured for, which was not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_hooks: Vec<OpenHook>,
    /// The documents it was made of, the formula itself first.
    pub sources: Vec<SourceUsed>,
    /// The digest of names and contents of all sources: a molecule notes it, to say later that a file has changed since.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// What sort of formula it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormulaKind {
    /// Steps with needs.
    Workflow,
    /// A template that stands in for a step of another formula.
    Expansion,
    /// Advice that is woven around steps of another formula.
    Aspect,
    /// Parallel legs and a synthesis.
    Convoy,
    /// Parallel analyses of one thing. Its documents say `type = "aspect"` as well.
    Analysis,
}

impl FormulaKind {
    /// As messages call it.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Self::Workflow => "a workflow",
            Self::Expansion => "an expansion",
            Self::Aspect => "an aspect",
            Self::Convoy => "a convoy",
            Self::Analysis => "a parallel analysis",
        }
    }
}

/// Whose rules a formula is read by, where the programs that read formulas differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Those of beads: a step of the name of an inherited one replaces it.
    Beads,
    /// Those of Gas Town: inherited steps cannot be replaced, a second step of one name is an error.
    Gastown,
    /// Those of Gas City, which are those of beads, with `check`, `retry` and `description_file`.
    Gascity,
}

/// How a molecule is meant to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Kept: `mol pour`.
    Liquid,
    /// Passing: `mol wisp`.
    Vapor,
}

/// A variable and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CookedVar {
    /// Its value; without one, `{{name}}` stays in the texts as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Where the value is from.
    pub from: ValueFrom,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Where the value of a variable is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueFrom {
    /// It was given.
    Given,
    /// The formula says so.
    Default,
    /// There is none.
    Unset,
}

/// A step that is not there, since its condition does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Its name.
    pub id: String,
    /// The condition, as written.
    pub condition: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// What becomes of a molecule when it is done: a digest of it takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Squash {
    /// When it is squashed: `on_complete`, which is meant if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// What sort of digest it leaves, which is noted in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_type: Option<String>,
    /// Whether the digest holds numbers: how long it took, how many attempts it needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_metrics: bool,
}

/// Where the legs of a convoy put what they find; names that are known only when it runs are still in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OutputPlaces {
    /// The folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The file of a leg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg_pattern: Option<String>,
    /// The file of the synthesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<String>,
}

/// A place where other formulas may be attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CookedBondPoint {
    /// Its name.
    pub id: String,
    /// What should be attached here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What is attached starts when these have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// These start when what is attached has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Whether what is attached is done beside the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

/// A formula that is attached when what the molecule is poured for fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenHook {
    /// When: `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`.
    pub trigger: String,
    /// The formula.
    pub attach: String,
    /// The bond point; the end of the formula if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

#[cfg(test)]
mod tests;
