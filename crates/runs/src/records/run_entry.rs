use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_engine::{Phase, Produced, RunEvent, StepError};
use windlass_plan::{Outcome, Status};
use windlass_redact::redact_text;

/// A serializable copy of a [`RunEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum RunEntry {
    /// See [`RunEvent::PhaseStarted`].
    PhaseStarted { phase: Phase },
    /// See [`RunEvent::RunStarted`].
    RunStarted {
        /// The runbook's id.
        plan: String,
        /// The number of steps. A step with several instances counts once.
        steps: usize,
    },
    /// See [`RunEvent::StepStarted`].
    StepStarted {
        step: String,
        /// The step kind's name.
        uses: String,
        /// The attempt's number, from 1.
        attempt: u32,
    },
    /// See [`RunEvent::StepFannedOut`].
    StepFannedOut { step: String, count: usize },
    /// See [`RunEvent::StepRetries`].
    StepRetries {
        step: String,
        /// The next attempt's number, from 1.
        attempt: u32,
        /// Delay before the next attempt, in milliseconds.
        after_ms: u64,
        /// The failed attempt's error.
        error: StepError,
    },
    /// See [`RunEvent::StepEnded`].
    StepEnded {
        step: String,
        status: Status,
        /// The last attempt's error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<StepError>,
        /// The step's output, or `None` if it's too large to be recorded or contains a secret.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        produced: Option<Box<Produced>>,
    },
    /// See [`RunEvent::RunEnded`].
    RunEnded {
        /// The runbook's id.
        plan: String,
        outcome: Outcome,
    },
}

/// An event and its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimedEntry {
    /// Time since the start of the run, in microseconds.
    pub(crate) at_us: u64,
    #[serde(flatten)]
    pub(crate) entry: RunEntry,
}

impl RunEntry {
    pub(super) fn of(event: &RunEvent<'_>) -> Self {
        match event {
            RunEvent::PhaseStarted { phase } => Self::PhaseStarted { phase: *phase },
            RunEvent::RunStarted { plan, steps } => Self::RunStarted {
                plan: (*plan).to_owned(),
                steps: *steps,
            },
            RunEvent::StepStarted {
                step,
                uses,
                attempt,
            } => Self::StepStarted {
                step: (*step).to_owned(),
                uses: (*uses).to_owned(),
                attempt: *attempt,
            },
            RunEvent::StepFannedOut { step, count } => Self::StepFannedOut {
                step: (*step).to_owned(),
                count: *count,
            },
            RunEvent::StepRetries {
                step,
                attempt,
                after,
                error,
            } => Self::StepRetries {
                step: (*step).to_owned(),
                attempt: *attempt,
                after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
                error: (*error).clone(),
            },
            RunEvent::StepEnded {
                step,
                status,
                error,
                produced,
            } => Self::StepEnded {
                step: (*step).to_owned(),
                status: *status,
                error: error.cloned(),
                produced: produced.map(|produced| Box::new(produced.clone())),
            },
            RunEvent::RunEnded { plan, outcome } => Self::RunEnded {
                plan: (*plan).to_owned(),
                outcome: *outcome,
            },
        }
    }

    /// Converts the entry back to an event for a replay.
    pub(crate) fn event(&self) -> RunEvent<'_> {
        match self {
            Self::PhaseStarted { phase } => RunEvent::PhaseStarted { phase: *phase },
            Self::RunStarted { plan, steps } => RunEvent::RunStarted {
                plan,
                steps: *steps,
            },
            Self::StepStarted {
                step,
                uses,
                attempt,
            } => RunEvent::StepStarted {
                step,
                uses,
                attempt: *attempt,
            },
            Self::StepFannedOut { step, count } => RunEvent::StepFannedOut {
                step,
                count: *count,
            },
            Self::StepRetries {
                step,
                attempt,
                after_ms,
                error,
            } => RunEvent::StepRetries {
                step,
                attempt: *attempt,
                after: Duration::from_millis(*after_ms),
                error,
            },
            Self::StepEnded {
                step,
                status,
                error,
                produced,
            } => RunEvent::StepEnded {
                step,
                status: *status,
                error: error.as_ref(),
                produced: produced.as_deref(),
            },
            Self::RunEnded { plan, outcome } => RunEvent::RunEnded {
                plan,
                outcome: *outcome,
            },
        }
    }

    /// Removes secret values. An output with one is removed as a whole, because a step couldn't
    /// reuse just a part of it.
    pub(super) fn forget_secrets(&mut self) {
        self.forget_output();
        match self {
            Self::StepRetries { error, .. } => redact_error(error),
            Self::StepEnded { error, .. } => error.iter_mut().for_each(redact_error),
            _ => {}
        }
    }

    /// Removes a step's output and observations. Returns true if there were any.
    pub(super) fn forget_output(&mut self) -> bool {
        match self {
            Self::StepEnded {
                produced, error, ..
            } => {
                let had_seen = error.as_mut().is_some_and(forget_seen);
                produced.take().is_some() || had_seen
            }
            Self::StepRetries { error, .. } => forget_seen(error),
            _ => false,
        }
    }
}

/// Removes a failed step's observations. Returns true if there were any.
fn forget_seen(error: &mut StepError) -> bool {
    !std::mem::take(&mut error.seen).is_empty()
}

fn redact_error(error: &mut StepError) {
    for text in std::iter::once(&mut error.message).chain(&mut error.help) {
        *text = redact_text(text).0.as_str().to_owned();
    }
}
