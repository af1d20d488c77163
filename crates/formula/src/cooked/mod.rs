//! Cooked formulas: the final graph of steps.
//!
//! Cooking decides everything that can be known before a molecule is poured, such as conditions on
//! variables. Whatever depends on results is stored here as data (see [`RunCondition`]), and is
//! left to the running molecule.

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

/// The value of [`CookedFormula::schema_version`]. Raise it when older versions of Windlass would
/// misread what we write.
pub const COOKED_VERSION: u64 = 1;

/// A formula after cooking. Everything it's composed of is merged, expanded and woven in, its
/// conditions are decided, and its graph is checked.
///
/// Equal texts, values and options give a byte-identical cooked formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CookedFormula {
    /// The schema version, which is 1.
    pub schema_version: u64,
    /// The formula's name.
    pub formula: String,
    /// The kind of formula.
    pub kind: FormulaKind,
    /// The dialect whose rules apply.
    pub dialect: Dialect,
    /// The version given by the author.
    pub version: i64,
    /// The title of its molecules.
    pub title: String,
    /// Description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Variables by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, CookedVar>,
    /// Steps in document order, each one unit of work.
    pub steps: Vec<CookedStep>,
    /// Steps removed by a condition. Their dependents inherited their needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Intended lifetime of its molecules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// True if its steps are worth keeping one by one, because lost work would be expensive to
    /// repeat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pour: bool,
    /// True if its molecules need a bead to work on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub target_required: bool,
    /// True if only other formulas should use it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Settings for squashing finished molecules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// The author's additional data.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
    /// Output locations for the legs of a convoy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputPlaces>,
    /// Points where other formulas may be attached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bond_points: Vec<CookedBondPoint>,
    /// Attachments that depend on the subject of the molecule, which isn't known yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_hooks: Vec<OpenHook>,
    /// The documents it was made from, starting with the formula itself.
    pub sources: Vec<SourceUsed>,
    /// Digest of the names and contents of all sources. A molecule records it so that we can tell
    /// later if the files have changed.
    #[schemars(with = "String")]
    pub digest: Digest,
}

/// Kinds of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormulaKind {
    /// Steps with needs.
    Workflow,
    /// A template that replaces a step of another formula.
    Expansion,
    /// Advice woven around the steps of another formula.
    Aspect,
    /// Parallel legs and a synthesis.
    Convoy,
    /// Parallel analyses of one subject. Like aspects, they're declared with `type = "aspect"`.
    Analysis,
}

impl FormulaKind {
    /// Returns the kind with its article for use in messages, e.g. `an aspect`.
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

/// Dialects of the formula language. The rules of the dialect apply where programs that read
/// formulas disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Beads, where a step replaces an inherited step of the same name.
    Beads,
    /// Gas Town, where a second step of the same name is an error. Inherited steps can't be
    /// replaced.
    Gastown,
    /// Gas City, with the rules of beads plus `check`, `retry` and `description_file`.
    Gascity,
}

/// Intended lifetimes of molecules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Permanent, as made by `mol pour`.
    Liquid,
    /// Temporary, as made by `mol wisp`.
    Vapor,
}

/// A variable and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CookedVar {
    /// The value. Without one, `{{name}}` stays in the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The source of the value.
    pub from: ValueFrom,
    /// The variable's description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Sources of a variable's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueFrom {
    /// The caller gave it.
    Given,
    /// It's the formula's default.
    Default,
    /// There's no value.
    Unset,
}

/// A step removed because its condition doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The step's name.
    pub id: String,
    /// The condition as written.
    pub condition: String,
    /// The place where the step was defined, and its way from there.
    pub origin: Origin,
}

/// Settings for squashing a finished molecule, which replaces it with a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Squash {
    /// The trigger. `on_complete` is also the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The kind of digest, which is recorded in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_type: Option<String>,
    /// True if the digest includes metrics such as the duration and the number of attempts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_metrics: bool,
}

/// Output locations for the legs of a convoy. They may contain names only known at run time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OutputPlaces {
    /// The folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The file of each leg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg_pattern: Option<String>,
    /// The file of the synthesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<String>,
}

/// A point where other formulas may be attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CookedBondPoint {
    /// The bond point's name.
    pub id: String,
    /// A description of suitable attachments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Steps that the attachment waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Steps that wait for the attachment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// True if the attachment runs in parallel with the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

/// A formula to attach if the subject of the molecule matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenHook {
    /// The trigger: `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`.
    pub trigger: String,
    /// The name of the formula to attach.
    pub attach: String,
    /// The name of the bond point. Attached at the end of the formula if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

#[cfg(test)]
mod tests;
