use std::sync::Arc;

use serde_json::Value;
use windlass_plan::{OnFailure, Outcome, Plan, PlannedStep, Status};

use crate::{Caveat, ErrorKind, StepError};

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The way in which it ended.
    pub outcome: Outcome,
    /// One result a step, in the order of the plan.
    pub steps: Vec<StepResult>,
}

impl RunResult {
    /// The result of the step called `id`.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&StepResult> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// The steps that made the run fail, with their errors: not those that `plan`, whose result this is, goes
    /// on without.
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

    /// True if it failed, and of nothing else than that evidence no longer stands.
    #[must_use]
    pub fn failed_of_staleness(&self, plan: &Plan) -> bool {
        let mut errors = self.stopping_errors(plan).peekable();
        self.outcome == Outcome::Failed
            && errors.peek().is_some()
            && errors.all(|(_, error)| error.kind == ErrorKind::Stale)
    }
}

/// The fate of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub uses: String,
    /// Its last status.
    pub status: Status,
    /// Its output, if it completed. For a fan-out: the list of its instances' outputs, `null` for an
    /// instance that was skipped or failed; there is one also where the fan-out as a whole failed.
    pub output: Option<Arc<Value>>,
    /// The reason why it failed.
    pub error: Option<StepError>,
    /// The reason why it never started, or was skipped.
    pub reason: Option<String>,
    /// Notes for a person about the output.
    pub notes: Vec<String>,
    /// The lack in the output, where it is less than was asked for.
    pub caveat: Option<Caveat>,
}
