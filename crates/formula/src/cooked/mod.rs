//! Cooked formulas: the final graph of steps, with everything decided that can be decided before pouring.

mod condition;
mod cooked_step;
mod drain;
mod gate_input;
mod scope;
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
pub use drain::Drain;
pub use gate_input::{GateInput, InputType, answers};
pub use scope::Scope;
pub use step_origin::{Origin, SourceRole, SourceUsed, Via};

/// Schema version of cooked formulas.
pub const COOKED_VERSION: u64 = 1;

/// A formula with everything it is composed of merged, expanded and woven in, its conditions decided and its graph
/// checked.
///
/// Equal texts, values and options give a byte-identical cooked formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CookedFormula {
    /// Schema version: 1.
    pub schema_version: u64,
    /// Name of the formula.
    pub formula: String,
    /// Kind of formula.
    pub kind: FormulaKind,
    /// Dialect whose rules apply.
    pub dialect: Dialect,
    /// Version given by the author.
    pub version: i64,
    /// Title of its molecules.
    pub title: String,
    /// Description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Variables by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, CookedVar>,
    /// Steps in document order, each one unit of work.
    pub steps: Vec<CookedStep>,
    /// Steps removed by a condition. Their dependents inherit their needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Intended persistence of its molecules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// True if its steps are worth keeping one by one, because lost work would be expensive to repeat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pour: bool,
    /// True if its molecules need a bead that they work on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub target_required: bool,
    /// True if only other formulas use it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Settings for squashing a finished molecule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// Additional data of the author.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// Output locations of the legs of a convoy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputPlaces>,
    /// Points at which other formulas may be attached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bond_points: Vec<CookedBondPoint>,
    /// Attachments that depend on the subject of the molecule, which is not known yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_hooks: Vec<OpenHook>,
    /// Documents it was made from, the formula itself first.
    pub sources: Vec<SourceUsed>,
    /// Digest of the names and contents of all sources; a molecule records it to detect later changes of the files.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// Kind of formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormulaKind {
    /// Steps with needs.
    Workflow,
    /// Template that replaces a step of another formula.
    Expansion,
    /// Advice that is woven around the steps of another formula.
    Aspect,
    /// Parallel legs and a synthesis.
    Convoy,
    /// Parallel analyses of one subject; its documents also declare `type = "aspect"`.
    Analysis,
}

impl FormulaKind {
    /// Returns the kind with its article, for messages.
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

/// Dialect whose rules apply where programs that read formulas differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Beads: a step replaces an inherited step of the same name.
    Beads,
    /// Gas Town: inherited steps cannot be replaced; a second step of the same name is an error.
    Gastown,
    /// Gas City: the rules of beads, with `check`, `retry` and `description_file`.
    Gascity,
}

/// Intended persistence of a molecule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Permanent: `mol pour`.
    Liquid,
    /// Temporary: `mol wisp`.
    Vapor,
}

/// A variable and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CookedVar {
    /// Value; without one, `{{name}}` stays in the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Source of the value.
    pub from: ValueFrom,
    /// Description of the variable.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Source of a variable's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueFrom {
    /// Given by the caller.
    Given,
    /// Default of the formula.
    Default,
    /// No value.
    Unset,
}

/// Step that was removed because its condition does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Name of the step.
    pub id: String,
    /// Condition as written.
    pub condition: String,
    /// Origin of the step.
    pub origin: Origin,
}

/// Settings for squashing a finished molecule, which replaces it by a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Squash {
    /// Trigger: `on_complete`, also the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Kind of digest, recorded in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_type: Option<String>,
    /// True if the digest includes metrics such as duration and number of attempts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_metrics: bool,
}

/// Output locations of the legs of a convoy; they may contain names that are known only at run time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OutputPlaces {
    /// Folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// File of a leg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg_pattern: Option<String>,
    /// File of the synthesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<String>,
}

/// Point at which other formulas may be attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CookedBondPoint {
    /// Name.
    pub id: String,
    /// Description of suitable attachments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Steps after whose end the attachment starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Steps that start after the attachment has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// True if the attachment runs in parallel with the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

/// Formula that is attached if the subject of the molecule matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenHook {
    /// Trigger: `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`.
    pub trigger: String,
    /// Name of the formula.
    pub attach: String,
    /// Name of the bond point; the end of the formula if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

#[cfg(test)]
mod tests;
