use std::sync::Arc;

use serde_json::Value;
use windlass_plan::{Outcome, Status};

use crate::StepError;

/// What a run gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// How it ended.
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
}

/// What became of one step.
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
    /// Why it failed.
    pub error: Option<StepError>,
    /// Why it never started, or was skipped.
    pub reason: Option<String>,
    /// What a person should know about the output.
    pub notes: Vec<String>,
    /// What is missing in the output, where it is less than was asked for.
    pub caveat: Option<String>,
}
