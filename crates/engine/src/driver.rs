//! Drives a schedule: starts what is ready, waits for what runs, and reports what became of it.

mod progress;
mod step_results;
mod step_start;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, OptionFuture};
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use windlass_base::memory_of;
use windlass_plan::{Action, Because, Event, Halt, Outcome, Plan, Status, StepIndex};

use crate::slots::Place;
use crate::{
    Earlier, Held, Observer, Registry, RunEvent, RunOptions, RunResult, Slots, StepError,
    StepOutput, Stop, StopLevel,
};
use progress::Progress;

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
    let (slots, stop) = (context.slots.clone(), context.stop.clone());
    let outermost = context.depth == 0;
    let result = Driver::new(plan, inputs, registry, options, context)
        .drive()
        .await;
    if outermost && stop.level() < StopLevel::Cancel {
        // Threads of steps that took too long have heard that they shall end; what they started ends with
        // them, so they get the time for it.
        tokio::select! {
            () = slots.all_free(options.grace) => {}
            _ = stop.beyond(StopLevel::Drain) => {}
        }
    }
    result
}

/// The things that a run shares with its surroundings.
#[derive(Clone)]
pub struct RunContext {
    /// The listener.
    pub observer: Arc<dyn Observer>,
    /// Raised to stop the run.
    pub stop: Stop,
    /// The places at which steps run.
    pub slots: Slots,
    /// The memory it holds, with the runs nested in it.
    pub held: Held,
    /// The number of runbooks that this run is nested in.
    pub depth: u32,
    /// Put before every step's path in events: empty, or `outer/`.
    pub prefix: String,
    /// Outputs that serve instead of attempts.
    pub earlier: Option<Arc<dyn Earlier>>,
}

/// Something a run waits for came to its end.
enum Ended {
    Attempt {
        step: StepIndex,
        attempt: u32,
        /// How long it took to make ready what it needs, which is no part of its time.
        preparing: Duration,
        result: Box<Result<StepOutput, StepError>>,
    },
    Delay {
        step: StepIndex,
    },
}

/// A running attempt.
struct Running {
    stop: Stop,
    /// Whether it is of a kind that runs runs of its own.
    nested: bool,
}

