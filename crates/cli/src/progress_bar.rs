//! Shows the progress of a long run on one line, which appears after a quarter of a second.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use windlass::engine::{Observer, Phase, RunEvent};
use windlass::plan::Status;

/// Runs that end sooner don't show a line at all, since it would just flicker.
const APPEARS_AFTER: Duration = Duration::from_millis(250);

pub(crate) struct Progress {
    state: Mutex<State>,
}

struct State {
    started: Instant,
    bar: Option<ProgressBar>,
    total: u64,
    done: u64,
    running: Vec<String>,
    /// Completed share of each step in percent. Only steps that report it have one.
    shares: BTreeMap<String, u64>,
    phase: Option<Phase>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let state = State {
            started: Instant::now(),
            bar: None,
            total: 0,
            done: 0,
            running: Vec::new(),
            shares: BTreeMap::new(),
            phase: None,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    /// Shows the line if the run has taken long enough. The caller has to call this at regular
    /// intervals.
    pub(crate) fn tick(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.started.elapsed() >= APPEARS_AFTER {
            state.show();
        }
    }

    pub(crate) fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl State {
    fn show(&mut self) {
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(20));
            let style = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        bar.set_length(self.total);
        bar.set_position(self.done);
        bar.set_message(match self.phase {
            Some(Phase::Load) => "reading the runbook".to_owned(),
            Some(Phase::Assemble) => "verifying what was found".to_owned(),
            Some(Phase::Show) => "choosing what fits".to_owned(),
            Some(Phase::Run) | None => {
                let running = self.running.iter().map(|step| match self.shares.get(step) {
                    Some(share) => format!("{step} {share}%"),
                    None => step.clone(),
                });
                running.collect::<Vec<_>>().join(", ")
            }
        });
        bar.tick();
    }
}

impl Observer for Progress {
    fn event(&self, event: &RunEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            RunEvent::PhaseStarted { phase } => state.phase = Some(*phase),
            RunEvent::RunStarted { steps, .. } => state.total += *steps as u64,
            RunEvent::StepFannedOut { count, .. } => state.total += *count as u64,
            RunEvent::StepStarted { step, .. } => state.running.push(step.clone()),
            // It waits for its next attempt, which is another `StepStarted`.
            RunEvent::StepRetries { step, .. } => state.running.retain(|running| running != step),
            RunEvent::StepEnded { step, status, .. } => {
                state.running.retain(|running| running != step);
                if *status != Status::Pending {
                    state.done += 1;
                }
            }
            _ => {}
        }
        let State {
            shares, running, ..
        } = &mut *state;
        shares.retain(|step, _| running.contains(step));
    }

    fn progress(&self, step: &str, done: u64, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = done.min(total).saturating_mul(100).checked_div(total) {
            state.shares.insert(step.to_owned(), share);
        }
    }
}
