//! Runs a single attempt of a step with a time limit, a size limit and protection against panics.

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

/// Limits of one attempt.
#[derive(Debug, Clone)]
pub(crate) struct AttemptLimits {
    pub(crate) timeout: Duration,
    /// The error to report if `timeout` is exceeded.
    pub(crate) timed_out: StepError,
    pub(crate) grace: Duration,
    pub(crate) max_output_bytes: usize,
}

/// The step's result, or its panic.
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

/// Prepares the attempt and returns the time this took. It doesn't count towards the attempt's time
/// limit.
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

/// Drops observations of `error` beyond the size limit for outputs.
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
    // The step may drop its call early. Keep the slot until the attempt is over.
    let place = call.place.clone();
    // A step may panic before it even returns its future, so make the call itself inside
    // `catch_unwind`.
    let work = async move { step.run(call).await };
    let mut work = Box::pin(AssertUnwindSafe(work).catch_unwind());
    let deadline = tokio::time::sleep(limits.timeout);
    tokio::pin!(deadline);
    // Poll in a fixed order. If several branches are ready at once, the result would otherwise
    // depend on timing.
    tokio::select! {
        biased;
        answer = &mut work => match answer {
            Ok(Ok(output)) => checked(output, limits.max_output_bytes),
            // The step may notice the stop before this loop does. Report a cancellation either way.
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
                // Don't wait for a thread, since it may ignore the stop request. It keeps its slot
                // until it ends.
                None
            };
            Err(match answer {
                Some(Ok(Err(error))) => stopped_with_help(limits.timed_out, error),
                _ => limits.timed_out,
            })
        }
    }
}

/// Returns the error `stopped`, with the help text and observations of a step that noticed the
/// stop.
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

/// Waits for a stopped step to end on its own, until a kill or for at most `grace`.
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

/// Waits until `deadline` for a stopped nested run to end on its own, with its own grace periods
/// and `finally` steps. After the deadline or a kill, kills the run and its steps.
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
    stop.request(StopLevel::Kill);
    timeout(grace, work).await.ok()
}

pub(crate) fn cancelled() -> StepError {
    StepError::new(ErrorKind::Cancelled, "stopped before it ended")
}

/// Converts a panic to an internal error.
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
