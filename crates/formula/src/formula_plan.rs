use std::collections::BTreeMap;

use windlass_base::{Diagnostics, Ident};
use windlass_plan::{NodeSpec, OnFailure, Plan, PlanParts, PlannedStep, Retry, StepIndex};

use super::{CookedFormula, CookedStep, NeedKind, OnExhausted, RetryPolicy, Scope};

const AGENT: &str = "agent";

impl CookedFormula {
    /// Converts the cooked steps to a [`Plan`] for scheduling and drawing.
    ///
    /// A step for an agent gets the kind `agent`, or e.g. `agent reviewer` if it has a target.
    ///
    /// # Errors
    /// Returns an error for inconsistent names or needs. Formulas from
    /// [`cook_formula`](crate::cook_formula) never cause one, but a cooked formula may also have
    /// been read from a file.
    pub fn to_plan(&self) -> Result<Plan, Diagnostics> {
        // Not every name of a formula is valid as the name of a plan.
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

    /// Converts the cooked steps to nodes for the scheduler.
    ///
    /// A need of kind [`NeedKind::Condition`] goes into `after` rather than `needs`, so that the
    /// dependent step also starts if the needed one has failed.
    ///
    /// Scopes have to follow failures as well. We drop the needs between a scope and its members,
    /// because the end of a scope is not determined by them alone, and let the clean-up wait for
    /// the scope.
    ///
    /// # Errors
    /// Returns an error for duplicate names, unknown needs or a cycle. Formulas from
    /// [`cook_formula`](crate::cook_formula) never cause one.
    pub fn node_specs(&self) -> Result<Vec<NodeSpec>, Diagnostics> {
        let mut specs = self.to_plan()?.node_specs();
        for (spec, step) in specs.iter_mut().zip(&self.steps) {
            // A check may ask for another attempt as well, so allow as many as the larger of the
            // two limits.
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

/// Returns the step kind. If there is none, the performer takes its place, e.g. `scope`.
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
