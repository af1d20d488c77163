use std::sync::Arc;

use serde_json::Value;
use windlass_plan::{OnFailure, Outcome, Plan, PlannedStep, Status};

use crate::{Caveat, ErrorKind, StepError};

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The outcome of the run as a whole.
    pub outcome: Outcome,
    /// The steps' results, in plan order.
    pub steps: Vec<StepResult>,
}

impl RunResult {
    /// Returns the result of the step `id`.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&StepResult> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Returns the failed steps and their errors, except for failures tolerated by `plan`, which
    /// must be this run's plan.
    pub fn stopping_errors<'a>(
        &'a self,
        plan: &'a Plan,
    ) -> impl Iterator<Item = (&'a str, &'a StepError)> {
        let stops = |(step, planned): &(&StepResult, &PlannedStep)| {
            step.status == Status::Failed && planned.on_failure != OnFailure::Continue
        };
        let steps = self.steps.iter().zip(plan.steps()).filter(stops);
        steps.filter_map(|(step, _)| Some((step.id.as_str(), step.error.as_ref()?)))
    }

    /// Returns true if the run failed for no other reason than stale evidence.
    #[must_use]
    pub fn failed_of_staleness(&self, plan: &Plan) -> bool {
        let mut errors = self.stopping_errors(plan).peekable();
        self.outcome == Outcome::Failed
            && errors.peek().is_some()
            && errors.all(|(_, error)| error.kind == ErrorKind::Stale)
    }
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// The step's id in the plan.
    pub id: String,
    /// The step kind's name, as in `uses`.
    pub uses: String,
    /// The status at the end of the run.
    pub status: Status,
    /// A completed step's output. For a fan-out, even a failed one, this is a list with its
    /// instances' outputs, and `null` for each skipped or failed instance.
    pub output: Option<Arc<Value>>,
    /// A failed step's error.
    pub error: Option<StepError>,
    /// The reason why the step was skipped or never started.
    pub reason: Option<String>,
    /// Notes about the output, for people.
    pub notes: Vec<String>,
    /// A warning if the output is incomplete.
    pub caveat: Option<Caveat>,
}
