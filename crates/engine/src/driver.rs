use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, OptionFuture};
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use windlass_plan::{
    Action, Because, Event, Halt, Outcome, Plan, PlannedStep, Schedule, ScheduleOptions, Status,
    StepIndex,
};

use crate::attempt::{AttemptLimits, attempt};
use crate::limits::Place;
use crate::scope::{Instance, StepScope};
use crate::{
    Call, ErrorKind, Observer, Registry, RunEvent, RunOptions, RunResult, Slots, Step, StepError,
    StepOutput, StepResult, Stop, StopLevel,
};

/// Runs `plan` to its end and gives back what became of every step.
///
/// `inputs` are bound values, one for each input the plan declares. `slots` is shared with the run this one
/// is nested in, if any; `depth` counts how many those are. Never fails: what goes wrong is in the result.
pub async fn run(
    plan: &Plan,
    inputs: &BTreeMap<String, Value>,
    registry: &Registry,
    options: &RunOptions,
    context: RunContext,
) -> RunResult {
    Driver::new(plan, inputs, registry, options, context)
        .drive()
        .await
}

/// What a run shares with its surroundings.
#[derive(Clone)]
pub struct RunContext {
    /// Who listens.
    pub observer: Arc<dyn Observer>,
    /// Raised to stop the run.
    pub stop: Stop,
    /// The places at which steps run.
    pub slots: Slots,
    /// How many runbooks this run is nested in.
    pub depth: u32,
    /// Put before every step's path in events: empty, or `outer/`.
    pub prefix: String,
}

/// Something a run waits for came to its end.
enum Ended {
    Attempt {
        step: StepIndex,
        attempt: u32,
        result: Result<StepOutput, StepError>,
    },
    Delay {
        step: StepIndex,
    },
}

/// What the driver knows of a step beyond its status.
#[derive(Default)]
struct Record {
    output: Option<Arc<Value>>,
    error: Option<StepError>,
    notes: Vec<String>,
    caveat: Option<String>,
    skipped: bool,
    /// For a fan-out: its items, and its first instance.
    fan_out: Option<(Vec<Value>, StepIndex)>,
    started: Option<tokio::time::Instant>,
}

struct Driver<'a> {
    plan: &'a Plan,
    inputs: &'a BTreeMap<String, Value>,
    registry: &'a Registry,
    options: &'a RunOptions,
    context: RunContext,
    schedule: Schedule,
    records: Vec<Record>,
    waiting: FuturesUnordered<BoxFuture<'a, Ended>>,
    /// The stop signal of every running attempt.
    running: BTreeMap<StepIndex, Stop>,
    known_stop: StopLevel,
    /// The run stands in line for a place. It keeps its position until it gets one.
    in_line: Option<BoxFuture<'a, Place>>,
}

