//! What became of steps, put together from what was recorded of them.

use std::sync::Arc;

use serde_json::Value;
use windlass_base::{counted, json_size_within};
use windlass_plan::{Because, Outcome, Plan, PlannedStep, Status, StepIndex};

use super::progress::{Progress, Record};
use crate::{Caveat, ErrorKind, RunResult, StepError, StepResult};

impl Progress<'_> {
    /// Whether the output of `step` still fits into what its fan-out may put out, if it is an instance of one.
    pub(super) fn is_gathered(&mut self, step: StepIndex, output: &Value) -> bool {
        let Some((parent, _)) = self.schedule.origin(step) else {
            return true;
        };
        let limit = self.options.max_output_bytes;
        let record = &mut self.records[parent.index()];
        let left = limit.saturating_sub(record.gathered_bytes);
        // With the comma behind it.
        let size = json_size_within(output, left).map_or(usize::MAX, |size| size + 1);
        record.gathered_bytes = record.gathered_bytes.saturating_add(size);
        record.gathered_bytes <= limit
    }

    /// Collects the outputs of a fan-out in the order of its list; `false` where it is none.
    pub(super) fn gather(&mut self, step: StepIndex, failed: bool) -> bool {
        let limit = self.options.max_output_bytes;
        let record = &mut self.records[step.index()];
        let Some((items, first)) = &record.fan_out else {
            return false;
        };
        let (count, first) = (items.len(), first.index());
        if record.gathered_bytes > limit {
            let message = format!(
                "its {} together put out more than the limit of {limit} bytes",
                counted(count, "instance"),
            );
            record.error = Some(
                StepError::new(ErrorKind::TooLarge, message)
                    .help("let each put out less, or cut the list first"),
            );
            return true;
        }
        let records = &mut self.records[first..first + count];
        // Nobody looks at an instance any more.
        let take = |record: &mut Record| {
            record
                .output
                .take()
                .map_or(Value::Null, Arc::unwrap_or_clone)
        };
        let output = records.iter_mut().map(take).collect();
        let mut gathered = Record {
            output: Some(Arc::new(output)),
            notes: records
                .iter()
                .flat_map(|record| record.notes.iter().cloned())
                .collect(),
            caveat: Caveat::of_instances(
                records
                    .iter()
                    .enumerate()
                    .filter_map(|(at, record)| Some((at, record.caveat.as_ref()?))),
            ),
            ..Record::default()
        };
        if failed {
            let failures = records
                .iter()
                .filter(|record| record.error.is_some())
                .count();
            let sample = records.iter().find_map(|record| record.error.clone());
            let error = sample.map_or_else(
                || {
                    StepError::new(
                        ErrorKind::Cancelled,
                        "stopped before all its instances were done",
                    )
                },
                |first| StepError {
                    message: format!(
                        "{failures} of {} failed; the first: {}",
                        counted(count, "instance"),
                        first.message
                    ),
                    ..first
                },
            );
            gathered.error = Some(error);
        }
        let record = &mut self.records[step.index()];
        record.output = gathered.output;
        record.notes = gathered.notes;
        record.caveat = gathered.caveat;
        record.error = gathered.error;
        true
    }

    pub(super) fn result(&self, step: StepIndex) -> StepResult {
        let (planned, record) = (self.planned(step), &self.records[step.index()]);
        let status = self.schedule.status(step);
        let reason = match self.schedule.because(step) {
            Some(Because::Failed(by)) => {
                let error = self.records[by.index()].error.as_ref();
                let why = error.map(|error| format!(": {error}")).unwrap_or_default();
                Some(format!(
                    "needs `{}`, which failed{why}",
                    self.planned(by).id
                ))
            }
            Some(Because::Halted) => Some("the run was stopped first".to_owned()),
            Some(Because::Retry) => Some("waits for its next attempt".to_owned()),
            None => record.skipped.map(str::to_owned),
        };
        let failed = status == Status::Failed;
        StepResult {
            id: planned.id.to_string(),
            uses: planned.uses.clone(),
            status,
            // What instances of a failed fan-out found is still there to be shown, though not to be used.
            output: record
                .output
                .clone()
                .filter(|_| status == Status::Completed || (failed && record.fan_out.is_some())),
            error: record.error.clone().filter(|_| failed),
            reason,
            notes: record.notes.clone(),
            caveat: record.caveat.clone(),
        }
    }
}

/// What an instance says that puts out more than there is room for; its fan-out says it for all.
pub(super) fn gathers_too_much() -> StepError {
    let message = "what the instances put out together is larger than it may be";
    StepError::new(ErrorKind::TooLarge, message)
}

/// What becomes of a run of `plan` whose steps put out more than it may hold. What had ended by then depends
/// on the order of events, so nothing of it is shown.
pub(super) fn too_large(plan: &Plan, limit: usize) -> RunResult {
    let message = format!(
        "what the steps of this run put out together takes more memory than the limit of {} MiB",
        limit >> 20
    );
    let help = "let steps put out less: narrow what they read, `select` what is needed with `path` or \
                `limit` before it is used often, or make several runbooks of this one";
    let error = StepError::new(ErrorKind::TooLarge, message).help(help);
    let result = |planned: &PlannedStep| StepResult {
        id: planned.id.to_string(),
        uses: planned.uses.clone(),
        status: Status::Failed,
        output: None,
        error: Some(error.clone()),
        reason: None,
        notes: Vec::new(),
        caveat: None,
    };
    RunResult {
        outcome: Outcome::Failed,
        steps: plan.steps().iter().map(result).collect(),
    }
}
