//! Composition rules in their written form. The doc comments of these types end up in the JSON
//! Schema of formulas.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_base::Diagnostic;
use windlass_plan::quote::cut;

use super::{Located, Scalar};

/// Composition rules of a formula.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaCompose")]
pub(crate) struct ComposeDoc {
    /// Steps to replace with templates.
    pub(crate) expand: Option<Vec<Located<ExpandRule>>>,
    /// Patterns of steps to replace with templates.
    pub(crate) map: Option<Vec<Located<MapRule>>>,
    /// Parallel steps between two others.
    pub(crate) branch: Option<Vec<Located<BranchRule>>>,
    /// Conditions that must hold before steps start.
    pub(crate) gate: Option<Vec<Located<GateRule>>>,
    /// Aspect formulas with advice to weave in.
    pub(crate) aspects: Option<Vec<Located<String>>>,
    /// Points where other formulas may be attached.
    pub(crate) bond_points: Option<Vec<Located<BondPointDoc>>>,
    /// Formulas to attach if the subject of the molecule matches.
    pub(crate) hooks: Option<Vec<Located<HookDoc>>>,
}

/// A rule that replaces a step with a template.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaExpandRule")]
pub(crate) struct ExpandRule {
    /// The step to replace.
    pub(crate) target: Located<String>,
    /// The expansion formula.
    #[serde(rename = "with")]
    pub(crate) formula: Located<String>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// A rule that replaces each matching step with a template.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaMapRule")]
pub(crate) struct MapRule {
    /// A pattern of step names, such as `*.implement`.
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
    /// The step that waits.
    pub(crate) before: Located<String>,
    /// The condition to wait for.
    pub(crate) condition: Located<String>,
}

/// A point where other formulas may be attached. Exactly one of `after_step` and `before_step` must
/// be set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaBondPoint")]
pub(crate) struct BondPointDoc {
    /// The bond point's name.
    pub(crate) id: Located<String>,
    /// A description of suitable attachments.
    pub(crate) description: Option<String>,
    /// The step after which formulas are attached.
    pub(crate) after_step: Option<Located<String>>,
    /// The step before which formulas are attached.
    pub(crate) before_step: Option<Located<String>>,
    /// True if the attachment runs in parallel with the step.
    pub(crate) parallel: Option<bool>,
}

/// A formula to attach if the subject of the molecule matches.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaHook")]
pub(crate) struct HookDoc {
    /// The trigger: `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`.
    pub(crate) trigger: Located<String>,
    /// The formula to attach.
    pub(crate) attach: Located<String>,
    /// The bond point. Attached at the end of the formula if absent.
    pub(crate) at: Option<Located<String>>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// Selects steps to weave advice around. A step must match all criteria given.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaPointcut")]
pub(crate) struct PointcutDoc {
    /// A pattern of step names, such as `*.implement`.
    pub(crate) glob: Option<String>,
    /// The type of work.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// A label of the step.
    pub(crate) label: Option<String>,
}

/// Steps to weave around others.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAdvice")]
pub(crate) struct AdviceDoc {
    /// A pattern of step names, such as `*.implement`. If absent, `pointcuts` apply.
    pub(crate) target: Option<Located<String>>,
    /// The step before.
    pub(crate) before: Option<Located<AdviceStepDoc>>,
    /// The step after.
    pub(crate) after: Option<Located<AdviceStepDoc>>,
    /// Steps before and after.
    pub(crate) around: Option<AroundDoc>,
}

/// Steps before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAround")]
pub(crate) struct AroundDoc {
    /// Steps before, in sequence.
    pub(crate) before: Option<Vec<Located<AdviceStepDoc>>>,
    /// Steps after, in sequence.
    pub(crate) after: Option<Vec<Located<AdviceStepDoc>>>,
}

/// A step to weave in. `{step.id}` and `{step.title}` refer to the step it's woven around.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAdviceStep")]
pub(crate) struct AdviceStepDoc {
    /// The step's name.
    pub(crate) id: Located<String>,
    /// The title. It's the name if absent.
    pub(crate) title: Option<String>,
    /// Instructions.
    pub(crate) description: Option<String>,
    /// The type of work.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// Arguments, recorded in its metadata.
    pub(crate) args: Option<BTreeMap<String, Scalar>>,
    /// Expected outputs, recorded in its metadata.
    pub(crate) output: Option<BTreeMap<String, Scalar>>,
}

impl BondPointDoc {
    /// Returns the step that the bond point names, and true if attachments come before that step.
    ///
    /// # Errors
    /// Returns an error unless exactly one of `after_step` and `before_step` is set.
    pub(crate) fn step(&self) -> Result<(&Located<String>, bool), Diagnostic> {
        match (&self.after_step, &self.before_step) {
            (Some(step), None) => Ok((step, false)),
            (None, Some(step)) => Ok((step, true)),
            _ => {
                let message = format!(
                    "bond point `{}` needs exactly one of `after_step` and `before_step`",
                    cut(&self.id)
                );
                Err(Diagnostic::error("bond-point", message))
            }
        }
    }
}

impl AdviceDoc {
    pub(crate) fn before(&self) -> impl Iterator<Item = &Located<AdviceStepDoc>> {
        let around = self.around.iter().flat_map(|around| &around.before);
        self.before.iter().chain(around.flatten())
    }

    pub(crate) fn after(&self) -> impl Iterator<Item = &Located<AdviceStepDoc>> {
        let around = self.around.iter().flat_map(|around| &around.after);
        self.after.iter().chain(around.flatten())
    }
}
