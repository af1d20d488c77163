use std::sync::Arc;

use serde_json::Value;
use windlass_plan::{OnFailure, Outcome, Plan, PlannedStep, Status};

use crate::{Caveat, ErrorKind, StepError};

/// Result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// Outcome of the run as a whole.
    pub outcome: Outcome,
    /// Results of the steps, in plan order.
    pub steps: Vec<StepResult>,
}

impl RunResult {
    /// Returns the result of the step `id`.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&StepResult> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Returns the failed steps with their errors. Skips failures that `plan` tolerates. `plan` must be the plan of
    /// this run.
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

    /// True if stale evidence is the only reason why the run failed.
    #[must_use]
    pub fn failed_of_staleness(&self, plan: &Plan) -> bool {
        let mut errors = self.stopping_errors(plan).peekable();
        self.outcome == Outcome::Failed
            && errors.peek().is_some()
            && errors.all(|(_, error)| error.kind == ErrorKind::Stale)
    }
}

/// Result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// Id of the step in the plan.
    pub id: String,
    /// Name of the step kind, as in `uses`.
    pub uses: String,
    /// Status at the end of the run.
    pub status: Status,
    /// Output of a completed step. For a fan-out, a list with the outputs of its instances, in which a skipped or
    /// failed instance is `null`. The list is also present if the fan-out failed.
    pub output: Option<Arc<Value>>,
    /// Error of a failed step.
    pub error: Option<StepError>,
    /// Reason why the step never started or was skipped.
    pub reason: Option<String>,
    /// Notes about the output, for people.
    pub notes: Vec<String>,
    /// Warning about an incomplete output.
    pub caveat: Option<Caveat>,
}
