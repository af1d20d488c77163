use serde::Serialize;
use windlass_plan::{Catalog, EdgeReason, PlannedStep};
use windlass_repo::Snapshot;

use crate::{Error, RunbookFile, Workspace};

/// What a plan would do, step by step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The steps, in the order of the plan.
    pub steps: Vec<StepExplanation>,
}

/// Why one step would run, and what it would touch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepExplanation {
    /// Its id.
    pub id: String,
    /// Its kind, and what that does.
    pub uses: String,
    /// What the kind does.
    pub does: String,
    /// When it starts, in words.
    pub when: Vec<String>,
    /// What it looks at or starts, in words.
    pub touches: Vec<String>,
    /// Whether it may not run as things are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Who uses what it finds: sections and steps.
    pub used_by: Vec<String>,
}

impl Workspace {
    /// Explains the plan of `runbook`: why each step would run, and what it would read.
    ///
    /// # Errors
    /// When the list of trusted runbooks cannot be read.
    pub fn explain(
        &self,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<Explanation, Error> {
        let permission = self.permission(runbook, snapshot, catalog, false)?;
        let trusted = permission.covers(runbook);
        let explain = |step: &PlannedStep| explain_step(runbook, step, catalog, trusted);
        Ok(Explanation {
            steps: runbook.plan.steps().iter().map(explain).collect(),
        })
    }
}

fn explain_step(
    runbook: &RunbookFile,
    step: &PlannedStep,
    catalog: &Catalog,
    trusted: bool,
) -> StepExplanation {
    let kind = catalog.get(&step.uses);
    let effects = kind.map(|kind| kind.effects).unwrap_or_default();
    let refused = (effects.runs_processes && !trusted).then(|| {
        format!(
            "the runbook is not trusted: `windlass trust {}`",
            runbook.plan.id()
        )
    });
    StepExplanation {
        id: step.id.to_string(),
        uses: step.uses.clone(),
        does: kind.map(|kind| kind.summary.clone()).unwrap_or_default(),
        when: when(runbook, step),
        touches: touches(step),
        refused,
        used_by: used_by(runbook, step),
    }
}

fn when(runbook: &RunbookFile, step: &PlannedStep) -> Vec<String> {
    let plan = &runbook.plan;
    let mut reasons = Vec::new();
    if step.finally {
        reasons.push("after all other steps, whatever became of them".to_owned());
    } else if step.needs.is_empty() {
        reasons.push("at once".to_owned());
    }
    let own = plan.find(step.id.as_str());
    for need in &step.needs {
        let (Some(own), Some(needed)) = (own, plan.step(*need)) else {
            continue;
        };
        let why: Vec<String> = plan.reasons(own, *need).iter().map(reason).collect();
        reasons.push(format!("after `{}` ({})", needed.id, why.join(", ")));
    }
    if let Some(condition) = &step.condition {
        reasons.push(format!("if {condition}"));
    }
    if step.for_each.is_some() {
        reasons.push("once for each item of a list".to_owned());
    }
    reasons
}

fn reason(reason: &EdgeReason) -> String {
    match reason {
        EdgeReason::Needs { .. } => "`needs` says so".to_owned(),
        EdgeReason::Ref { at, reference, .. } => format!("`{at}` takes `{reference}`"),
        EdgeReason::Condition { .. } => "the condition looks at it".to_owned(),
    }
}

/// The arguments that say what a step touches, as they are written.
fn touches(step: &PlannedStep) -> Vec<String> {
    const TELLING: [&str; 12] = [
        "file", "lines", "heading", "paths", "globs", "pattern", "ids", "kinds", "tags", "argv",
        "name", "show",
    ];
    let Some(with) = step.with.as_object() else {
        return Vec::new();
    };
    let telling = TELLING
        .iter()
        .filter_map(|key| Some((key, with.get(*key)?)));
    telling
        .map(|(key, value)| format!("{key}: {value}"))
        .collect()
}

fn used_by(runbook: &RunbookFile, step: &PlannedStep) -> Vec<String> {
    let plan = &runbook.plan;
    let Some(own) = plan.find(step.id.as_str()) else {
        return Vec::new();
    };
    let sections = plan.outputs().iter().filter(|output| output.from == own);
    let sections = sections.map(|output| format!("section `{}`", output.id));
    let steps = plan
        .dependents(own)
        .into_iter()
        .filter_map(|dependent| plan.step(dependent));
    sections
        .chain(steps.map(|step| format!("step `{}`", step.id)))
        .collect()
}
