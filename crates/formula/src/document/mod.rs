//! A formula as its author wrote it. The types give its JSON Schema as well.

mod compose_doc;
mod document_mistakes;
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
pub(crate) use self::located_value::Located;
pub use self::read_formula::formula_schema;
pub(crate) use self::read_formula::read_formula;
pub(crate) use self::step_doc::{CheckDoc, CriterionDoc, FanOutDoc, GateDoc, LoopDoc, StepDoc};
pub(crate) use self::variable::{Scalar, VarDoc, VarTable, VarType};
use super::{Dialect, OutputPlaces, Phase, Squash};

/// A workflow template that many agents work through.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Formula")]
pub(crate) struct FormulaDoc {
    /// Its name, which is the name of its file.
    pub(crate) formula: Located<String>,
    /// What it is for.
    pub(crate) description: Option<String>,
    /// The version its author gives it; 1 if not said.
    #[schemars(range(min = 1))]
    pub(crate) version: Option<i64>,
    /// What sort of formula it is; without, what it holds says so.
    #[serde(rename = "type")]
    pub(crate) kind: Option<Located<FormulaType>>,
    /// Whose rules it is read by, where the programs that read formulas differ; without, its words tell.
    pub(crate) dialect: Option<Dialect>,
    /// Formulas it inherits from.
    pub(crate) extends: Option<Vec<Located<String>>>,
    /// What may be given with `--var name=value`; `{{name}}` stands for its value.
    pub(crate) vars: Option<BTreeMap<String, Located<VarDoc>>>,
    /// The same, as convoys call it.
    pub(crate) inputs: Option<BTreeMap<String, Located<VarDoc>>>,
    /// The steps.
    pub(crate) steps: Option<Vec<Located<StepDoc>>>,
    /// The steps that stand in for a step of another formula.
    pub(crate) template: Option<Vec<Located<StepDoc>>>,
    /// What it is composed of.
    pub(crate) compose: Option<ComposeDoc>,
    /// Steps that are woven around others.
    pub(crate) advice: Option<Vec<Located<AdviceDoc>>>,
    /// The steps that advice is woven around.
    pub(crate) pointcuts: Option<Vec<PointcutDoc>>,
    /// How it is meant to be kept when it is poured.
    pub(crate) phase: Option<Phase>,
    /// Whether its steps are worth keeping one by one.
    pub(crate) pour: Option<bool>,
    /// What becomes of the molecule when it is done.
    pub(crate) squash: Option<Located<Squash>>,
    /// What sort of agent does the work.
    pub(crate) agent: Option<String>,
    /// Whether it only looks: nothing is to be changed.
    pub(crate) review_only: Option<bool>,
    /// What each leg is told: `base`, in which `{{.leg.description}}` is what the leg says itself.
    pub(crate) prompts: Option<BTreeMap<String, Located<String>>>,
    /// Where legs and synthesis put what they find.
    pub(crate) output: Option<OutputPlaces>,
    /// Work that is done in parallel.
    pub(crate) legs: Option<Vec<Located<LegDoc>>>,
    /// What makes one of what the legs found.
    pub(crate) synthesis: Option<Located<SynthesisDoc>>,
    /// Analyses that are done in parallel.
    pub(crate) aspects: Option<Vec<Located<LegDoc>>>,
    /// Choices of legs, by name.
    pub(crate) presets: Option<BTreeMap<String, Located<PresetDoc>>>,
    /// What a program must be able to do to cook it.
    pub(crate) requires: Option<Located<RequiresDoc>>,
    /// The older way to say so: `graph.v2`.
    pub(crate) contract: Option<Located<String>>,
    /// Whatever else its author notes: it is shown, and nothing else is done with it.
    pub(crate) metadata: Option<BTreeMap<String, Value>>,
}

/// What sort of formula it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FormulaType {
    /// Steps with needs.
    Workflow,
    /// A template that stands in for a step.
    Expansion,
    /// Advice that is woven around steps, or analyses that are done in parallel.
    Aspect,
    /// Parallel legs and a synthesis.
    Convoy,
}

/// Work that is done beside other work.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaLeg")]
pub(crate) struct LegDoc {
    /// Its name.
    pub(crate) id: Located<String>,
    /// What a person calls it.
    pub(crate) title: Option<String>,
    /// What it looks at.
    pub(crate) focus: Option<String>,
    /// What is to be done.
    pub(crate) description: Option<String>,
    /// What sort of agent does it.
    pub(crate) agent: Option<String>,
    /// Whether it only looks.
    pub(crate) review_only: Option<bool>,
}

/// What makes one of what the legs found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaSynthesis")]
pub(crate) struct SynthesisDoc {
    /// What a person calls it.
    pub(crate) title: Option<String>,
    /// What is to be done.
    pub(crate) description: Option<String>,
    /// The legs it needs; all if not said.
    pub(crate) depends_on: Option<Vec<Located<String>>>,
}

/// A choice of legs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaPreset")]
pub(crate) struct PresetDoc {
    /// What it is for.
    pub(crate) description: Option<String>,
    /// The legs.
    pub(crate) legs: Vec<Located<String>>,
}

/// What a program must be able to do to cook a formula.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaRequires")]
pub(crate) struct RequiresDoc {
    /// The version of the language: `>=2.0.0`.
    pub(crate) formula_compiler: Option<Located<String>>,
}
