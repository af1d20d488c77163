use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_plan::{Outcome, Status};

use crate::{Produced, StepError};

/// An event of a run, for screens and run records. Events arrive in the order in which they occur.
///
/// Steps are named by their path: `contracts` is a step, `routes[3]` is an instance of a fan-out,
/// and `nested/step` is a step of a nested runbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The engine's caller has started another phase. The engine itself never emits this.
    PhaseStarted {
        /// The new phase.
        phase: Phase,
    },
    /// A run starts, possibly a nested one.
    RunStarted {
        /// The runbook's ID.
        plan: String,
        /// The number of steps before any fan-out.
        steps: usize,
    },
    /// An attempt of a step starts.
    StepStarted {
        /// The path of the step.
        step: String,
        /// The step's kind.
        uses: String,
        /// The attempt's number (1-based).
        attempt: u32,
    },
    /// A step was replaced by `count` instances.
    StepFannedOut {
        /// The path of the step.
        step: String,
        /// The number of instances, which may be zero. Each of them emits its own events.
        count: usize,
    },
    /// An attempt failed, and another one will follow.
    StepRetries {
        /// The path of the step.
        step: String,
        /// The number of the next attempt.
        attempt: u32,
        /// The delay before the next attempt, which is recorded in milliseconds.
        #[serde(rename = "after_ms", with = "milliseconds")]
        after: Duration,
        /// The error of the failed attempt.
        error: StepError,
    },
    /// A step has reached its final status.
    StepEnded {
        /// The path of the step.
        step: String,
        /// The final status: completed, failed, skipped or blocked.
        status: Status,
        /// The error of a failed step, `None` otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<StepError>,
        /// The result of a step that was completed by its own attempt. It is `None` for a fan-out,
        /// whose instances have the results, and if [`Observer::keeps_outputs`] returns false.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        produced: Option<Box<Produced>>,
    },
    /// A run has ended.
    RunEnded {
        /// The runbook's ID.
        plan: String,
        /// The outcome of the run as a whole.
        outcome: Outcome,
    },
}

mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

windlass_base::word_enum! {
    /// The phases before, during and after a run, in order.
    Phase, "phase" {
        /// Read and check the runbook, and look up its permissions.
        Load = "load",
        /// Run the steps.
        Run = "run",
        /// Select and verify the sections.
        Assemble = "assemble",
        /// Trim and print the result.
        Show = "show",
    }
}

/// Observes a run without influencing it. The driver waits for these methods, so they must not
/// block for long.
pub trait Observer: Send + Sync {
    /// Handles an event. The driver goes on when this returns.
    fn event(&self, event: &RunEvent);

    /// Reports that `step` has processed `done` of `total` units, or of an unknown number if
    /// `total` is 0. Any thread may call this at any time. Progress is not recorded.
    fn progress(&self, step: &str, done: u64, total: u64) {
        let _ = (step, done, total);
    }

    /// Decides if `StepEnded` events carry outputs. Recording and digesting outputs takes time and
    /// memory, so the default is false.
    fn keeps_outputs(&self) -> bool {
        false
    }
}

/// An observer that ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _: &RunEvent) {}
}
