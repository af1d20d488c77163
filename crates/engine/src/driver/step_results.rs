//! Turns the records of steps into results.

use std::sync::Arc;

use serde_json::Value;
use windlass_base::{counted, json_size_within};
use windlass_plan::{Because, Outcome, Plan, PlannedStep, Status, StepIndex};

use super::progress::{Progress, Record};
use crate::{Caveat, ErrorKind, RunResult, StepError, StepResult};

impl Progress<'_> {
    /// Adds the output of an instance to the total size of its fan-out.
    ///
    /// Returns false if the total exceeds the limit. For other steps, this always returns true,
    /// because their own limit has been checked.
    pub(super) fn is_gathered(&mut self, step: StepIndex, output: &Value) -> bool {
        let Some((parent, _)) = self.schedule.origin(step) else {
            return true;
        };
        let limit = self.options.max_output_bytes;
        let record = &mut self.records[parent.index()];
        let left = limit.saturating_sub(record.gathered_bytes);
        // The comma between list items takes one more byte.
        let size = json_size_within(output, left).map_or(usize::MAX, |size| size + 1);
        record.gathered_bytes = record.gathered_bytes.saturating_add(size);
        record.gathered_bytes <= limit
    }

    /// Collects the outputs of a fan-out, in the order of its list. If `step` isn't a fan-out, this
    /// returns false.
    pub(super) fn gather(&mut self, step: StepIndex, failed: bool) -> bool {
        let limit = self.options.max_output_bytes;
        let record = &mut self.records[step.index()];
        let Some((items, first)) = &record.fan_out else {
            return false;
        };
        let (count, first) = (items.len(), first.index());
        if record.gathered_bytes > limit {
            let message = format!(
                "the total output of its {} exceeds the limit of {limit} bytes",
                counted(count, "instance"),
            );
            record.error = Some(
                StepError::new(ErrorKind::TooLarge, message)
                    .help("reduce the output of each, or shorten the list first"),
            );
            return true;
        }
        let records = &mut self.records[first..first + count];
        // Nobody reads the instances anymore, so move their outputs instead of copying them.
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
                        "stopped before all its instances ended",
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
            // Users see the outputs of a failed fan-out, but later steps can't use them.
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

/// Creates the error of the instance that takes its fan-out beyond the limit. Nobody sees it, since
/// the fan-out reports an error for all instances.
pub(super) fn gathers_too_much() -> StepError {
    let message = "the total output of the instances exceeds the limit";
    StepError::new(ErrorKind::TooLarge, message)
}

/// Creates the result of a run over the memory limit. It has no outputs, because the set of
/// completed steps depends on timing.
pub(super) fn too_large(plan: &Plan, limit: usize) -> RunResult {
    let message = format!(
        "the outputs of this run take more memory than the limit of {} MiB",
        limit >> 20
    );
    let help = "reduce the output of steps: narrow their scope, `select` the needed part with `path` or \
                `limit` before it is used often, or split the runbook";
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
