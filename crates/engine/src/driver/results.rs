//! What became of steps, put together from what was recorded of them.

use std::sync::Arc;
use windlass_base::counted;

use serde_json::Value;
use windlass_plan::{Because, Status, StepIndex};

use super::{Driver, Record};
use crate::{Caveat, ErrorKind, StepError, StepResult};

impl Driver<'_> {
    /// Collects the outputs of a fan-out in the order of its list.
    pub(super) fn gather(&mut self, step: StepIndex, failed: bool) {
        let Some((items, first)) = &self.records[step.index()].fan_out else {
            return;
        };
        let instances = first.index()..first.index() + items.len();
        let records = &self.records[instances];
        let output = |record: &Record| record.output.as_deref().cloned().unwrap_or(Value::Null);
        let mut gathered = Record {
            output: Some(Arc::new(records.iter().map(output).collect())),
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
                        counted(items.len(), "instance"),
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
        self.tell_ended(step);
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

impl crate::scope::Steps for Driver<'_> {
    fn look_up(&self, id: &str) -> Option<(Status, Option<&Arc<Value>>)> {
        let step = self.plan.find(id)?;
        Some((
            self.schedule.status(step),
            self.records[step.index()].output.as_ref(),
        ))
    }
}
