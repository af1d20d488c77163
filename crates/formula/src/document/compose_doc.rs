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
    /// Steps to replace by templates.
    pub(crate) expand: Option<Vec<Located<ExpandRule>>>,
    /// Patterns of steps to replace by templates.
    pub(crate) map: Option<Vec<Located<MapRule>>>,
    /// Parallel steps between two others.
    pub(crate) branch: Option<Vec<Located<BranchRule>>>,
    /// Conditions that must hold before steps start.
    pub(crate) gate: Option<Vec<Located<GateRule>>>,
    /// Aspect formulas whose advice is woven in.
    pub(crate) aspects: Option<Vec<Located<String>>>,
    /// Points at which other formulas may be attached.
    pub(crate) bond_points: Option<Vec<Located<BondPointDoc>>>,
    /// Formulas that are attached if the subject of the molecule matches.
    pub(crate) hooks: Option<Vec<Located<HookDoc>>>,
}

/// Rule that replaces a step by a template.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaExpandRule")]
pub(crate) struct ExpandRule {
    /// Step to replace.
    pub(crate) target: Located<String>,
    /// Expansion formula.
    #[serde(rename = "with")]
    pub(crate) formula: Located<String>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// Rule that replaces each matching step by a template.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaMapRule")]
pub(crate) struct MapRule {
    /// Pattern of step names, such as `*.implement`.
    pub(crate) select: Located<String>,
    /// Expansion formula.
    #[serde(rename = "with")]
    pub(crate) formula: Located<String>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// Parallel steps between two others.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaBranch")]
pub(crate) struct BranchRule {
    /// Step that all of them need.
    pub(crate) from: Located<String>,
    /// Parallel steps.
    pub(crate) steps: Vec<Located<String>>,
    /// Step that needs all of them.
    pub(crate) join: Located<String>,
}

/// Condition that must hold before a step starts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaGateRule")]
pub(crate) struct GateRule {
    /// Step.
    pub(crate) before: Located<String>,
    /// Condition.
    pub(crate) condition: Located<String>,
}

/// Point at which other formulas may be attached.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaBondPoint")]
pub(crate) struct BondPointDoc {
    /// Name.
    pub(crate) id: Located<String>,
    /// Description of suitable attachments.
    pub(crate) description: Option<String>,
    /// Step after which a formula is attached.
    pub(crate) after_step: Option<Located<String>>,
    /// Step before which a formula is attached.
    pub(crate) before_step: Option<Located<String>>,
    /// True if the attachment runs in parallel with the step.
    pub(crate) parallel: Option<bool>,
}

/// Formula that is attached if the subject of the molecule matches.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaHook")]
pub(crate) struct HookDoc {
    /// Trigger: `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`.
    pub(crate) trigger: Located<String>,
    /// Formula to attach.
    pub(crate) attach: Located<String>,
    /// Bond point; the end of the formula if absent.
    pub(crate) at: Option<Located<String>>,
    /// Values of its variables.
    pub(crate) vars: Option<BTreeMap<String, Scalar>>,
}

/// Selection of steps to weave advice around. A step must match all criteria given.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaPointcut")]
pub(crate) struct PointcutDoc {
    /// Pattern of names, such as `*.implement`.
    pub(crate) glob: Option<String>,
    /// Type of work.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// Label.
    pub(crate) label: Option<String>,
}

/// Steps that are woven around others.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAdvice")]
pub(crate) struct AdviceDoc {
    /// Pattern of names, such as `*.implement`; `pointcuts` apply if absent.
    pub(crate) target: Option<Located<String>>,
    /// Step before.
    pub(crate) before: Option<Located<AdviceStepDoc>>,
    /// Step after.
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

/// Step that is woven in. `{step.id}` and `{step.title}` refer to the step it is woven around.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "FormulaAdviceStep")]
pub(crate) struct AdviceStepDoc {
    /// Name.
    pub(crate) id: Located<String>,
    /// Title; the name if absent.
    pub(crate) title: Option<String>,
    /// Instructions.
    pub(crate) description: Option<String>,
    /// Type of work.
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
    /// Iterates over the steps to weave in before a step, in order.
    pub(crate) fn before(&self) -> impl Iterator<Item = &Located<AdviceStepDoc>> {
        let around = self.around.iter().flat_map(|around| &around.before);
        self.before.iter().chain(around.flatten())
    }

    /// Iterates over the steps to weave in after a step, in order.
    pub(crate) fn after(&self) -> impl Iterator<Item = &Located<AdviceStepDoc>> {
        let around = self.around.iter().flat_map(|around| &around.after);
        self.after.iter().chain(around.flatten())
    }
}
