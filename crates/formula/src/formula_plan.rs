use std::collections::BTreeMap;

use windlass_base::{Diagnostics, Ident};
use windlass_plan::{NodeSpec, OnFailure, Plan, PlanParts, PlannedStep, Retry, StepIndex};

use super::{CookedFormula, CookedStep, NeedKind, OnExhausted, RetryPolicy, Scope};

/// The kind shown for a step performed by an agent.
const AGENT: &str = "agent";

impl CookedFormula {
    /// Converts the cooked steps to a plan for scheduling and drawing. A step for an agent gets the
    /// kind `agent`, followed by its target if it has one.
    ///
    /// # Errors
    /// Returns an error if names or needs are inconsistent, which can't happen for a formula
    /// produced by cooking.
    pub fn to_plan(&self) -> Result<Plan, Diagnostics> {
        let name = Ident::parse(&self.formula).or_else(|_| Ident::parse("formula"));
        let name = name.map_err(|error| unusable(&error.to_string()))?;
        let mut parts = PlanParts::new(name);
        parts.title.clone_from(&self.title);
        parts.purpose.clone_from(&self.description);
        let numbers: BTreeMap<&str, StepIndex> = self
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| (step.id.as_str(), StepIndex::new(at)))
            .collect();
        for step in &self.steps {
            parts.steps.push(planned(step, &numbers)?);
        }
        Plan::from_parts(parts)
    }

    /// Returns the cooked steps in the form used by the scheduler.
    ///
    /// A step needed only by a condition must have ended but may have failed. A scope doesn't wait
    /// for its members, and its clean-up waits for the scope instead of them, since both must also
    /// follow failures.
    ///
    /// # Errors
    /// Returns an error if there are duplicate names, unknown needs or a cycle, which can't happen
    /// for a formula produced by cooking.
    pub fn node_specs(&self) -> Result<Vec<NodeSpec>, Diagnostics> {
        let mut specs = self.to_plan()?.node_specs();
        for (spec, step) in specs.iter_mut().zip(&self.steps) {
            if let Some(check) = &step.check {
                spec.retry.max_attempts = spec.retry.max_attempts.max(check.max_attempts);
            }
            let looked_at = |need: &StepIndex| {
                let id = self.steps.get(need.index()).map(|step| step.id.as_str());
                let mut needs = step.needs.iter();
                needs.any(|need| Some(need.step.as_str()) == id && need.kind == NeedKind::Condition)
            };
            (spec.after, spec.needs) = spec.needs.iter().partition(|need| looked_at(need));
            self.follow_scope(step, spec);
        }
        Ok(specs)
    }

    /// Replaces the needs a step has because of its scope.
    fn follow_scope(&self, step: &CookedStep, spec: &mut NodeSpec) {
        let of = match &step.scope {
            Some(Scope::Body) => step.id.as_str(),
            Some(Scope::Cleanup { of }) => of.as_str(),
            Some(Scope::Member { .. }) | None => return,
        };
        let is_outside = |need: &StepIndex| {
            let needed = self.steps.get(need.index());
            needed.is_none_or(|needed| {
                needed.id != of && needed.scope.as_ref().and_then(Scope::of) != Some(of)
            })
        };
        spec.needs.retain(is_outside);
        spec.after.retain(is_outside);
        if step.scope != Some(Scope::Body) {
            let body = self.steps.iter().position(|known| known.id == of);
            spec.after.extend(body.map(StepIndex::new));
        }
    }
}

fn planned(
    step: &CookedStep,
    numbers: &BTreeMap<&str, StepIndex>,
) -> Result<PlannedStep, Diagnostics> {
    let id = Ident::parse(&step.id).map_err(|error| unusable(&error.to_string()))?;
    let mut planned = PlannedStep::new(id, performer(step));
    for need in &step.needs {
        let Some(number) = numbers.get(need.step.as_str()) else {
            let message = format!(
                "step `{}` needs `{}`, which does not exist",
                step.id, need.step
            );
            return Err(unusable(&message));
        };
        planned.needs.push(*number);
    }
    if let Some(with) = &step.with {
        planned.with = with.clone().into();
    }
    planned.timeout = step.timeout.as_ref().and_then(|text| text.parse().ok());
    if let Some(retry) = &step.retry {
        planned.retry = retry_of(retry);
        if retry.on_exhausted == OnExhausted::SoftFail {
            planned.on_failure = OnFailure::Continue;
        }
    }
    Ok(planned)
}

/// Returns the step kind, or a name for whoever performs the step.
fn performer(step: &CookedStep) -> String {
    match (&step.uses, &step.scope, &step.drain, &step.target) {
        (Some(uses), ..) => uses.clone(),
        (_, Some(Scope::Body), ..) => "scope".to_owned(),
        (_, _, Some(drain), _) => format!("drain to {}", drain.formula),
        (.., Some(target)) => format!("{AGENT} {target}"),
        _ => AGENT.to_owned(),
    }
}

fn retry_of(policy: &RetryPolicy) -> Retry {
    let duration = |text: &Option<windlass_plan::DurationText>| text.as_ref()?.parse().ok();
    Retry {
        max_attempts: policy.max_attempts,
        backoff: duration(&policy.backoff).unwrap_or_default(),
        max_backoff: duration(&policy.max_backoff),
    }
}

fn unusable(message: &str) -> Diagnostics {
    windlass_base::Diagnostic::error("cooked-formula", message).into()
}
