//! Describes a plan before it runs: when each step would run, and what it would read.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::kind::{in_words, reference_in_words};
use crate::{
    Catalog, Condition, EdgeReason, InputWords, OnFailure, Plan, PlannedStep, Reference, StepIndex,
    TakenBy,
};

/// A step described in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepExplanation {
    /// The step's name in the runbook.
    pub id: String,
    /// The step kind, as in `uses`.
    pub uses: String,
    /// The kind's summary. It is empty for an unknown kind.
    pub does: String,
    /// The conditions in words, all of which must be met before the step starts.
    pub when: Vec<String>,
    /// The files and programs that the step uses.
    pub touches: Vec<String>,
    /// The reason why the step may not run at present.
    ///
    /// [`explain`] leaves this empty for the caller to fill in, since it does not know what's
    /// allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The sections and steps that use the step's output.
    pub used_by: Vec<String>,
}

/// Describes the steps of a plan in order. `inputs` has the values that are known so far.
#[must_use]
pub fn explain(
    plan: &Plan,
    catalog: &Catalog,
    inputs: &BTreeMap<String, Value>,
) -> Vec<StepExplanation> {
    let explain = |(index, step): (StepIndex, &PlannedStep)| {
        let kind = catalog.get(&step.uses);
        let touches = kind.map(|kind| kind.explain(&InputWords::new(&step.with, inputs)));
        StepExplanation {
            id: step.id.to_string(),
            uses: step.uses.clone(),
            does: kind.map(|kind| kind.summary.clone()).unwrap_or_default(),
            when: when(plan, index, step, inputs),
            touches: touches.unwrap_or_default(),
            refused: None,
            used_by: used_by(plan, index),
        }
    };
    plan.iter().map(explain).collect()
}

fn when(
    plan: &Plan,
    index: StepIndex,
    step: &PlannedStep,
    inputs: &BTreeMap<String, Value>,
) -> Vec<String> {
    let mut when = Vec::new();
    if step.finally {
        when.push("after all other steps, successful or not".to_owned());
    } else if step.needs.is_empty() {
        when.push("at once: it needs no other step".to_owned());
    }
    for needed in &step.needs {
        let Some(other) = plan.step(*needed) else {
            continue;
        };
        let reasons: Vec<_> = plan.reasons(index, *needed).iter().map(reason).collect();
        let whatever = match other.on_failure {
            OnFailure::Continue => ", also if that fails",
            OnFailure::Stop => "",
        };
        when.push(format!(
            "after `{}`{whatever}: {}",
            other.id,
            reasons.join("; ")
        ));
    }
    if let Some(condition) = &step.condition {
        when.push(condition_in_words(condition, inputs));
    }
    if let Some(items) = &step.for_each {
        let items = InputWords::new(&serde_json::json!({ "items": items }), inputs);
        let items = items.value("items").map(in_words).unwrap_or_default();
        when.push(format!("once for each item of {items}"));
    }
    when
}

fn reason(reason: &EdgeReason) -> String {
    match reason {
        EdgeReason::Needs { .. } => "listed in `needs`".to_owned(),
        EdgeReason::Ref { taken, .. } => {
            let TakenBy { at, reference } = &**taken;
            let field = at
                .strip_prefix("/with/")
                .unwrap_or(at)
                .trim_start_matches('/');
            let what = Reference::parse(reference, None);
            let what = what.map_or_else(|_| format!("`{reference}`"), |it| reference_in_words(&it));
            format!("its `{field}` takes {what}")
        }
        EdgeReason::Condition { .. } => "its condition reads it".to_owned(),
    }
}

/// Describes a condition, along with the values it depends on that are not known before the run.
fn condition_in_words(condition: &Condition, inputs: &BTreeMap<String, Value>) -> String {
    let mut unknown: Vec<String> = Vec::new();
    for mention in condition.mentions() {
        let open = match mention.path.first().map(String::as_str) {
            Some("steps") => mention.path.get(1).map(|id| format!("step `{id}`")),
            Some("inputs") => {
                let name = mention
                    .path
                    .get(1)
                    .filter(|name| !inputs.contains_key(*name));
                name.map(|name| format!("input `{name}`"))
            }
            Some("item" | "index") => Some("the item".to_owned()),
            _ => None,
        };
        unknown.extend(open.filter(|open| !unknown.contains(open)));
    }
    if !unknown.is_empty() {
        let unknown = unknown.join(" and ");
        return format!("only if `{condition}`: not known yet, it depends on {unknown}");
    }
    match condition.holds(inputs) {
        Ok(true) => format!("because `{condition}` holds"),
        Ok(false) => format!("not this time: `{condition}` does not hold, so it is skipped"),
        Err(_) => format!("only if `{condition}`"),
    }
}

fn used_by(plan: &Plan, index: StepIndex) -> Vec<String> {
    let sections = plan.outputs().iter().filter(|output| output.from == index);
    let sections = sections.map(|output| format!("section `{}`", output.id));
    let steps = plan.dependents(index).into_iter();
    let steps = steps.filter_map(|dependent| Some(&plan.step(dependent)?.id));
    sections
        .chain(steps.map(|id| format!("step `{id}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::bind_inputs;
    use crate::resolve::tests::{EXAMPLE, catalog, load};

    #[test]
    fn plan_steps_explained() {
        let (plan, _) = load(EXAMPLE).unwrap();
        let inputs = bind_inputs(plan.inputs(), BTreeMap::new()).unwrap();
        let mut text = String::new();
        for step in explain(&plan, &catalog(), &inputs) {
            text += &format!("{} {}\n", step.id, step.does);
            for line in step.when.iter().chain(&step.touches).chain(&step.used_by) {
                text += &format!("  {line}\n");
            }
        }
        assert_snapshot!(text, @"
        routes does search
          at once: it needs no other step
          section `routes`
          step `owners`
          step `each`
        owners does plugin:codeowners@1
          after `routes`: its `files` takes `files` of step `routes`
          step `each`
        each does files
          after `routes`: its `for_each` takes `matches` of step `routes`; its condition reads it
          after `owners`, also if that fails: its condition reads it
          only if `steps.routes.output.total > 0 and steps.owners.status == 'completed'`: not known yet, it depends on step `routes` and step `owners`
          once for each item of `matches` of step `routes`
          section `texts`
          step `tidy`
        tidy does command
          after all other steps, successful or not
          after `each`: listed in `needs`
        ");
    }
}
