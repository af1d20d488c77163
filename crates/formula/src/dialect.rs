//! Detects the dialect and the kind of a formula from the fields it uses.

use std::ops::BitOr;

use super::document::{FormulaDoc, FormulaType, StepDoc, VarDoc};
use super::{Dialect, FormulaKind};

/// The dialects that the fields of a formula or its parents belong to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Markers {
    beads: bool,
    gastown: bool,
    gascity: bool,
}

impl BitOr for Markers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            beads: self.beads || other.beads,
            gastown: self.gastown || other.gastown,
            gascity: self.gascity || other.gascity,
        }
    }
}

impl Markers {
    pub(crate) fn of(doc: &FormulaDoc) -> Self {
        let compose = doc.compose.as_ref();
        let composed = compose.is_some_and(|compose| {
            compose.map.is_some()
                || compose.branch.is_some()
                || compose.gate.is_some()
                || compose.hooks.is_some()
                || compose.bond_points.is_some()
        });
        let checked = |var: &VarDoc| var.0.allowed.is_some() || var.0.pattern.is_some();
        let own = Self {
            beads: composed
                || doc.advice.is_some()
                || doc.pointcuts.is_some()
                || doc.phase.is_some()
                || doc.vars.iter().flatten().any(|(_, var)| checked(var)),
            gastown: doc.legs.is_some()
                || doc.inputs.is_some()
                || doc.prompts.is_some()
                || doc.aspects.is_some()
                || doc.agent.is_some()
                || doc.review_only.is_some(),
            gascity: doc.requires.is_some()
                || doc.contract.is_some()
                || doc.target_required.is_some()
                || doc.internal.is_some()
                || doc.single_lane.is_some()
                || doc.catalog.is_some(),
        };
        let steps = [&doc.steps, &doc.template];
        let steps = steps.into_iter().flatten().flatten();
        steps.fold(own, |markers, step| markers | Self::of_step(step))
    }

    fn of_step(step: &StepDoc) -> Self {
        Self {
            beads: step.repeat.is_some()
                || step.gate.is_some()
                || step.condition.is_some()
                || step.children.is_some()
                || step.waits_for.is_some()
                || step.on_complete.is_some()
                || step.labels.is_some()
                || step.priority.is_some()
                || step.kind.is_some()
                || step.notes.is_some()
                || step.assignee.is_some()
                || step.expand.is_some()
                || step.depends_on.is_some(),
            gastown: step.parallel.is_some()
                || step.interactive.is_some()
                || step.acceptance.is_some(),
            gascity: step.check.is_some()
                || step.ralph.is_some()
                || step.retry.is_some()
                || step.description_file.is_some()
                || step.drain.is_some()
                || step.tags.is_some(),
        }
    }

    /// Picks the dialect.
    ///
    /// A field of Gas City settles the question, since no other dialect has those. Fields of Gas
    /// Town only count if there are none of beads, which is also the default.
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Self { gascity: true, .. } => Dialect::Gascity,
            Self {
                gastown: true,
                beads: false,
                ..
            } => Dialect::Gastown,
            _ => Dialect::Beads,
        }
    }
}

/// Returns the declared kind. If there is none, we guess it from the fields that are present.
pub(crate) fn kind_of(doc: &FormulaDoc) -> FormulaKind {
    let analysis = if doc.aspects.is_some() {
        FormulaKind::Analysis
    } else {
        FormulaKind::Aspect
    };
    match doc.kind.as_ref().map(|kind| kind.value) {
        Some(FormulaType::Workflow) => FormulaKind::Workflow,
        Some(FormulaType::Expansion) => FormulaKind::Expansion,
        Some(FormulaType::Convoy) => FormulaKind::Convoy,
        Some(FormulaType::Aspect) => analysis,
        None if doc.steps.is_some() || doc.extends.is_some() => FormulaKind::Workflow,
        None if doc.legs.is_some() => FormulaKind::Convoy,
        None if doc.template.is_some() => FormulaKind::Expansion,
        None if doc.aspects.is_some() || doc.advice.is_some() => analysis,
        None => FormulaKind::Workflow,
    }
}
