//! Logs the events of a run, for `-v`.

use std::sync::Arc;

use tracing::{debug, info};
use windlass::engine::{Observer, RunEvent};
use windlass::packs::harmless;

pub(crate) struct Trace {
    next: Arc<dyn Observer>,
}

impl Trace {
    pub(crate) fn before(next: Arc<dyn Observer>) -> Self {
        Self { next }
    }
}

impl Observer for Trace {
    fn event(&self, event: &RunEvent) {
        match event {
            RunEvent::PhaseStarted { phase } => debug!(phase = phase.as_str(), "phase started"),
            RunEvent::RunStarted { plan, steps } => info!(plan, steps, "run started"),
            RunEvent::StepStarted {
                step,
                uses,
                attempt,
            } => {
                debug!(step, uses, attempt, "step started");
            }
            RunEvent::StepFannedOut { step, count } => debug!(step, count, "step fanned out"),
            RunEvent::StepRetries {
                step,
                attempt,
                after,
                error,
            } => {
                let error = harmless(&error.to_string());
                info!(step, attempt, ?after, error, "step is tried again");
            }
            RunEvent::StepEnded {
                step,
                status,
                error,
                ..
            } => match error {
                Some(error) => {
                    let error = harmless(&error.to_string());
                    info!(step, status = status.as_str(), error, "step ended");
                }
                None => info!(step, status = status.as_str(), "step ended"),
            },
            RunEvent::RunEnded { plan, outcome } => info!(plan, ?outcome, "run ended"),
        }
        self.next.event(event);
    }

    fn progress(&self, step: &str, done: u64, total: u64) {
        debug!(step, done, total, "step progress");
        self.next.progress(step, done, total);
    }
}
