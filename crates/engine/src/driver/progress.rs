//! The state of a run: the schedule, and a record for each step.
//!
//! A fan-out is replaced by instances, one for each item of its list. In the schedule and the
//! records, the instances come after the steps of the plan, so a step's index never changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use windlass_base::Digest;
use windlass_plan::{Plan, PlannedStep, Schedule, ScheduleOptions, Status, StepIndex};

use crate::attempt::AttemptLimits;
use crate::step_scope::{Instance, StepScope};
use crate::{Basis, Caveat, ErrorKind, Produced, RunOptions, StepError};

/// Everything we know about a step, apart from its status in the schedule.
#[derive(Default)]
pub(super) struct Record {
    pub(super) output: Option<Arc<Value>>,
    pub(super) error: Option<StepError>,
    pub(super) notes: Vec<String>,
    pub(super) caveat: Option<Caveat>,
    pub(super) skipped: Option<&'static str>,
    /// The digest of the input. We only compute it if outputs are recorded or reused.
    pub(super) input: Option<Digest>,
    pub(super) basis: Arc<Basis>,
    pub(super) kept: bool,
    /// For a fan-out, its items and the index of its first instance.
    pub(super) fan_out: Option<(Vec<Value>, StepIndex)>,
    /// For a fan-out, the size of its instances' outputs so far, in bytes of JSON.
    pub(super) gathered_bytes: usize,
    pub(super) started: Option<tokio::time::Instant>,
}

impl Record {
    /// Returns the result to record, or `None` if outputs are not recorded. A fan-out has none
    /// either, because its instances do.
    pub(super) fn produced(&self) -> Option<Produced> {
        Some(Produced {
            input: self.input?,
            output: Arc::clone(self.output.as_ref()?),
            notes: self.notes.clone(),
            caveat: self.caveat.clone(),
            basis: Arc::clone(&self.basis),
            kept: self.kept,
        })
    }
}

