//! Formula documents in their written form.
//!
//! The JSON Schema of formulas is generated from these types. That's why even obvious fields have a
//! doc comment: editors show it while the author is typing.

mod compose_doc;
pub(crate) mod control_keys;
mod document_mistakes;
mod drain_doc;
mod located_value;
mod node_reader;
mod read_formula;
mod step_doc;
mod variable;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) use self::compose_doc::{
    AdviceDoc, AdviceStepDoc, BondPointDoc, BranchRule, ComposeDoc, ExpandRule, GateRule, HookDoc,
    MapRule, PointcutDoc,
};
pub(crate) use self::drain_doc::{DrainContext, DrainDoc, ItemFailure, MemberAccess};
pub(crate) use self::located_value::Located;
pub use self::read_formula::formula_schema;
pub(crate) use self::read_formula::read_formula;
pub(crate) use self::step_doc::{CheckDoc, CriterionDoc, FanOutDoc, GateDoc, LoopDoc, StepDoc};
pub(crate) use self::variable::{Scalar, VarDoc, VarTable, VarType};
use super::{Dialect, OutputPlaces, Phase, Squash};

/// A workflow template for many agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Formula")]
pub(crate) struct FormulaDoc {
    /// Name, which is also the name of the file.
    pub(crate) formula: Located<String>,
    /// Description.
    pub(crate) description: Option<String>,
    /// The version given by the author, 1 if absent.
    #[schemars(range(min = 1))]
    pub(crate) version: Option<i64>,
    /// The kind of formula. Derived from its contents if absent.
    #[serde(rename = "type")]
    pub(crate) kind: Option<Located<FormulaType>>,
    /// The dialect whose rules apply. Detected if absent.
    pub(crate) dialect: Option<Dialect>,
    /// Formulas it inherits from.
    pub(crate) extends: Option<Vec<Located<String>>>,
    /// Variables, given with `--var name=value` and used as `{{name}}`.
    pub(crate) vars: Option<BTreeMap<String, Located<VarDoc>>>,
    /// Variables, under the name used in convoys.
    pub(crate) inputs: Option<BTreeMap<String, Located<VarDoc>>>,
    /// Steps.
    pub(crate) steps: Option<Vec<Located<StepDoc>>>,
    /// Steps that replace a step of another formula.
    pub(crate) template: Option<Vec<Located<StepDoc>>>,
    /// Composition rules.
    pub(crate) compose: Option<ComposeDoc>,
    /// Steps to weave around others.
    pub(crate) advice: Option<Vec<Located<AdviceDoc>>>,
    /// Steps to weave the advice around.
    pub(crate) pointcuts: Option<Vec<PointcutDoc>>,
    /// Intended lifetime of its molecules.
    pub(crate) phase: Option<Phase>,
    /// True if its steps are worth keeping one by one.
    pub(crate) pour: Option<bool>,
    /// Settings for squashing finished molecules.
    pub(crate) squash: Option<Located<Squash>>,
    /// True if its molecules need a bead to work on.
    pub(crate) target_required: Option<bool>,
    /// True if only other formulas should use it.
    pub(crate) internal: Option<bool>,
    /// True if its molecules run one step at a time.
    pub(crate) single_lane: Option<bool>,
    /// The mode: `report` for a review that changes nothing.
    pub(crate) mode: Option<FormulaMode>,
    /// An entry for a catalogue of formulas, for display only.
    pub(crate) catalog: Option<CatalogDoc>,
    /// The kind of agent that does the work.
    pub(crate) agent: Option<String>,
    /// True for a review that changes nothing.
    pub(crate) review_only: Option<bool>,
    /// Prompts of the legs. In `base`, `{{.leg.description}}` is the description of the leg.
    pub(crate) prompts: Option<BTreeMap<String, Located<String>>>,
    /// Output locations of legs and synthesis.
    pub(crate) output: Option<OutputPlaces>,
    /// Legs, which are done in parallel.
    pub(crate) legs: Option<Vec<Located<LegDoc>>>,
    /// The step that combines the findings of the legs.
    pub(crate) synthesis: Option<Located<SynthesisDoc>>,
    /// Analyses to do in parallel.
    pub(crate) aspects: Option<Vec<Located<LegDoc>>>,
    /// Presets: named selections of legs.
    pub(crate) presets: Option<BTreeMap<String, Located<PresetDoc>>>,
    /// Requirements on the program that cooks it.
    pub(crate) requires: Option<Located<RequiresDoc>>,
    /// The older form of `requires`: `graph.v2`.
    pub(crate) contract: Option<Located<String>>,
    /// The author's additional data, for display only.
    pub(crate) metadata: Option<BTreeMap<String, Value>>,
}

/// Kinds of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormulaType {
    /// Steps with needs.
    Workflow,
    /// A template that replaces a step.
    Expansion,
    /// Advice woven around steps, or analyses done in parallel.
    Aspect,
    /// Parallel legs and a synthesis.
    Convoy,
}

/// Modes of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormulaMode {
    /// A review that changes nothing.
    Report,
}

/// A formula's entry in a catalogue.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCatalog")]
pub(crate) struct CatalogDoc {
    /// The name in the catalogue.
    pub(crate) name: Option<String>,
    /// The description in the catalogue.
    pub(crate) description: Option<String>,
}

/// Work done in parallel with other work.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaLeg")]
pub(crate) struct LegDoc {
    /// Name.
    pub(crate) id: Located<String>,
    /// Title.
    pub(crate) title: Option<String>,
    /// The focus of the work.
    pub(crate) focus: Option<String>,
    /// Instructions.
    pub(crate) description: Option<String>,
    /// The kind of agent that does it.
    pub(crate) agent: Option<String>,
    /// True for a review that changes nothing.
    pub(crate) review_only: Option<bool>,
}

/// The step that combines the findings of the legs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaSynthesis")]
pub(crate) struct SynthesisDoc {
    /// Title.
    pub(crate) title: Option<String>,
    /// Instructions.
    pub(crate) description: Option<String>,
    /// The legs it needs. Needs all legs if absent.
    pub(crate) depends_on: Option<Vec<Located<String>>>,
}

/// A named selection of legs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaPreset")]
pub(crate) struct PresetDoc {
    /// Description.
    pub(crate) description: Option<String>,
    /// Legs.
    pub(crate) legs: Vec<Located<String>>,
}

/// Requirements on the program that cooks a formula.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaRequires")]
pub(crate) struct RequiresDoc {
    /// The version of the formula language, such as `>=2.0.0`.
    pub(crate) formula_compiler: Option<Located<String>>,
}
