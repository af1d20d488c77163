use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_plan::{Outcome, Status};

use crate::{Produced, StepError};

/// An event of a run, for screens and run records. Events arrive in the order they occur.
///
/// Steps are named by their path: `contracts`, `routes[3]` for an instance of a fan-out, or
/// `nested/step` for a step inside a nested runbook.
#[derive(Debug, Clone)]
pub enum RunEvent<'a> {
    /// The engine's caller starts another phase. The engine itself never emits this event.
    PhaseStarted {
        /// The phase that started.
        phase: Phase,
    },
    /// The run starts.
    RunStarted {
        /// The runbook's id.
        plan: &'a str,
        /// The number of steps before any fan-out.
        steps: usize,
    },
    /// An attempt of a step starts.
    StepStarted {
        /// The step's path.
        step: &'a str,
        /// The step's kind.
        uses: &'a str,
        /// The attempt's number, from 1.
        attempt: u32,
    },
    /// A step was expanded into `count` instances.
    StepFannedOut {
        /// The step's path.
        step: &'a str,
        /// The number of instances.
        count: usize,
    },
    /// An attempt failed and will be retried.
    StepRetries {
        /// The step's path.
        step: &'a str,
        /// The next attempt's number.
        attempt: u32,
        /// Delay before the next attempt.
        after: Duration,
        /// The failed attempt's error.
        error: &'a StepError,
    },
    /// A step has reached its final status.
    StepEnded {
        /// The step's path.
        step: &'a str,
        /// The final status: completed, failed, skipped, or blocked.
        status: Status,
        /// A failed step's error.
        error: Option<&'a StepError>,
        /// The result of a step that completed through an attempt of its own. `None` for a fan-out,
        /// whose instances carry the results, and if [`Observer::keeps_outputs`] returns false.
        produced: Option<&'a Produced>,
    },
    /// The run has ended.
    RunEnded {
        /// The runbook's id.
        plan: &'a str,
        /// The outcome of the run as a whole.
        outcome: Outcome,
    },
}

/// The phases before, during and after a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Read and check the runbook, and look up its permissions.
    Load,
    /// Run the steps.
    Run,
    /// Select and verify the sections.
    Assemble,
    /// Trim and print the result.
    Show,
}

impl Phase {
    /// Returns the phase's name for people and logs.
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

/// Observes a run. An observer can't influence the run and must not block for long, since the
/// driver waits for it.
pub trait Observer: Send + Sync {
    /// Handles an event.
    fn event(&self, event: &RunEvent<'_>);

    /// Reports that `step` has processed `done` of `total` units, where a `total` of 0 means
    /// unknown. This may be called on any thread at any time. Progress isn't recorded.
    fn progress(&self, step: &str, done: u64, total: u64) {
        let _ = (step, done, total);
    }

    /// Returns true if `StepEnded` events must carry outputs. In that case, we have to keep and
    /// digest them.
    fn keeps_outputs(&self) -> bool {
        false
    }
}

/// An observer that ignores all events, for runs nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _: &RunEvent<'_>) {}
}
