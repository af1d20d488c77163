use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_plan::{Outcome, Status};

use crate::{Produced, StepError};

/// Event of a run. Screens and run records consume these events in order of occurrence.
///
/// Steps are named by their path. Examples are `contracts`, `routes[3]` for an instance of a fan-out, and `nested/step`
/// for a step inside a nested runbook.
#[derive(Debug, Clone)]
pub enum RunEvent<'a> {
    /// The caller of the engine starts another phase. The engine itself does not emit this event.
    PhaseStarted {
        /// The phase that started.
        phase: Phase,
    },
    /// The run starts.
    RunStarted {
        /// Id of the runbook.
        plan: &'a str,
        /// Number of steps before any fan-out.
        steps: usize,
    },
    /// An attempt of a step starts.
    StepStarted {
        /// Path of the step.
        step: &'a str,
        /// Kind of the step.
        uses: &'a str,
        /// Attempt number, from 1.
        attempt: u32,
    },
    /// A step was expanded into `count` instances.
    StepFannedOut {
        /// Path of the step.
        step: &'a str,
        /// Number of instances.
        count: usize,
    },
    /// An attempt failed and will be retried.
    StepRetries {
        /// Path of the step.
        step: &'a str,
        /// Number of the next attempt.
        attempt: u32,
        /// Delay before the next attempt.
        after: Duration,
        /// Error of the failed attempt.
        error: &'a StepError,
    },
    /// A step reached its final status.
    StepEnded {
        /// Path of the step.
        step: &'a str,
        /// Final status: completed, failed, skipped, or blocked.
        status: Status,
        /// Error of a failed step.
        error: Option<&'a StepError>,
        /// Result of a step that completed by its own attempt. Absent for a fan-out, whose instances carry the results,
        /// and if [`Observer::keeps_outputs`] returns false.
        produced: Option<&'a Produced>,
    },
    /// The run has ended.
    RunEnded {
        /// Id of the runbook.
        plan: &'a str,
        /// Outcome of the run as a whole.
        outcome: Outcome,
    },
}

/// Phases before, during and after a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reads and checks the runbook and looks up its permissions.
    Load,
    /// Runs the steps.
    Run,
    /// Selects and verifies the sections.
    Assemble,
    /// Trims and prints the result.
    Show,
}

impl Phase {
    /// Returns the phase name as shown to people and in logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Run => "run",
            Self::Assemble => "assemble",
            Self::Show => "show",
        }
    }
}

/// Observer of a run. It cannot influence the run and must not block for long, because the driver waits for it.
pub trait Observer: Send + Sync {
    /// Handles an event.
    fn event(&self, event: &RunEvent<'_>);

    /// Reports that `step` has processed `done` of `total` units. `total` is 0 if unknown. Any thread may call this at
    /// any time. Progress is not recorded.
    fn progress(&self, step: &str, done: u64, total: u64) {
        let _ = (step, done, total);
    }

    /// True if `StepEnded` events must carry outputs, which then have to be kept and digested.
    fn keeps_outputs(&self) -> bool {
        false
    }
}

/// Observer that ignores all events. Used when nobody watches the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _: &RunEvent<'_>) {}
}
