use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Status, StepIndex};

/// Events reported by a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A ready step was started, which begins its next attempt.
    Started {
        /// The started step.
        step: StepIndex,
    },
    /// The running attempt succeeded.
    Completed {
        /// The successful step.
        step: StepIndex,
        /// The attempt's number, from 1.
        attempt: u32,
    },
    /// The running attempt failed.
    Failed {
        /// The failed step.
        step: StepIndex,
        /// The attempt's number, from 1.
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
        /// The step fanning out.
        step: StepIndex,
        /// The attempt's number, from 1.
        attempt: u32,
        /// Number of instances, which is zero for an empty list.
        count: u32,
    },
    /// The delay of an [`Action::Retry`] is over.
    RetryDue {
        /// The step waiting for its next attempt.
        step: StepIndex,
    },
    /// The attempt was released without a result, or its worker is gone. The step is ready again,
    /// and the attempt doesn't count.
    Released {
        /// The released step.
        step: StepIndex,
        /// The released attempt's number, from 1.
        attempt: u32,
    },
    /// An ended step must be repeated, together with all its dependents.
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

/// Severities of a halt. A later halt can only raise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// A step failed under `--fail-fast`. Running steps are allowed to end, and `finally` steps
    /// still run.
    FailFast,
    /// The run was cancelled. `finally` steps still run.
    Cancel,
    /// The run was killed. Nothing runs any more.
    Kill,
}

/// Actions for the driver to take or note after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The step may be started.
    Ready {
        /// The ready step.
        step: StepIndex,
    },
    /// The driver must send [`Event::RetryDue`] after the delay.
    Retry {
        /// The step to retry.
        step: StepIndex,
        /// The next attempt's number.
        attempt: u32,
        /// The delay before the next attempt.
        after: Duration,
    },
    /// The step will never start, because the step `by` failed.
    HeldBack {
        /// The held-back step.
        step: StepIndex,
        /// The failed step.
        by: StepIndex,
    },
    /// The step ends without another attempt because of a halt. It's blocked if it never started,
    /// and failed otherwise.
    GivenUp {
        /// The step without another attempt.
        step: StepIndex,
    },
    /// Instances `first .. first + count` of `step` were added, in list order.
    Grown {
        /// The step fanning out.
        step: StepIndex,
        /// Index of the first instance.
        first: StepIndex,
        /// Number of instances.
        count: u32,
    },
    /// The step was reset. Its result is discarded, and any running attempt no longer counts.
    Reopened {
        /// The reset step.
        step: StepIndex,
    },
    /// All instances of `step` have ended.
    Gathered {
        /// The fan-out step.
        step: StepIndex,
        /// True if at least one instance failed.
        failed: bool,
    },
    /// The schedule has finished.
    Finished {
        /// The outcome of the schedule as a whole.
        outcome: Outcome,
    },
}

/// Possible outcomes of a schedule as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every step was completed or skipped.
    Completed,
    /// Some steps failed, but the plan tolerates that.
    Partial,
    /// A step failed, and the plan doesn't tolerate that.
    Failed,
    /// The run was stopped from outside.
    Cancelled,
}

/// Reasons for rejecting an event.
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
        /// The step's current status.
        status: Status,
    },
    /// Only a running step can end.
    #[error("step {step} is not running: it is {}", status.as_str())]
    NotRunning {
        /// The step that is not running.
        step: StepIndex,
        /// The step's current status.
        status: Status,
    },
    /// The report is about an attempt that has already ended.
    #[error("attempt {attempt} of step {step} is over; attempt {current} is running")]
    StaleAttempt {
        /// The step with a newer attempt.
        step: StepIndex,
        /// The reported attempt's number.
        attempt: u32,
        /// The running attempt's number.
        current: u32,
    },
    /// Only a step that hasn't ended or fanned out can be skipped.
    #[error("step {step} cannot be skipped: it is {}", status.as_str())]
    AlreadySettled {
        /// The step that has already ended or fanned out.
        step: StepIndex,
        /// The step's current status.
        status: Status,
    },
    /// Only an ended step can be repeated.
    #[error("step {step} cannot be repeated: it is {}", status.as_str())]
    NotEnded {
        /// The step that hasn't ended.
        step: StepIndex,
        /// The step's current status.
        status: Status,
    },
    /// Instances of a fan-out cannot fan out.
    #[error("step {step} is an instance of a fan-out and cannot fan out itself")]
    NestedFanOut {
        /// The instance that cannot fan out.
        step: StepIndex,
    },
    /// The step isn't waiting for a retry.
    #[error("step {step} does not wait for a retry: it is {}", status.as_str())]
    NoRetryDue {
        /// The step without a pending retry.
        step: StepIndex,
        /// The step's current status.
        status: Status,
    },
}
