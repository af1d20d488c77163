use serde_json::{Map, Value, json};
use windlass::plan::{EdgeReason, OnFailure, Plan, PlannedOutput, PlannedStep, StepIndex};

/// Formats the plan as JSON, without positions in the source file.
#[must_use]
pub fn plan_json(plan: &Plan) -> Value {
    let inputs = plan.inputs().iter().map(|input| {
        let mut fields = Map::new();
        fields.insert("name".into(), json!(input.name));
        fields.insert("type".into(), json!(input.kind.as_str()));
        fields.insert("required".into(), json!(input.required));
        if let Some(default) = &input.default {
            fields.insert("default".into(), default.clone());
        }
        if !input.allowed.is_empty() {
            fields.insert("enum".into(), json!(input.allowed));
        }
        if !input.description.is_empty() {
            fields.insert("description".into(), json!(input.description));
        }
        Value::Object(fields)
    });
    let layers = plan.layers().into_iter().map(|layer| names(plan, &layer));
    json!({
        "schema_version": 1,
        "id": plan.id(),
        "title": plan.title(),
        "purpose": plan.purpose(),
        "inputs": inputs.collect::<Vec<_>>(),
        "policy": plan.policy(),
        "steps": plan.iter().map(|(index, one)| step(plan, index, one)).collect::<Vec<_>>(),
        "layers": layers.collect::<Vec<_>>(),
        "outputs": plan.outputs().iter().map(|one| output(plan, one)).collect::<Vec<_>>(),
    })
}

fn names(plan: &Plan, steps: &[StepIndex]) -> Value {
    steps
        .iter()
        .filter_map(|index| plan.step(*index))
        .map(|step| json!(step.id))
        .collect()
}

fn step(plan: &Plan, index: StepIndex, step: &PlannedStep) -> Value {
    let mut fields = Map::new();
    fields.insert("id".into(), json!(step.id));
    fields.insert("uses".into(), json!(step.uses));
    fields.insert("with".into(), step.with.clone());
    let needs = step.needs.iter().filter_map(|needs| {
        let reasons = plan.reasons(index, *needs).iter().map(reason);
        let id = &plan.step(*needs)?.id;
        Some(json!({ "step": id, "reasons": reasons.collect::<Vec<_>>() }))
    });
    fields.insert("needs".into(), needs.collect());
    if let Some(condition) = &step.condition {
        fields.insert("if".into(), json!(condition.as_str()));
    }
    if let Some(items) = &step.for_each {
        fields.insert("for_each".into(), items.clone());
    }
    let mut millis = |name: &str, duration: Option<std::time::Duration>| {
        if let Some(duration) = duration {
            let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
            fields.insert(name.into(), json!(millis));
        }
    };
    millis("timeout_ms", step.timeout);
    millis("max_duration_ms", step.max_duration);
    if step.retry.max_attempts > 1 {
        millis("backoff_ms", Some(step.retry.backoff));
        millis("max_backoff_ms", step.retry.max_backoff);
        fields.insert("max_attempts".into(), json!(step.retry.max_attempts));
    }
    if step.on_failure == OnFailure::Continue {
        fields.insert("on_failure".into(), json!(step.on_failure));
    }
    if step.finally {
        fields.insert("finally".into(), json!(true));
    }
    Value::Object(fields)
}

fn reason(reason: &EdgeReason) -> Value {
    match reason {
        EdgeReason::Needs { .. } => json!({ "kind": "needs" }),
        EdgeReason::Ref { taken, .. } => {
            json!({ "kind": "ref", "at": taken.at, "ref": taken.reference })
        }
        EdgeReason::Condition { .. } => json!({ "kind": "if" }),
    }
}

fn output(plan: &Plan, output: &PlannedOutput) -> Value {
    let mut fields = Map::new();
    fields.insert("id".into(), json!(output.id));
    fields.insert("title".into(), json!(output.title));
    fields.insert(
        "from".into(),
        json!(plan.step(output.from).map(|step| &step.id)),
    );
    if let Some(select) = &output.select {
        fields.insert("select".into(), json!(select.as_str()));
    }
    if let Some(sort) = &output.sort {
        fields.insert("sort".into(), json!(sort.to_string()));
    }
    if let Some(limit) = output.limit {
        fields.insert("limit".into(), json!(limit));
    }
    Value::Object(fields)
}
