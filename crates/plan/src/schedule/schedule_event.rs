use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Status, StepIndex};

/// Events that a driver reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The driver has started a ready step, whose next attempt begins.
    Started {
        /// The started step, which must be ready.
        step: StepIndex,
    },
    /// The running attempt succeeded.
    Completed {
        /// The completed step, which must be running.
        step: StepIndex,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// The running attempt failed.
    Failed {
        /// The failed step, which must be running.
        step: StepIndex,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// If false, there will not be another attempt, even if the policy would allow one.
        retryable: bool,
    },
    /// The step is skipped, either by its condition or by hand.
    Skipped {
        /// The skipped step, which must not have ended or fanned out.
        step: StepIndex,
    },
    /// The step was replaced by `count` instances.
    FannedOut {
        /// The step that fans out. It must be running, and cannot be an instance itself.
        step: StepIndex,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The number of instances. If it is zero (for an empty list), the step completes right
        /// away.
        count: u32,
    },
    /// The delay of an [`Action::Retry`] is over.
    RetryDue {
        /// The step to retry, which must be waiting for that.
        step: StepIndex,
    },
    /// The attempt was released without a result, or its worker is gone. The step becomes ready
    /// again, and the attempt does not count.
    Released {
        /// The released step, which must be running.
        step: StepIndex,
        /// The number of the released attempt, from 1.
        attempt: u32,
    },
    /// An ended step must be repeated, together with all its dependents.
    PushedBack {
        /// The step to repeat. It cannot be an instance of a fan-out, since those only exist as a
        /// group.
        step: StepIndex,
    },
    /// No further steps may start, except for `finally` steps if the halt allows it.
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

/// The severity of a halt, in ascending order. Later halts can only increase it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// A step failed under `--fail-fast`. Running steps may end, and `finally` steps still run.
    FailFast,
    /// The run was cancelled. `finally` steps still run.
    Cancel,
    /// The run was killed. No step runs anymore.
    Kill,
}

/// Consequences of an event, which the driver has to act on or take note of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The step may be started.
    Ready {
        /// The ready step, also in [`Schedule::ready`](super::Schedule::ready).
        step: StepIndex,
    },
    /// The driver must send [`Event::RetryDue`] after the delay.
    Retry {
        /// The step to retry.
        step: StepIndex,
        /// The number of the next attempt.
        attempt: u32,
        /// The delay, according to the step's policy.
        after: Duration,
    },
    /// The step will not start, because the step `by` has failed. It may still be released if that
    /// step is pushed back.
    HeldBack {
        /// The held-back step.
        step: StepIndex,
        /// The failed step. If several have failed, it is the first one in the plan.
        by: StepIndex,
    },
    /// Because of a halt, the step ends without another attempt. It is blocked if it has never
    /// started, and failed otherwise.
    GivenUp {
        /// The ended step.
        step: StepIndex,
    },
    /// The instances `first .. first + count` of `step` were added, in list order.
    Grown {
        /// The parent step.
        step: StepIndex,
        /// The first instance. Its index comes after those of all existing steps and instances.
        first: StepIndex,
        /// The number of instances, at least 1.
        count: u32,
    },
    /// The step was reset. The driver has to discard its result, and a running attempt does not
    /// count anymore.
    Reopened {
        /// The reset step.
        step: StepIndex,
    },
    /// All instances of `step` have ended.
    Gathered {
        /// The parent step.
        step: StepIndex,
        /// True if at least one instance failed.
        failed: bool,
    },
    /// The schedule has finished. There are no further actions, unless a step is pushed back.
    Finished {
        /// The result, also returned by [`Schedule::outcome`](super::Schedule::outcome).
        outcome: Outcome,
    },
}

/// Outcomes of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every step was completed or skipped.
    Completed,
    /// Some steps failed, but all of those had `continue_on_failure`.
    Partial,
    /// A step failed and held back its dependents.
    Failed,
    /// The run was stopped from outside.
    Cancelled,
}

/// Reasons for rejecting an event. `status` is the step's status before the event.
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
        /// The step to start.
        step: StepIndex,
        /// Its current status.
        status: Status,
    },
    /// Only a running step can end.
    #[error("step {step} is not running: it is {}", status.as_str())]
    NotRunning {
        /// The step to end.
        step: StepIndex,
        /// Its current status.
        status: Status,
    },
    /// The reported attempt is over, and another one has begun.
    #[error("attempt {attempt} of step {step} is over; attempt {current} is running")]
    StaleAttempt {
        /// The step with a newer attempt.
        step: StepIndex,
        /// The number in the report.
        attempt: u32,
        /// The number of the running attempt.
        current: u32,
    },
    /// Only steps that have not ended or fanned out can be skipped.
    #[error("step {step} cannot be skipped: it is {}", status.as_str())]
    AlreadySettled {
        /// The step to skip.
        step: StepIndex,
        /// Its current status.
        status: Status,
    },
    /// Only ended steps can be repeated.
    #[error("step {step} cannot be repeated: it is {}", status.as_str())]
    NotEnded {
        /// The step to repeat.
        step: StepIndex,
        /// Its current status.
        status: Status,
    },
    /// An instance of a fan-out cannot fan out itself.
    #[error("step {step} is an instance of a fan-out and cannot fan out itself")]
    NestedFanOut {
        /// The instance.
        step: StepIndex,
    },
    /// The step is not waiting for a retry.
    #[error("step {step} does not wait for a retry: it is {}", status.as_str())]
    NoRetryDue {
        /// The step to retry.
        step: StepIndex,
        /// Its current status.
        status: Status,
    },
}
