use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Status, StepIndex};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A ready step was started; its next attempt begins.
    Started {
        /// The step.
        step: StepIndex,
    },
    /// The attempt succeeded.
    Completed {
        /// The step.
        step: StepIndex,
        /// Which attempt.
        attempt: u32,
    },
    /// The attempt failed.
    Failed {
        /// The step.
        step: StepIndex,
        /// Which attempt.
        attempt: u32,
        /// Whether another attempt could succeed.
        retryable: bool,
    },
    /// The step is left out, by its condition or by hand.
    Skipped {
        /// The step.
        step: StepIndex,
    },
    /// The step turned out to be a list of `count` instances of itself, which run in its place.
    FannedOut {
        /// The step.
        step: StepIndex,
        /// Which attempt.
        attempt: u32,
        /// How many.
        count: u32,
    },
    /// The delay of a [`Action::Retry`] is over.
    RetryDue {
        /// The step.
        step: StepIndex,
    },
    /// The attempt was given back without a result, or whoever made it is gone: the step is ready again, and the attempt
    /// does not count.
    Released {
        /// The step.
        step: StepIndex,
        /// Which attempt.
        attempt: u32,
    },
    /// A step that ended is to be done anew, and all that follows from it.
    PushedBack {
        /// The step.
        step: StepIndex,
    },
    /// Nothing more is to be started.
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

/// How far a halt goes. A later one can only go further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// A failure under `--fail-fast`: running steps end by themselves, `finally` steps run.
    FailFast,
    /// Somebody asked to stop: `finally` steps still run.
    Cancel,
    /// Somebody insisted: nothing runs.
    Kill,
}

/// What follows from an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The step may be started.
    Ready {
        /// The step.
        step: StepIndex,
    },
    /// Send [`Event::RetryDue`] after the delay.
    Retry {
        /// The step.
        step: StepIndex,
        /// The attempt that will follow.
        attempt: u32,
        /// How long to wait.
        after: Duration,
    },
    /// The step will never start, because `by` failed.
    HeldBack {
        /// The step.
        step: StepIndex,
        /// The failed step.
        by: StepIndex,
    },
    /// The step ends without another attempt, because of a halt: blocked if it never started, failed if it
    /// waited for its next attempt.
    GivenUp {
        /// The step.
        step: StepIndex,
    },
    /// Instances `first .. first + count` of `step` were added, in list order.
    Grown {
        /// The step that fans out.
        step: StepIndex,
        /// The first instance.
        first: StepIndex,
        /// How many.
        count: u32,
    },
    /// The step is as if nothing had been done of it: what it gave counts no longer, and an attempt that is still
    /// running is over.
    Reopened {
        /// The step.
        step: StepIndex,
    },
    /// All instances of `step` have ended.
    Gathered {
        /// The step that fanned out.
        step: StepIndex,
        /// Whether one of them failed.
        failed: bool,
    },
    /// Nothing can happen any more.
    Finished {
        /// How it ended.
        outcome: Outcome,
    },
}

/// How a schedule ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every step was completed or skipped.
    Completed,
    /// Some failed, and the plan says to go on without them.
    Partial,
    /// A step failed.
    Failed,
    /// It was stopped from outside.
    Cancelled,
}

/// Why an event was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// No such step.
    #[error("there is no step {step}")]
    UnknownStep {
        /// The step.
        step: StepIndex,
    },
    /// Only a ready step can be started.
    #[error("step {step} cannot start: it is {}", status.as_str())]
    NotReady {
        /// The step.
        step: StepIndex,
        /// Its status.
        status: Status,
    },
    /// Only a running step can end.
    #[error("step {step} is not running: it is {}", status.as_str())]
    NotRunning {
        /// The step.
        step: StepIndex,
        /// Its status.
        status: Status,
    },
    /// A report about an attempt that is over.
    #[error("attempt {attempt} of step {step} is over; attempt {current} is running")]
    StaleAttempt {
        /// The step.
        step: StepIndex,
        /// The reported attempt.
        attempt: u32,
        /// The running one.
        current: u32,
    },
    /// Only what has not ended can be skipped.
    #[error("step {step} cannot be skipped: it is {}", status.as_str())]
    AlreadySettled {
        /// The step.
        step: StepIndex,
        /// Its status.
        status: Status,
    },
    /// Only what has ended can be done anew.
    #[error("step {step} cannot be done anew: it is {}", status.as_str())]
    NotEnded {
        /// The step.
        step: StepIndex,
        /// Its status.
        status: Status,
    },
    /// Instances of a fan-out do not fan out again.
    #[error("step {step} is an instance of a fan-out and cannot fan out itself")]
    NestedFanOut {
        /// The step.
        step: StepIndex,
    },
    /// No attempt is outstanding.
    #[error("step {step} does not wait for a retry: it is {}", status.as_str())]
    NoRetryDue {
        /// The step.
        step: StepIndex,
        /// Its status.
        status: Status,
    },
}
