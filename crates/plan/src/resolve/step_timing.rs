use std::time::Duration;

use windlass_base::Diagnostic;

use super::Resolution;
use crate::{DurationText, PlannedStep, Retry, RetryDoc, StepDoc};

const MAX_ATTEMPTS: u32 = 20;

pub(super) struct Timing<'r, 'a> {
    pub(super) resolution: &'r mut Resolution<'a>,
    pub(super) at: usize,
}

impl Timing<'_, '_> {
    pub(super) fn plan(mut self, step: &StepDoc, plan: &mut PlannedStep) {
        plan.timeout = self.duration(&["timeout"], step.timeout.as_ref());
        plan.max_duration = self.duration(&["max_duration"], step.max_duration.as_ref());
        if let (Some(timeout), Some(max)) = (plan.timeout, plan.max_duration)
            && timeout > max
        {
            let wrong = Diagnostic::error(
                "timeout-too-long",
                "one attempt may take longer (`timeout`) than all together (`max_duration`)",
            )
            .help("make `timeout` shorter or `max_duration` longer");
            self.resolution
                .report(self.resolution.places.step(self.at, &["timeout"]), wrong);
        }
        if let Some(retry) = &step.retry {
            plan.retry = self.retry(retry);
        }
    }

    fn retry(&mut self, retry: &RetryDoc) -> Retry {
        if !(1..=MAX_ATTEMPTS).contains(&retry.max_attempts) {
            let message = format!(
                "expected 1 to {MAX_ATTEMPTS} attempts, found {}",
                retry.max_attempts
            );
            let wrong = Diagnostic::error("out-of-range", message);
            self.resolution.report(
                self.resolution
                    .places
                    .step(self.at, &["retry", "max_attempts"]),
                wrong,
            );
        }
        let backoff = self.duration(&["retry", "backoff"], retry.backoff.as_ref());
        let max_backoff = self.duration(&["retry", "max_backoff"], retry.max_backoff.as_ref());
        if let (Some(first), Some(max)) = (backoff, max_backoff)
            && first > max
        {
            let wrong =
                Diagnostic::error("timeout-too-long", "`backoff` is longer than `max_backoff`")
                    .help("make `backoff` shorter or `max_backoff` longer");
            self.resolution.report(
                self.resolution.places.step(self.at, &["retry", "backoff"]),
                wrong,
            );
        }
        Retry {
            max_attempts: retry.max_attempts,
            backoff: backoff.unwrap_or_default(),
            max_backoff,
        }
    }

    fn duration(&mut self, path: &[&str], text: Option<&DurationText>) -> Option<Duration> {
        match text?.parse() {
            Ok(duration) => Some(duration),
            Err(error) => {
                let wrong = Diagnostic::error("bad-duration", error.to_string())
                    .help("write it like `250ms`, `5s`, `2m` or `1m30s`");
                self.resolution
                    .report(self.resolution.places.step(self.at, path), wrong);
                None
            }
        }
    }
}
