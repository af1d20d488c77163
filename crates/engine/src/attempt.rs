//! Runs a single attempt of a step. Whatever the step does (hang, panic, ignore a stop or produce
//! far too much output), the rest of the run is not affected.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, timeout, timeout_at};
use windlass_base::json_size_within;

use crate::slots::Place;
use crate::{Call, ErrorKind, Step, StepError, StepOutput, Stop, StopLevel};

#[derive(Debug, Clone)]
pub(crate) struct AttemptLimits {
    pub(crate) timeout: Duration,
    /// The error for an attempt that takes longer than `timeout`.
    pub(crate) timed_out: StepError,
    pub(crate) grace: Duration,
    pub(crate) max_output_bytes: usize,
}

type Answer = Result<Result<StepOutput, StepError>, Box<dyn Any + Send>>;

/// Runs one attempt. This always returns, even if the step hangs, panics or ignores a stop.
pub(crate) async fn attempt(
    step: Arc<dyn Step>,
    call: Call,
    mut limits: AttemptLimits,
) -> Result<StepOutput, StepError> {
    limits.grace = step.grace(&call.input).unwrap_or(limits.grace);
    let limit = limits.max_output_bytes;
    let answer = unbounded(step, call, limits).await;
    answer.map_err(|error| bounded(error, limit))
}

/// Lets the step prepare, and returns the time taken. Preparation is free: the caller extends the
/// step's time limit by it.
pub(crate) async fn prepared(step: &dyn Step, call: &Call) -> Result<Duration, StepError> {
    let preparing = catch_unwind(AssertUnwindSafe(|| step.prepare(call)));
    let Some(preparing) = preparing.map_err(|panic| panicked(&*panic))? else {
        return Ok(Duration::ZERO);
    };
    let began = Instant::now();
    tokio::select! {
        biased;
        ended = AssertUnwindSafe(preparing).catch_unwind() => match ended {
            Ok(()) => Ok(began.elapsed()),
            Err(panic) => Err(panicked(&*panic)),
        },
        _ = call.stop.beyond(StopLevel::Drain) => Err(cancelled()),
    }
}

/// Drops the observations of an error that are beyond the size limit for outputs.
fn bounded(mut error: StepError, limit: usize) -> StepError {
    let mut left = limit;
    error.seen.retain(|value| {
        let size = json_size_within(value, left);
        left -= size.unwrap_or(0);
        size.is_some()
    });
    error
}

async fn unbounded(
    step: Arc<dyn Step>,
    call: Call,
    limits: AttemptLimits,
) -> Result<StepOutput, StepError> {
    let (stop, nested) = (call.stop.clone(), step.spec().effects.nested);
    let prompt = step.ends_promptly();
    // The step may drop its call before it ends, so hold on to the slot until then.
    let place = call.place.clone();
    // A step may panic before it even returns its future, so make the call inside of
    // `catch_unwind`.
    let work = async move { step.run(call).await };
    let mut work = Box::pin(AssertUnwindSafe(work).catch_unwind());
    let deadline = tokio::time::sleep(limits.timeout);
    tokio::pin!(deadline);
    // Poll in a fixed order. If several branches are ready at once, a random order would make the
    // result depend on timing.
    tokio::select! {
        biased;
        answer = &mut work => match answer {
            Ok(Ok(output)) => checked(output, limits.max_output_bytes),
            // The step may have noticed the stop before we did. It's a cancellation in either case.
            Ok(Err(error)) if stop.level() >= StopLevel::Cancel => Err(stopped_with_help(cancelled(), error)),
            Ok(Err(error)) => Err(error),
            Err(panic) => Err(panicked(&*panic)),
        },
        _ = stop.beyond(StopLevel::Drain) => {
            let answer = if nested {
                end_nested(&mut work, &stop, deadline.deadline(), limits.grace).await
            } else {
                end(&mut work, &stop, limits.grace).await
            };
            match answer {
                Some(Ok(Ok(output))) => checked(output, limits.max_output_bytes),
                Some(Ok(Err(error))) => Err(stopped_with_help(cancelled(), error)),
                _ => Err(cancelled()),
            }
        }
        () = &mut deadline => {
            stop.request(StopLevel::Cancel);
            let answer = if nested {
                end_nested(&mut work, &stop, Instant::now() + limits.grace, limits.grace).await
            } else if prompt || !place.as_ref().is_some_and(Place::is_lent) {
                end(&mut work, &stop, limits.grace).await
            } else {
                // A thread may ignore the stop, so don't wait for it. The slot stays taken until
                // the thread ends.
                None
            };
            Err(match answer {
                Some(Ok(Err(error))) => stopped_with_help(limits.timed_out, error),
                _ => limits.timed_out,
            })
        }
    }
}

/// Reports the stop as the error. If the step has ended on its own because of the stop, we keep its
/// help text and observations.
fn stopped_with_help(stopped: StepError, by_step: StepError) -> StepError {
    if by_step.kind != ErrorKind::Cancelled {
        return stopped;
    }
    let help = [by_step.help, stopped.help];
    let help: Vec<String> = help.into_iter().flatten().collect();
    StepError {
        help: (!help.is_empty()).then(|| help.join("\n")),
        seen: by_step.seen,
        ..stopped
    }
}

/// Gives a stopped step the chance to end on its own. This takes at most `grace`, and less after a
/// kill.
async fn end(
    work: &mut (impl Future<Output = Answer> + Unpin),
    stop: &Stop,
    grace: Duration,
) -> Option<Answer> {
    tokio::select! {
        biased;
        answer = timeout(grace, work) => answer.ok(),
        _ = stop.beyond(StopLevel::Cancel) => None,
    }
}

/// Waits like [`end`], but for a nested run, which may take until `deadline`, because it needs time
/// for its own grace periods and `finally` steps. After that, or after a kill, we kill it with all
/// its steps.
async fn end_nested(
    work: &mut (impl Future<Output = Answer> + Unpin),
    stop: &Stop,
    deadline: Instant,
    grace: Duration,
) -> Option<Answer> {
    tokio::select! {
        biased;
        answer = timeout_at(deadline, &mut *work) => if let Ok(answer) = answer {
            return Some(answer);
        },
        _ = stop.beyond(StopLevel::Cancel) => {}
    }
    // Give the killed run a moment to report the results of its steps.
    stop.request(StopLevel::Kill);
    timeout(grace, work).await.ok()
}

pub(crate) fn cancelled() -> StepError {
    StepError::new(ErrorKind::Cancelled, "stopped before it ended")
}

pub(crate) fn panicked(panic: &(dyn Any + Send)) -> StepError {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let said = said.unwrap_or("no message");
    StepError::new(ErrorKind::Internal, format!("the step panicked: {said}"))
        .help("this is a bug in the step; please report it with the runbook that shows it")
}

fn checked(output: StepOutput, limit: usize) -> Result<StepOutput, StepError> {
    if json_size_within(&output.value, limit).is_some() {
        return Ok(output);
    }
    let message = format!("its output is larger than the limit of {limit} bytes");
    Err(StepError::new(ErrorKind::TooLarge, message)
        .help("narrow the step's scope, or lower its limit"))
}