pub(super) enum Prepared {
    Call { input: Value },
    FanOut { items: Vec<Value> },
    Skip { why: &'static str },
}

pub(super) struct Progress<'a> {
    pub(super) plan: &'a Plan,
    inputs: &'a BTreeMap<String, Value>,
    pub(super) options: &'a RunOptions,
    pub(super) schedule: Schedule,
    /// One record per scheduled step. Instances come after the steps of the plan.
    pub(super) records: Vec<Record>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        inputs: &'a BTreeMap<String, Value>,
        options: &'a RunOptions,
    ) -> Self {
        let schedule = Schedule::new(
            plan.node_specs(),
            ScheduleOptions {
                fail_fast: options.fail_fast,
            },
        );
        let records = plan.steps().iter().map(|_| Record::default()).collect();
        Self {
            plan,
            inputs,
            options,
            schedule,
            records,
        }
    }

    pub(super) fn record(&self, step: StepIndex) -> &Record {
        &self.records[step.index()]
    }

    pub(super) fn record_mut(&mut self, step: StepIndex) -> &mut Record {
        &mut self.records[step.index()]
    }

    pub(super) fn name(&self, step: StepIndex) -> String {
        let id = &self.planned(step).id;
        match self.schedule.origin(step) {
            Some((_, index)) => format!("{id}[{index}]"),
            None => id.to_string(),
        }
    }

    pub(super) fn planned(&self, step: StepIndex) -> &'a PlannedStep {
        &self.plan.steps()[self.named(step).index()]
    }

    pub(super) fn named(&self, step: StepIndex) -> StepIndex {
        let origin = self.schedule.origin(step);
        origin.map_or(step, |(parent, _)| parent)
    }

    pub(super) fn instance(&self, step: StepIndex) -> Option<Instance<'_>> {
        let (parent, index) = self.schedule.origin(step)?;
        let (items, _) = self.records[parent.index()].fan_out.as_ref()?;
        Some(Instance {
            item: items.get(index as usize)?,
            index,
        })
    }

    pub(super) fn fans_out(&self, step: StepIndex) -> bool {
        self.planned(step).for_each.is_some() && self.schedule.origin(step).is_none()
    }

    /// Evaluates the condition, the list and the references of `step`. Its needs must have ended.
    pub(super) fn prepare(&self, step: StepIndex) -> Result<Prepared, StepError> {
        let (planned, instance) = (self.planned(step), self.instance(step));
        let scope = StepScope {
            inputs: self.inputs,
            steps: self,
            instance,
        };
        // `only` lists steps of the plan, so for an instance, look up its fan-out.
        if self
            .options
            .only
            .as_ref()
            .is_some_and(|only| !only.contains(&self.named(step)))
        {
            return Ok(Prepared::Skip {
                why: "not requested",
            });
        }
        let fans_out = self.fans_out(step);
        if let Some(condition) = &planned.condition {
            // A condition on the item can only be evaluated for each instance. Any other condition
            // is evaluated once, for the fan-out as a whole.
            let of_item = condition
                .mentions()
                .iter()
                .any(|mention| matches!(mention.path[0].as_str(), "item" | "index"));
            let asked_here = if of_item {
                !fans_out
            } else {
                instance.is_none()
            };
            if asked_here && !scope.holds(condition)? {
                return Ok(Prepared::Skip {
                    why: "its condition does not hold",
                });
            }
        }
        let max_bytes = self.options.max_input_bytes;
        match &planned.for_each {
            Some(list) if fans_out => Ok(Prepared::FanOut {
                items: self.within_limit(scope.list(list, max_bytes)?)?,
            }),
            _ => Ok(Prepared::Call {
                input: scope.resolve(&planned.with, max_bytes)?,
            }),
        }
    }

    fn within_limit(&self, items: Vec<Value>) -> Result<Vec<Value>, StepError> {
        let (count, most) = (items.len(), self.options.max_instances);
        if count <= most {
            return Ok(items);
        }
        let message = format!("its `for_each` has {count} items, more than the limit of {most}");
        Err(StepError::new(ErrorKind::TooLarge, message)
            .help("shorten the list first: a `select` step with `path` or `limit`"))
    }

    /// Returns the limits for the next attempt. Its time limit is the step's `timeout`, or what's
    /// left of `max_duration` if that is less.
    pub(super) fn attempt_limits(&mut self, step: StepIndex) -> AttemptLimits {
        let planned = self.planned(step);
        let now = tokio::time::Instant::now();
        // Keep the start of the first attempt, because `max_duration` covers all of them.
        let started = *self.records[step.index()].started.get_or_insert(now);
        let timeout = planned.timeout.unwrap_or(self.options.default_timeout);
        let left = planned
            .max_duration
            .map(|total| total.saturating_sub(now - started));
        let (timeout, timed_out) = match (left, planned.max_duration) {
            (Some(left), Some(total)) if left < timeout => (left, out_of_time(total)),
            _ => (timeout, timed_out(timeout)),
        };
        AttemptLimits {
            timeout,
            timed_out,
            grace: self.options.grace,
            max_output_bytes: self.options.max_output_bytes,
        }
    }

    /// Returns an error if `max_duration` is over before the next attempt of `step` can start.
    /// There is no point in waiting for such an attempt.
    pub(super) fn out_of_time(&self, step: StepIndex, attempt: u32) -> Option<StepError> {
        let planned = self.planned(step);
        let total = planned.max_duration?;
        let waited = planned.retry.delay_after(attempt);
        let started = self.records[step.index()].started?;
        (started.elapsed().saturating_add(waited) >= total).then(|| out_of_time(total))
    }
}

impl crate::step_scope::Steps for Progress<'_> {
    fn look_up(&self, id: &str) -> Option<(Status, Option<&Arc<Value>>)> {
        let step = self.plan.find(id)?;
        Some((
            self.schedule.status(step),
            self.records[step.index()].output.as_ref(),
        ))
    }
}

fn timed_out(limit: Duration) -> StepError {
    let message = format!("took longer than its limit of {limit:?}");
    StepError::new(ErrorKind::TimedOut, message)
        .help("raise `timeout` of the step, or give it less to do")
}

fn out_of_time(limit: Duration) -> StepError {
    let message = format!("all attempts together took longer than its limit of {limit:?}");
    StepError::new(ErrorKind::TimedOut, message).help("raise `max_duration` of the step")
}
