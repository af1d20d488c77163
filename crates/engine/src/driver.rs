//! Executes the schedule of a run.
//!
//! The schedule decides what happens next, but cannot do anything by itself. The driver turns its
//! actions into attempts and timers, and reports their results back as events. All of the state is
//! in the driver's task, so nothing here needs a lock.

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

/// Runs `plan` to its end, and returns the result of every step. There is no error to return,
/// because failures are part of the result.
///
/// `inputs` must contain a value for each declared input (see [`windlass_plan::bind_inputs`]).
/// `context` is shared with the surrounding runs.
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
        // Some threads may be over their time limit and were asked to stop. If we returned now, the
        // processes that they run might outlive us, so give them the grace period.
        tokio::select! {
            () = slots.all_free(options.grace) => {}
            _ = stop.beyond(StopLevel::Drain) => {}
        }
    }
    result
}

/// The state a run shares with its nested runs or passes on to them.
#[derive(Clone)]
pub struct RunContext {
    /// Receives the events of the run and of all nested runs.
    pub observer: Arc<dyn Observer>,
    /// Signal that ends the run early.
    pub stop: Stop,
    /// The slots, which nested runs share. The limit holds for all of them together.
    pub slots: Slots,
    /// The memory used by the outermost run and all its nested runs.
    pub held: Held,
    /// The number of enclosing runs, i.e. 0 for the outermost one.
    pub depth: u32,
    /// Prefix of all step paths in events, e.g. `outer/`. Empty for the outermost run.
    pub prefix: String,
    /// Outputs to use instead of new attempts. If it is `None`, every step runs.
    pub earlier: Option<Arc<dyn Earlier>>,
}

enum Ended {
    Attempt {
        step: StepIndex,
        attempt: u32,
        /// The time spent on preparation, which does not count towards the step's time limit.
        preparing: Duration,
        result: Box<Result<StepOutput, StepError>>,
    },
    Delay {
        step: StepIndex,
    },
}

struct Running {
    stop: Stop,
    /// True if the step runs another plan. Only such steps are told about a drain.
    nested: bool,
}

struct Driver<'a> {
    progress: Progress<'a>,
    registry: &'a Registry,
    context: RunContext,
    waiting: FuturesUnordered<BoxFuture<'a, Ended>>,
    running: BTreeMap<StepIndex, Running>,
    known_stop: StopLevel,
    /// A pending request for a slot. If we dropped it, we would lose our position in the queue.
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
            plan: self.progress.plan.id().to_string(),
            steps: self.progress.plan.steps().len(),
        });
        let actions = self.progress.schedule.begin();
        self.perform(actions);
        let stop = self.context.stop.clone();
        loop {
            // After a stop request, nothing may start anymore, not even the first step.
            let level = stop.level();
            if level > self.known_stop {
                self.stopped(level);
            }
            // Nested runs share this count with us. Each of them makes the same check and cancels
            // itself.
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
                    // The slot may come too late: a stop needs slots for clean-up instead.
                    if stop.level() == self.known_stop {
                        self.start_what_is_ready(place);
                    }
                }
            }
        }
    }

    // ---- events --------------------------------------------------------------------------------------

    fn ended(&mut self, ended: Ended) {
        match ended {
            // A halt may have given up the step during the delay, so check that it's still waiting.
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
                // `max_duration` counts from `started`, so move that by the time spent on
                // preparation.
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
            // Which instance exceeds the limit depends on timing. Let the fan-out report the error
            // instead, so that the result is always the same.
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
        // An error that would be retried becomes a timeout if there's no time left for another
        // attempt.
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
        // We're in line for a work slot, but from here on, only clean-up starts. It has slots of
        // its own, so that it doesn't wait for steps that hang.
        self.in_line = None;
        if level >= StopLevel::Cancel {
            for running in self.running.values() {
                running.stop.request(level);
            }
        }
        // A drain is the same to the schedule as a failure under `--fail-fast`: steps in progress
        // may end, and no others start apart from `finally` steps.
        self.apply(Event::Halted(match level {
            StopLevel::None | StopLevel::Drain => Halt::FailFast,
            StopLevel::Cancel => Halt::Cancel,
            StopLevel::Kill => Halt::Kill,
        }));
    }

    /// Asks nested runs not to start any more steps. Other steps are single pieces of work, which
    /// we let finish.
    fn drain(&self) {
        for running in self.running.values().filter(|running| running.nested) {
            running.stop.request(StopLevel::Drain);
        }
    }

    fn apply(&mut self, event: Event) {
        let actions = self.take_in(event);
        self.perform(actions);
    }

    /// Applies an event that may end `step`. Observers hear about the end before its consequences.
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
                // The schedule expects all of our events, so this is a bug. A release build goes on
                // without the event.
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
                // `Ready` and `Finished` are visible in the schedule, `Grown` is caused by the
                // driver itself, and only molecules push steps back.
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
                step: self.path(step),
                attempt,
                after,
                error: error.clone(),
            });
        }
        self.waiting.push(Box::pin(async move {
            tokio::time::sleep(after).await;
            Ended::Delay { step }
        }));
    }

    fn finish(self) -> RunResult {
        // The limit is for the outermost run with everything in it, so only that run reports the
        // error.
        let too_large = self.context.depth == 0 && self.is_too_large();
        let outcome = match self.progress.schedule.outcome() {
            _ if too_large => Outcome::Failed,
            outcome => outcome.unwrap_or(Outcome::Cancelled),
        };
        self.tell(&RunEvent::RunEnded {
            plan: self.progress.plan.id().to_string(),
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

    fn is_too_large(&self) -> bool {
        self.context
            .held
            .exceeds(self.progress.options.max_run_memory)
    }

    // ---- look-ups ------------------------------------------------------------------------------------

    fn path(&self, step: StepIndex) -> String {
        format!("{}{}", self.context.prefix, self.progress.name(step))
    }

    fn tell(&self, event: &RunEvent) {
        self.context.observer.event(event);
    }

    fn tell_ended(&self, step: StepIndex) {
        let status = self.progress.schedule.status(step);
        let record = self.progress.record(step);
        let produced = record.produced().filter(|_| status == Status::Completed);
        self.tell(&RunEvent::StepEnded {
            step: self.path(step),
            status,
            error: record.error.clone().filter(|_| status == Status::Failed),
            produced: produced.map(Box::new),
        });
    }
}

fn is_last(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::Skipped)
}