struct Driver<'a> {
    progress: Progress<'a>,
    registry: &'a Registry,
    context: RunContext,
    waiting: FuturesUnordered<BoxFuture<'a, Ended>>,
    /// Every running attempt.
    running: BTreeMap<StepIndex, Running>,
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
        Self {
            progress: Progress::new(plan, inputs, options),
            registry,
            context,
            waiting: FuturesUnordered::new(),
            running: BTreeMap::new(),
            known_stop: StopLevel::None,
            in_line: None,
        }
    }

    async fn drive(mut self) -> RunResult {
        self.tell(&RunEvent::RunStarted {
            plan: self.progress.plan.id().as_str(),
            steps: self.progress.plan.steps().len(),
        });
        let actions = self.progress.schedule.begin();
        self.perform(actions);
        let stop = self.context.stop.clone();
        loop {
            // Nothing starts after somebody asked to stop, not even at the very beginning.
            let level = stop.level();
            if level > self.known_stop {
                self.stopped(level);
            }
            if self.is_too_large() && self.known_stop < StopLevel::Cancel {
                self.stopped(StopLevel::Cancel);
            }
            self.start_what_is_ready(None);
            if self.progress.schedule.outcome().is_some() {
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

    // ---- what happens -------------------------------------------------------------------------------

    fn ended(&mut self, ended: Ended) {
        match ended {
            // A halt may have given the step up while it waited.
            Ended::Delay { step } => {
                if self.progress.schedule.because(step) == Some(Because::Retry) {
                    self.apply(Event::RetryDue { step });
                }
            }
            Ended::Attempt {
                step,
                attempt,
                preparing,
                result,
            } => {
                self.running.remove(&step);
                if let Some(started) = &mut self.progress.record_mut(step).started {
                    *started += preparing;
                }
                match *result {
                    Ok(output) => self.completed(step, attempt, output),
                    Err(error) => self.failed(step, attempt, error),
                }
            }
        }
    }

    fn completed(&mut self, step: StepIndex, attempt: u32, output: StepOutput) {
        self.context.held.add(memory_of(&output.value));
        if !self.progress.is_gathered(step, &output.value) {
            // Which instance is one too many depends on the order in which they end: the fan-out says it.
            return self.failed(step, attempt, step_results::gathers_too_much());
        }
        let record = self.progress.record_mut(step);
        record.output = Some(Arc::new(output.value));
        record.notes = output.notes;
        record.caveat = output.caveat;
        record.basis = Arc::new(output.basis);
        record.kept = output.kept;
        record.error = None;
        self.apply_and_tell(step, Event::Completed { step, attempt });
    }

    fn failed(&mut self, step: StepIndex, attempt: u32, error: StepError) {
        let again =
            error.kind.is_retryable() && attempt < self.progress.planned(step).retry.max_attempts;
        let out_of_time = if again {
            self.progress.out_of_time(step, attempt)
        } else {
            None
        };
        let retryable = again && out_of_time.is_none();
        let error = out_of_time.unwrap_or(error);
        self.progress.record_mut(step).error = Some(error);
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
        // It stands in line for a place of the run; clean-up has places of its own.
        self.in_line = None;
        if level >= StopLevel::Cancel {
            for running in self.running.values() {
                running.stop.request(level);
            }
        }
        self.apply(Event::Halted(match level {
            StopLevel::None | StopLevel::Drain => Halt::FailFast,
            StopLevel::Cancel => Halt::Cancel,
            StopLevel::Kill => Halt::Kill,
        }));
    }

    /// Lets nested runs that are going on start nothing new: this one does not either any more.
    fn drain(&self) {
        for running in self.running.values().filter(|running| running.nested) {
            running.stop.request(StopLevel::Drain);
        }
    }

    fn apply(&mut self, event: Event) {
        let actions = self.take_in(event);
        self.perform(actions);
    }

    /// As [`Driver::apply`], for what may end `step`: that is told before what follows from it.
    fn apply_and_tell(&mut self, step: StepIndex, event: Event) {
        let actions = self.take_in(event);
        if is_last(self.progress.schedule.status(step)) {
            self.tell_ended(step);
        }
        self.perform(actions);
    }

    fn take_in(&mut self, event: Event) -> Vec<Action> {
        let halted_before = self.progress.schedule.is_halted();
        let actions = self
            .progress
            .schedule
            .apply(event)
            .unwrap_or_else(|rejected| {
                // The driver reports only what the schedule waits for; anything else is a bug of ours, and an
                // event that is not taken in changes nothing.
                debug_assert!(false, "{rejected}");
                Vec::new()
            });
        if self.progress.schedule.is_halted() && !halted_before {
            self.drain();
        }
        actions
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Retry {
                    step,
                    attempt,
                    after,
                } => self.retry(step, attempt, after),
                Action::Gathered { step, failed } => {
                    if self.progress.gather(step, failed) {
                        self.tell_ended(step);
                    }
                }
                Action::HeldBack { step, .. } | Action::GivenUp { step } => self.tell_ended(step),
                // A run never pushes back: that is what molecules do.
                Action::Ready { .. }
                | Action::Reopened { .. }
                | Action::Grown { .. }
                | Action::Finished { .. } => {}
            }
        }
    }

    fn retry(&mut self, step: StepIndex, attempt: u32, after: Duration) {
        if let Some(error) = &self.progress.record(step).error {
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

    fn finish(self) -> RunResult {
        // Of runs inside of it, nothing is left to be told: they are the outermost run's matter.
        let too_large = self.context.depth == 0 && self.is_too_large();
        let outcome = match self.progress.schedule.outcome() {
            _ if too_large => Outcome::Failed,
            outcome => outcome.unwrap_or(Outcome::Cancelled),
        };
        self.tell(&RunEvent::RunEnded {
            plan: self.progress.plan.id().as_str(),
            outcome,
        });
        if too_large {
            return step_results::too_large(
                self.progress.plan,
                self.progress.options.max_run_memory,
            );
        }
        let steps = (0..self.progress.plan.steps().len())
            .map(|at| self.progress.result(StepIndex::new(at)))
            .collect();
        RunResult { outcome, steps }
    }

    /// Whether more was put out than a run may hold. Then it ends, whatever is left to do.
    fn is_too_large(&self) -> bool {
        self.context
            .held
            .exceeds(self.progress.options.max_run_memory)
    }

    // ---- looking things up --------------------------------------------------------------------------

    fn path(&self, step: StepIndex) -> String {
        format!("{}{}", self.context.prefix, self.progress.name(step))
    }

    fn tell(&self, event: &RunEvent<'_>) {
        self.context.observer.event(event);
    }

    fn tell_ended(&self, step: StepIndex) {
        let (path, status) = (self.path(step), self.progress.schedule.status(step));
        let record = self.progress.record(step);
        let produced = record.produced().filter(|_| status == Status::Completed);
        self.tell(&RunEvent::StepEnded {
            step: &path,
            status,
            error: record.error.as_ref().filter(|_| status == Status::Failed),
            produced: produced.as_ref(),
        });
    }
}

/// Whether a step that has just been worked on is done with for good.
fn is_last(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::Skipped)
}
