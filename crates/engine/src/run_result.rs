use std::sync::Arc;

use serde_json::Value;
use windlass_plan::{OnFailure, Outcome, Plan, PlannedStep, Status};

use crate::{Caveat, ErrorKind, StepError};

/// The result of a run, which doesn't depend on timing.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The outcome of the run as a whole.
    pub outcome: Outcome,
    /// One result per step of the plan, in the same order. Instances of fan-outs aren't included.
    pub steps: Vec<StepResult>,
}

impl RunResult {
    /// Looks up a step by its ID.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&StepResult> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Lists the failed steps with their errors, except for failures that `plan` tolerates. It must
    /// be the plan of this run.
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

    /// Returns true if stale evidence is the only reason for the run's failure.
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
    /// The step's ID in the plan.
    pub id: String,
    /// The step's kind.
    pub uses: String,
    /// The status at the end of the run.
    pub status: Status,
    /// The output of a completed step, shared with the driver. For a fan-out (even a failed one),
    /// it's the list of its instances' outputs, with `null` for those that were skipped or failed.
    pub output: Option<Arc<Value>>,
    /// The error of a failed step, `None` otherwise.
    pub error: Option<StepError>,
    /// The reason why the step was skipped or never started.
    pub reason: Option<String>,
    /// Remarks on the output, in words.
    pub notes: Vec<String>,
    /// A warning, if the output is incomplete.
    pub caveat: Option<Caveat>,
}
