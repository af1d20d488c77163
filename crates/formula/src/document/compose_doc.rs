use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_base::Diagnostic;
use windlass_plan::quote::cut;

use super::{Located, Scalar};

/// What a formula is composed of.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCompose")]
pub(crate) struct ComposeDoc {
    /// Steps that templates stand in for.
    pub(crate) expand: Option<Vec<Located<ExpandRule>>>,
    /// The same for all steps of a pattern.
    pub(crate) map: Option<Vec<Located<MapRule>>>,
    /// Parallel steps between two others.
    pub(crate) branch: Option<Vec<Located<BranchRule>>>,
    /// Conditions that must hold before steps start.
    pub(crate) gate: Option<Vec<Located<GateRule>>>,
    /// Aspect formulas whose advice is woven in.
    pub(crate) aspects: Option<Vec<Located<String>>>,
    /// Places where other formulas may be attached.
    pub(crate) bond_points: Option<Vec<Located<BondPointDoc>>>,
    /// Formulas that are attached when what the molecule is poured for fits.
    pub(crate) hooks: Option<Vec<Located<HookDoc>>>,
}

/// A template stands in for a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaExpandRule")]
pub(crate) struct ExpandRule {
    /// The step.
    pub(crate) target: Located<String>,
    /// The expansion formula.
    #[serde(rename = "with")]
    pub(crate) formula: Located<String>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// A template stands in for each step of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaMapRule")]
pub(crate) struct MapRule {
    /// The pattern: `*.implement`.
    pub(crate) select: Located<String>,
    /// The expansion formula.
    #[serde(rename = "with")]
    pub(crate) formula: Located<String>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// Parallel steps between two others.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaBranch")]
pub(crate) struct BranchRule {
    /// The step that all of them need.
    pub(crate) from: Located<String>,
    /// The parallel steps.
    pub(crate) steps: Vec<Located<String>>,
    /// The step that needs all of them.
    pub(crate) join: Located<String>,
}

/// A condition that must hold before a step starts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGateRule")]
pub(crate) struct GateRule {
    /// The step.
    pub(crate) before: Located<String>,
    /// The condition.
    pub(crate) condition: Located<String>,
}

/// A place where other formulas may be attached.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaBondPoint")]
pub(crate) struct BondPointDoc {
    /// Its name.
    pub(crate) id: Located<String>,
    /// What should be attached here.
    pub(crate) description: Option<String>,
    /// The step after which it is attached.
    pub(crate) after_step: Option<Located<String>>,
    /// The step before which it is attached.
    pub(crate) before_step: Option<Located<String>>,
    /// Whether what is attached runs beside the step.
    pub(crate) parallel: Option<bool>,
}

/// A formula that is attached when what the molecule is poured for fits.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaHook")]
pub(crate) struct HookDoc {
    /// `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`.
    pub(crate) trigger: Located<String>,
    /// The formula.
    pub(crate) attach: Located<String>,
    /// The bond point; the end of the formula if not said.
    pub(crate) at: Option<Located<String>>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// The steps that advice is woven around: those that fit all that is said.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaPointcut")]
pub(crate) struct PointcutDoc {
    /// A pattern of names: `*.implement`.
    pub(crate) glob: Option<String>,
    /// What sort of work it is.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// One of its labels.
    pub(crate) label: Option<String>,
}

/// Steps that are woven around others.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAdvice")]
pub(crate) struct AdviceDoc {
    /// A pattern of names: `*.implement`; without, `pointcuts` say which.
    pub(crate) target: Option<Located<String>>,
    /// A step before.
    pub(crate) before: Option<Located<AdviceStepDoc>>,
    /// A step after.
    pub(crate) after: Option<Located<AdviceStepDoc>>,
    /// Steps before and after.
    pub(crate) around: Option<AroundDoc>,
}

/// Steps before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAround")]
pub(crate) struct AroundDoc {
    /// The steps before, one after the other.
    pub(crate) before: Option<Vec<Located<AdviceStepDoc>>>,
    /// The steps after, one after the other.
    pub(crate) after: Option<Vec<Located<AdviceStepDoc>>>,
}

/// A step that is woven in; `{step.id}` and `{step.title}` are those of the step it is woven around.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAdviceStep")]
pub(crate) struct AdviceStepDoc {
    /// Its name.
    pub(crate) id: Located<String>,
    /// What a person calls it; its name if not said.
    pub(crate) title: Option<String>,
    /// What is to be done.
    pub(crate) description: Option<String>,
    /// What sort of work it is.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// What it is given, noted in its metadata.
    pub(crate) args: Option<BTreeMap<String, Scalar>>,
    /// What it is to find, noted in its metadata.
    pub(crate) output: Option<BTreeMap<String, Scalar>>,
}

impl BondPointDoc {
    /// The step that it is at, and whether it is before that step.
    ///
    /// # Errors
    /// Fault where not exactly one step is named.
    pub(crate) fn step(&self) -> Result<(&Located<String>, bool), Diagnostic> {
        match (&self.after_step, &self.before_step) {
            (Some(step), None) => Ok((step, false)),
            (None, Some(step)) => Ok((step, true)),
            _ => {
                let message = format!(
                    "bond point `{}` has exactly one of `after_step` and `before_step`",
                    cut(&self.id)
                );
                Err(Diagnostic::error("bond-point", message))
            }
        }
    }
}

impl AdviceDoc {
    /// The steps before, in order.
    pub(crate) fn before(&self) -> impl Iterator<Item = &Located<AdviceStepDoc>> {
        let around = self.around.iter().flat_map(|around| &around.before);
        self.before.iter().chain(around.flatten())
    }

    /// The steps after, in order.
    pub(crate) fn after(&self) -> impl Iterator<Item = &Located<AdviceStepDoc>> {
        let around = self.around.iter().flat_map(|around| &around.after);
        self.after.iter().chain(around.flatten())
    }
}
