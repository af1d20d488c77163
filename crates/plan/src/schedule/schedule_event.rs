use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Status, StepIndex};

/// Event that a driver reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A ready step was started. Its next attempt begins.
    Started {
        /// The step that was started.
        step: StepIndex,
    },
    /// The running attempt succeeded.
    Completed {
        /// The step that succeeded.
        step: StepIndex,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// The running attempt failed.
    Failed {
        /// The step that failed.
        step: StepIndex,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// True if another attempt could succeed.
        retryable: bool,
    },
    /// The step is skipped, by its condition or by hand.
    Skipped {
        /// The step to skip.
        step: StepIndex,
    },
    /// The step was expanded into `count` instances, which run in its place.
    FannedOut {
        /// The step that fans out.
        step: StepIndex,
        /// Number of the attempt that fanned out, from 1.
        attempt: u32,
        /// Number of instances. It may be zero if the list is empty.
        count: u32,
    },
    /// The delay of an [`Action::Retry`] is over.
    RetryDue {
        /// The step that waits for its next attempt.
        step: StepIndex,
    },
    /// The attempt was released without a result, or its worker is gone. The step is ready again, and the attempt does
    /// not count.
    Released {
        /// The step that was released.
        step: StepIndex,
        /// Number of the released attempt, from 1.
        attempt: u32,
    },
    /// An ended step must be repeated together with all its dependents.
    PushedBack {
        /// The step to repeat.
        step: StepIndex,
    },
    /// No further steps may start.
    Halted(Halt),
}

impl Event {
    pub(super) fn step(self) -> Option<StepIndex> {
        match self {
            Self::Started { step }
            | Self::Completed { step, .. }
            | Self::Failed { step, .. }
            | Self::Skipped { step }
            | Self::FannedOut { step, .. }
            | Self::Released { step, .. }
            | Self::PushedBack { step }
            | Self::RetryDue { step } => Some(step),
            Self::Halted(_) => None,
        }
    }
}

/// Severity of a halt. A later halt can only raise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// A step failed under `--fail-fast`. Running steps end by themselves, and `finally` steps still run.
    FailFast,
    /// The run was cancelled. `finally` steps still run.
    Cancel,
    /// The run was killed. Nothing runs any more.
    Kill,
}

/// What the driver must do or know after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The step may be started.
    Ready {
        /// The step that may be started.
        step: StepIndex,
    },
    /// The driver must send [`Event::RetryDue`] after the delay.
    Retry {
        /// The step to retry.
        step: StepIndex,
        /// Number of the next attempt.
        attempt: u32,
        /// Delay before the next attempt.
        after: Duration,
    },
    /// The step will never start, because the step `by` failed.
    HeldBack {
        /// The step that is held back.
        step: StepIndex,
        /// The failed step.
        by: StepIndex,
    },
    /// The step ends without another attempt because of a halt. It is blocked if it never started, and failed if it was
    /// waiting for a retry.
    GivenUp {
        /// The step without another attempt.
        step: StepIndex,
    },
    /// Instances `first .. first + count` of `step` were added, in list order.
    Grown {
        /// Step that fans out.
        step: StepIndex,
        /// Index of the first instance.
        first: StepIndex,
        /// Number of instances.
        count: u32,
    },
    /// The step is reset. Its result is discarded, and a running attempt no longer counts.
    Reopened {
        /// The step that was reset.
        step: StepIndex,
    },
    /// All instances of `step` have ended.
    Gathered {
        /// Step that fanned out.
        step: StepIndex,
        /// True if at least one instance failed.
        failed: bool,
    },
    /// The schedule has finished.
    Finished {
        /// Outcome of the schedule as a whole.
        outcome: Outcome,
    },
}

/// Outcome of a schedule as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every step was completed or skipped.
    Completed,
    /// Some steps failed, but the plan tolerates these failures.
    Partial,
    /// A step failed that the plan does not tolerate.
    Failed,
    /// The run was stopped from outside.
    Cancelled,
}

/// Reason why an event was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The plan has no step with this index.
    #[error("there is no step {step}")]
    UnknownStep {
        /// The index beyond the last step.
        step: StepIndex,
    },
    /// Only a ready step can be started.
    #[error("step {step} cannot start: it is {}", status.as_str())]
    NotReady {
        /// The step that cannot start.
        step: StepIndex,
        /// Current status of the step.
        status: Status,
    },
    /// Only a running step can end.
    #[error("step {step} is not running: it is {}", status.as_str())]
    NotRunning {
        /// The step that is not running.
        step: StepIndex,
        /// Current status of the step.
        status: Status,
    },
    /// The report is about an attempt that has already ended.
    #[error("attempt {attempt} of step {step} is over; attempt {current} is running")]
    StaleAttempt {
        /// The step with a newer attempt.
        step: StepIndex,
        /// Number of the reported attempt.
        attempt: u32,
        /// Number of the attempt that is running.
        current: u32,
    },
    /// Only a step that has not ended can be skipped.
    #[error("step {step} cannot be skipped: it is {}", status.as_str())]
    AlreadySettled {
        /// The step that has ended already.
        step: StepIndex,
        /// Current status of the step.
        status: Status,
    },
    /// Only a step that has ended can be repeated.
    #[error("step {step} cannot be repeated: it is {}", status.as_str())]
    NotEnded {
        /// The step that has not ended.
        step: StepIndex,
        /// Current status of the step.
        status: Status,
    },
    /// Instances of a fan-out cannot fan out.
    #[error("step {step} is an instance of a fan-out and cannot fan out itself")]
    NestedFanOut {
        /// The instance that cannot fan out.
        step: StepIndex,
    },
    /// The step is not waiting for a retry.
    #[error("step {step} does not wait for a retry: it is {}", status.as_str())]
    NoRetryDue {
        /// The step without a pending retry.
        step: StepIndex,
        /// Current status of the step.
        status: Status,
    },
}
