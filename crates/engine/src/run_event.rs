use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_plan::{Outcome, Status};

use crate::{Produced, StepError};

/// An event of a run, in the order in which it happens. Screens and records consume it.
///
/// Steps are named by their path: `contracts`, `routes[3]` for an instance of a fan-out, `nested/step`
/// inside a nested runbook.
#[derive(Debug, Clone)]
pub enum RunEvent<'a> {
    /// Whoever had the run made turns to another part of the work. The engine itself does not tell this.
    PhaseStarted {
        /// Which.
        phase: Phase,
    },
    /// The run begins.
    RunStarted {
        /// The runbook's id.
        plan: &'a str,
        /// How many steps it has before any fan-out.
        steps: usize,
    },
    /// An attempt of a step begins.
    StepStarted {
        /// The step's path.
        step: &'a str,
        /// Its kind.
        uses: &'a str,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// A step became `count` instances of itself.
    StepFannedOut {
        /// The step's path.
        step: &'a str,
        /// How many.
        count: usize,
    },
    /// An attempt failed; another follows.
    StepRetries {
        /// The step's path.
        step: &'a str,
        /// The attempt that will follow.
        attempt: u32,
        /// After which delay.
        after: Duration,
        /// Why.
        error: &'a StepError,
    },
    /// A step reached its last status.
    StepEnded {
        /// The step's path.
        step: &'a str,
        /// That status: completed, failed, skipped, or blocked.
        status: Status,
        /// Why it failed.
        error: Option<&'a StepError>,
        /// What it gave, if it was completed by an attempt of its own: a fan-out is completed by those of its
        /// instances. Only for those who keep outputs, see [`Observer::keeps_outputs`].
        produced: Option<&'a Produced>,
    },
    /// The run is over.
    RunEnded {
        /// The runbook's id.
        plan: &'a str,
        /// How it ended.
        outcome: Outcome,
    },
}

/// The parts of the work around a run, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The runbook is read and checked, and what it may do is looked up.
    Load,
    /// Its steps run.
    Run,
    /// What it asks for is taken from what they found, and verified.
    Assemble,
    /// What fits is chosen and printed.
    Show,
}

impl Phase {
    /// The word for people and logs.
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

/// Somebody who listens to a run. It cannot influence it, and must not block for long.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, event: &RunEvent<'_>);

    /// The running step `step` has done `done` of `total`, which is 0 where it is not known. It comes from any thread, at
    /// any time, and is no part of what a record says of the run.
    fn progress(&self, step: &str, done: u64, total: u64) {
        let _ = (step, done, total);
    }

    /// Whether it is to be told what steps gave.
    fn keeps_outputs(&self) -> bool {
        false
    }
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _: &RunEvent<'_>) {}
}
