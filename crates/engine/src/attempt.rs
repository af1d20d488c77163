//! One attempt of one step: a place to run, a time limit, a size limit, and a roof over panics.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;

use crate::{Call, ErrorKind, Step, StepError, StepOutput, StopLevel};

/// What an attempt may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptLimits {
    pub(crate) timeout: Duration,
    pub(crate) grace: Duration,
    pub(crate) max_output_bytes: usize,
}

/// Runs one attempt to its end, whatever the step does.
pub(crate) async fn attempt(
    step: Arc<dyn Step>,
    call: Call,
    limits: AttemptLimits,
) -> Result<StepOutput, StepError> {
    // A step that starts runs of its own holds no place: the steps of those runs do.
    let _place = if step.spec().effects.nested {
        None
    } else {
        call.slots.take().await
    };
    let stop = call.stop.clone();
    let mut work = AssertUnwindSafe(step.run(call)).catch_unwind();
    let ended = tokio::select! {
        ended = &mut work => ended,
        _ = stop.beyond(StopLevel::None) => {
            return match tokio::time::timeout(limits.grace, &mut work).await {
                Ok(Ok(Ok(output))) => checked(output, limits.max_output_bytes),
                _ => Err(StepError::new(ErrorKind::Cancelled, "stopped before it was done")),
            };
        }
        () = tokio::time::sleep(limits.timeout) => {
            stop.request(StopLevel::Cancel);
            let _ = tokio::time::timeout(limits.grace, &mut work).await;
            return Err(timed_out(limits.timeout));
        }
    };
    match ended {
        Ok(Ok(output)) => checked(output, limits.max_output_bytes),
        Ok(Err(error)) => Err(error),
        Err(panic) => Err(panicked(&*panic)),
    }
}

fn timed_out(limit: Duration) -> StepError {
    StepError::new(
        ErrorKind::TimedOut,
        format!("took longer than its limit of {limit:?}"),
    )
    .help("raise `timeout` of the step, or give it less to do")
}

fn panicked(panic: &(dyn Any + Send)) -> StepError {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let said = said.unwrap_or("no message");
    StepError::new(ErrorKind::Internal, format!("the step panicked: {said}"))
        .help("this is a bug in the step; please report it with the runbook that shows it")
}

fn checked(output: StepOutput, limit: usize) -> Result<StepOutput, StepError> {
    let mut left = limit;
    if fits(&output.value, &mut left) {
        return Ok(output);
    }
    let message = format!("its output is larger than the limit of {} MiB", limit >> 20);
    Err(StepError::new(ErrorKind::TooLarge, message)
        .help("narrow the step's scope, or give it a lower limit"))
}

/// Takes the size of `value` off `left`; false when it does not fit. An estimate of the compact JSON that
/// leaves out escapes, and stops as soon as the answer is known.
fn fits(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.len() + 2,
        Value::Object(map) => map.keys().map(|key| key.len() + 4).sum::<usize>() + 2,
    };
    let Some(rest) = left.checked_sub(own) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Array(list) => list.iter().all(|value| fits(value, left)),
        Value::Object(map) => map.values().all(|value| fits(value, left)),
        _ => true,
    }
}