impl<'a> Driver<'a> {
    fn new(
        plan: &'a Plan,
        inputs: &'a BTreeMap<String, Value>,
        registry: &'a Registry,
        options: &'a RunOptions,
        context: RunContext,
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
            registry,
            options,
            context,
            schedule,
            records,
            waiting: FuturesUnordered::new(),
            running: BTreeMap::new(),
            known_stop: StopLevel::None,
            in_line: None,
        }
    }

    async fn drive(mut self) -> RunResult {
        self.tell(&RunEvent::RunStarted {
            plan: self.plan.id().as_str(),
            steps: self.plan.steps().len(),
        });
        let actions = self.schedule.begin();
        self.perform(actions);
        let stop = self.context.stop.clone();
        loop {
            // Nothing starts after somebody asked to stop, not even at the very beginning.
            let level = stop.level();
            if level > self.known_stop {
                self.stopped(level);
            }
            self.start_what_is_ready(None);
            if self.schedule.outcome().is_some() {
                return self.finish();
            }
            if self.waiting.is_empty() && self.in_line.is_none() {
                debug_assert!(false, "nothing runs, and the schedule has not ended");
                return self.finish();
            }
            tokio::select! {
                biased;
                level = stop.beyond(self.known_stop) => self.stopped(level),
                Some(ended) = self.waiting.next() => self.ended(ended),
                place = OptionFuture::from(self.in_line.as_mut()), if self.in_line.is_some() => {
                    self.in_line = None;
                    if stop.level() == self.known_stop {
                        self.start_what_is_ready(place);
                    }
                }
            }
        }
    }

    /// Starts steps, lowest first, as long as there is room here and a place among all runs.
    fn start_what_is_ready(&mut self, mut place: Option<Place>) {
        while self.running.len() < self.options.jobs.get() {
            let Some(step) = self.schedule.next_ready() else {
                return;
            };
            if self.takes_a_place(step) && place.is_none() {
                if self.in_line.is_some() {
                    return;
                }
                place = self.context.slots.try_take();
                if place.is_none() {
                    self.in_line = Some(Box::pin(self.context.slots.clone().take()));
                    return;
                }
            }
            self.apply(Event::Started { step });
            self.start(step, &mut place);
        }
    }

    /// Whether `step` does work of its own. A fan-out leaves that to its instances, and a kind that runs runs
    /// of its own to the steps of those.
    fn takes_a_place(&self, step: StepIndex) -> bool {
        let nested = |kind: &Arc<dyn Step>| kind.spec().effects.nested;
        !self.fans_out(step)
            && !self
                .registry
                .get(&self.planned(step).uses)
                .is_some_and(nested)
    }

    fn fans_out(&self, step: StepIndex) -> bool {
        self.planned(step).for_each.is_some() && self.schedule.origin(step).is_none()
    }

    fn start(&mut self, step: StepIndex, place: &mut Option<Place>) {
        match self.prepare(step) {
            Ok(Prepared::Call { input }) => self.start_attempt(step, input, place),
            Ok(Prepared::FanOut { items }) => self.fan_out(step, items),
            Ok(Prepared::Skip) => {
                self.records[step.index()].skipped = true;
                self.apply_and_tell(step, Event::Skipped { step });
            }
            Err(error) => self.failed(step, self.schedule.attempt(step), error),
        }
    }

    /// Looks at the condition, the list and the references of `step`, now that what it needs is there.
    fn prepare(&self, step: StepIndex) -> Result<Prepared, StepError> {
        let (planned, instance) = (self.planned(step), self.instance(step));
        let scope = StepScope {
            inputs: self.inputs,
            steps: self,
            instance,
        };
        let fans_out = self.fans_out(step);
        if let Some(condition) = &planned.condition {
            // A condition over the item is asked of each instance, any other once.
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
                return Ok(Prepared::Skip);
            }
        }
        match &planned.for_each {
            Some(list) if fans_out => Ok(Prepared::FanOut {
                items: scope.list(list)?,
            }),
            _ => Ok(Prepared::Call {
                input: scope.resolve(&planned.with)?,
            }),
        }
    }

    fn start_attempt(&mut self, step: StepIndex, input: Value, place: &mut Option<Place>) {
        let (planned, attempt_number) = (self.planned(step), self.schedule.attempt(step));
        let path = self.path(step);
        let Some(kind) = self.registry.get(&planned.uses) else {
            let message = format!("there is no step kind `{}` in this program", planned.uses);
            return self.failed(
                step,
                attempt_number,
                StepError::new(ErrorKind::Internal, message),
            );
        };
        let limits = self.attempt_limits(step);
        self.tell(&RunEvent::StepStarted {
            step: &path,
            uses: &planned.uses,
            attempt: attempt_number,
        });
        let call = Call {
            path,
            input,
            attempt: attempt_number,
            stop: Stop::default(),
            depth: self.context.depth,
            observer: Arc::clone(&self.context.observer),
            slots: self.context.slots.clone(),
        };
        self.running.insert(step, call.stop.clone());
        let work = attempt(Arc::clone(kind), call, limits);
        let place = if kind.spec().effects.nested {
            None
        } else {
            place.take()
        };
        self.waiting.push(Box::pin(async move {
            let result = work.await;
            drop(place);
            Ended::Attempt {
                step,
                attempt: attempt_number,
                result,
            }
        }));
    }

    /// The limits of the next attempt: `timeout`, and what is left of `max_duration`.
    fn attempt_limits(&mut self, step: StepIndex) -> AttemptLimits {
        let planned = self.planned(step);
        let now = tokio::time::Instant::now();
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

    /// What the wait before the next attempt of `step` would run into: the limit on all attempts together.
    fn out_of_time(&self, step: StepIndex, attempt: u32) -> Option<StepError> {
        let planned = self.planned(step);
        let total = planned.max_duration?;
        let waited = planned.retry.delay_after(attempt);
        let started = self.records[step.index()].started?;
        (started.elapsed().saturating_add(waited) >= total).then(|| out_of_time(total))
    }

    fn fan_out(&mut self, step: StepIndex, items: Vec<Value>) {
        let count = items.len();
        self.tell(&RunEvent::StepFannedOut {
            step: &self.path(step),
            count,
        });
        let first = StepIndex::new(self.schedule.len());
        self.records[step.index()].fan_out = Some((items, first));
        self.records
            .resize_with(self.schedule.len() + count, Record::default);
        let event = Event::FannedOut {
            step,
            attempt: self.schedule.attempt(step),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        };
        if count == 0 {
            self.records[step.index()].output = Some(Arc::new(Value::Array(Vec::new())));
            self.apply_and_tell(step, event);
        } else {
            self.apply(event);
        }
    }

    // ---- what happens -------------------------------------------------------------------------------

    fn ended(&mut self, ended: Ended) {
        match ended {
            // A halt may have given the step up while it waited.
            Ended::Delay { step } => {
                if self.schedule.because(step) == Some(Because::Retry) {
                    self.apply(Event::RetryDue { step });
                }
            }
            Ended::Attempt {
                step,
                attempt,
                result,
            } => {
                self.running.remove(&step);
                match result {
                    Ok(output) => self.completed(step, attempt, output),
                    Err(error) => self.failed(step, attempt, error),
                }
            }
        }
    }

    fn completed(&mut self, step: StepIndex, attempt: u32, output: StepOutput) {
        let record = &mut self.records[step.index()];
        record.output = Some(Arc::new(output.value));
        record.notes = output.notes;
        record.caveat = output.caveat;
        record.error = None;
        self.apply_and_tell(step, Event::Completed { step, attempt });
    }

    fn failed(&mut self, step: StepIndex, attempt: u32, error: StepError) {
        let again = error.kind.is_retryable() && attempt < self.planned(step).retry.max_attempts;
        let out_of_time = if again {
            self.out_of_time(step, attempt)
        } else {
            None
        };
        let retryable = again && out_of_time.is_none();
        let error = out_of_time.unwrap_or(error);
        self.records[step.index()].error = Some(error);
        self.apply_and_tell(
            step,
            Event::Failed {
                step,
                attempt,
                retryable,
            },
        );
    }

    fn stopped(&mut self, level: StopLevel) {
        self.known_stop = level;
        for stop in self.running.values() {
            stop.request(level);
        }
        self.apply(Event::Halted(if level == StopLevel::Kill {
            Halt::Kill
        } else {
            Halt::Cancel
        }));
    }

    fn apply(&mut self, event: Event) {
        let actions = self.take_in(event);
        self.perform(actions);
    }

    /// As [`Driver::apply`], for what may end `step`: that is told before what follows from it.
    fn apply_and_tell(&mut self, step: StepIndex, event: Event) {
        let actions = self.take_in(event);
        if is_last(self.schedule.status(step)) {
            self.tell_ended(step);
        }
        self.perform(actions);
    }

    fn take_in(&mut self, event: Event) -> Vec<Action> {
        self.schedule.apply(event).unwrap_or_else(|rejected| {
            // The driver reports only what the schedule waits for; anything else is a bug of ours, and an
            // event that is not taken in changes nothing.
            debug_assert!(false, "{rejected}");
            Vec::new()
        })
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Retry {
                    step,
                    attempt,
                    after,
                } => self.retry(step, attempt, after),
                Action::Gathered { step, failed } => self.gather(step, failed),
                Action::HeldBack { step, .. } | Action::GivenUp { step } => self.tell_ended(step),
                Action::Ready { .. } | Action::Grown { .. } | Action::Finished { .. } => {}
            }
        }
    }

    fn retry(&mut self, step: StepIndex, attempt: u32, after: Duration) {
        if let Some(error) = &self.records[step.index()].error {
            self.tell(&RunEvent::StepRetries {
                step: &self.path(step),
                attempt,
                after,
                error,
            });
        }
        self.waiting.push(Box::pin(async move {
            tokio::time::sleep(after).await;
            Ended::Delay { step }
        }));
    }

    /// Collects the outputs of a fan-out in the order of its list.
    fn gather(&mut self, step: StepIndex, failed: bool) {
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
            caveat: records.iter().find_map(|record| record.caveat.clone()),
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
                        "{failures} of {} instances failed; the first: {}",
                        items.len(),
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

    fn finish(self) -> RunResult {
        let outcome = self.schedule.outcome().unwrap_or(Outcome::Cancelled);
        self.tell(&RunEvent::RunEnded {
            plan: self.plan.id().as_str(),
            outcome,
        });
        let steps = (0..self.plan.steps().len())
            .map(|at| self.result(StepIndex::new(at)))
            .collect();
        RunResult { outcome, steps }
    }

    fn result(&self, step: StepIndex) -> StepResult {
        let (planned, record) = (self.planned(step), &self.records[step.index()]);
        let status = self.schedule.status(step);
        let reason = match self.schedule.because(step) {
            Some(Because::Failed(by)) => {
                Some(format!("needs `{}`, which failed", self.planned(by).id))
            }
            Some(Because::Halted) => Some("the run was stopped first".to_owned()),
            Some(Because::Retry) => Some("waits for its next attempt".to_owned()),
            None if record.skipped => Some("its condition does not hold".to_owned()),
            None => None,
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

    // ---- looking things up --------------------------------------------------------------------------

    /// The step of the plan that `step` is, or is an instance of.
    fn planned(&self, step: StepIndex) -> &'a PlannedStep {
        let step = self
            .schedule
            .origin(step)
            .map_or(step, |(parent, _)| parent);
        &self.plan.steps()[step.index()]
    }

    fn instance(&self, step: StepIndex) -> Option<Instance<'_>> {
        let (parent, index) = self.schedule.origin(step)?;
        let (items, _) = self.records[parent.index()].fan_out.as_ref()?;
        Some(Instance {
            item: items.get(index as usize)?,
            index,
        })
    }

    fn path(&self, step: StepIndex) -> String {
        let id = &self.planned(step).id;
        match self.schedule.origin(step) {
            Some((_, index)) => format!("{}{id}[{index}]", self.context.prefix),
            None => format!("{}{id}", self.context.prefix),
        }
    }

    fn tell(&self, event: &RunEvent<'_>) {
        self.context.observer.event(event);
    }

    fn tell_ended(&self, step: StepIndex) {
        let (path, status) = (self.path(step), self.schedule.status(step));
        let error = self.records[step.index()]
            .error
            .as_ref()
            .filter(|_| status == Status::Failed);
        self.tell(&RunEvent::StepEnded {
            step: &path,
            status,
            error,
        });
    }

    /// Status and output of the step called `id`, for references and conditions.
    pub(crate) fn look_up(&self, id: &str) -> Option<(Status, Option<&Arc<Value>>)> {
        let step = self.plan.find(id)?;
        Some((
            self.schedule.status(step),
            self.records[step.index()].output.as_ref(),
        ))
    }
}

impl crate::scope::Steps for Driver<'_> {
    fn look_up(&self, id: &str) -> Option<(Status, Option<&Arc<Value>>)> {
        Driver::look_up(self, id)
    }
}

/// Whether a step that has just been worked on is done with for good.
fn is_last(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::Skipped)
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

/// What a ready step turned out to be.
enum Prepared {
    Call { input: Value },
    FanOut { items: Vec<Value> },
    Skip,
}
