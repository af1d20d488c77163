//! Drives a schedule: starts ready steps, awaits running ones and reports results. The schedule
//! decides what happens next. The driver turns its actions into attempts and timers, and their
//! results into events for the schedule.

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

/// Runs `plan` to its end and returns the result of every step.
///
/// `inputs` has a value for each declared input. The `context` has everything shared with enclosing
/// runs, such as their slots and the nesting depth. This function never fails, since errors are
/// part of the result.
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
        // We've asked threads beyond their time limit to stop. Any processes they started end along
        // with them, so give them the grace period before we return.
        tokio::select! {
            () = slots.all_free(options.grace) => {}
            _ = stop.beyond(StopLevel::Drain) => {}
        }
    }
    result
}

/// Context shared between a run and its nested runs.
#[derive(Clone)]
pub struct RunContext {
    /// The observer that receives the run's events.
    pub observer: Arc<dyn Observer>,
    /// The run's stop signal.
    pub stop: Stop,
    /// Slots for running steps, shared with enclosing runs.
    pub slots: Slots,
    /// Memory held by the outermost run and all its nested runs.
    pub held: Held,
    /// Number of enclosing runs, or 0 for the outermost run.
    pub depth: u32,
    /// Prefix of step paths in events, such as `outer/`. Empty for the outermost run.
    pub prefix: String,
    /// Source of earlier outputs to use instead of new attempts.
    pub earlier: Option<Arc<dyn Earlier>>,
}

/// An event the driver was waiting for.
enum Ended {
    Attempt {
        step: StepIndex,
        attempt: u32,
        /// Time spent on preparation, which doesn't count towards the step's time limit.
        preparing: Duration,
        result: Box<Result<StepOutput, StepError>>,
    },
    Delay {
        step: StepIndex,
    },
}

/// An attempt in progress.
struct Running {
    stop: Stop,
    /// True if the attempt has a nested run.
    nested: bool,
}

struct Driver<'a> {
    progress: Progress<'a>,
    registry: &'a Registry,
    context: RunContext,
    waiting: FuturesUnordered<BoxFuture<'a, Ended>>,
    running: BTreeMap<StepIndex, Running>,
    known_stop: StopLevel,
    /// A pending request for a slot. We keep it so as not to lose our position in the queue.
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
            // No step may start after a stop request. Check before the first step too.
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

    // ---- events --------------------------------------------------------------------------------------

    fn ended(&mut self, ended: Ended) {
        match ended {
            // The step may have been given up by a halt while it waited for the retry.
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
            // It depends on timing which instance exceeds the limit, so let the fan-out report the
            // error.
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
        // The pending request is for a work slot. Clean-up has slots of its own, so that it doesn't
        // have to wait for hanging steps.
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

    /// Keeps nested runs from starting new steps.
    fn drain(&self) {
        for running in self.running.values().filter(|running| running.nested) {
            running.stop.request(StopLevel::Drain);
        }
    }

    fn apply(&mut self, event: Event) {
        let actions = self.take_in(event);
        self.perform(actions);
    }

    /// Applies an event that may end `step`. If it does, we report the end before its consequences.
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
                // The driver only reports events the schedule expects, so a rejection is a bug in
                // the driver. Release builds ignore the event.
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
                // We never get here, because only molecules push steps back.
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
        // The limit belongs to the outermost run, which is the only one to report the error.
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

    /// Returns true if the outputs exceed the run's memory limit. In that case, the run stops.
    fn is_too_large(&self) -> bool {
        self.context
            .held
            .exceeds(self.progress.options.max_run_memory)
    }

    // ---- look-ups ------------------------------------------------------------------------------------

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

/// Returns true if a step with this status never runs again.
fn is_last(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::Skipped)
}
