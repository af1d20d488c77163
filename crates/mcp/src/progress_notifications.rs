//! Progress notifications during a run.
//!
//! The protocol wants numbers that grow with every notification, and that includes the heartbeats
//! of a step that takes long. So heartbeats count in fractions: after 3 come 3.5, 3.67, 3.75 and so
//! on, and 4 when the step ends.

use std::sync::Mutex;
use std::sync::PoisonError;

use tokio::sync::mpsc::UnboundedSender;
use windlass::engine::{Observer, Phase, RunEvent};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    /// Number of completed steps. A heartbeat has a fraction in between.
    pub(crate) done: f64,
    /// Number of steps, once we know it.
    pub(crate) total: Option<f64>,
    pub(crate) message: String,
}

/// Makes heartbeats, whose numbers grow but never reach that of the next step.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    done: f64,
    total: Option<f64>,
    beats: u32,
}

impl Pulse {
    /// Makes the next heartbeat come right after `progress`.
    pub(crate) fn heard(&mut self, progress: &Progress) {
        *self = Self {
            done: progress.done,
            total: progress.total,
            beats: 0,
        };
    }

    pub(crate) fn beat(&mut self) -> Progress {
        self.beats = self.beats.saturating_add(1);
        let beats = f64::from(self.beats);
        Progress {
            done: self.done + beats / (beats + 1.0),
            total: self.total,
            message: "still at work".to_owned(),
        }
    }
}

pub(crate) struct ProgressObserver {
    to: UnboundedSender<Progress>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: usize,
    steps: Option<usize>,
}

impl ProgressObserver {
    pub(crate) fn new(to: UnboundedSender<Progress>) -> Self {
        Self {
            to,
            state: Mutex::default(),
        }
    }

    fn tell(&self, change: impl FnOnce(&mut State) -> Option<String>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(message) = change(&mut state) else {
            return;
        };
        // If the call was cancelled, there's no receiver anymore.
        let _ = self.to.send(Progress {
            done: state.done as f64,
            total: state.steps.map(|steps| steps as f64),
            message,
        });
    }
}

/// True for a step of the runbook itself. The total does not have the steps of nested runbooks or
/// the instances of a fan-out, so do not count these.
fn is_own(step: &str) -> bool {
    !step.contains(['/', '['])
}

impl Observer for ProgressObserver {
    fn event(&self, event: &RunEvent) {
        self.tell(|state| match event {
            RunEvent::RunStarted { steps, .. } if state.steps.is_none() => {
                // Choosing what to show comes after the steps, and counts as one more.
                state.steps = Some(steps + 1);
                None
            }
            RunEvent::StepEnded { step, status, .. } if is_own(step) => {
                state.done += 1;
                Some(format!("{step}: {}", status.as_str()))
            }
            RunEvent::PhaseStarted { phase: Phase::Show } => {
                state.done += 1;
                Some("choosing what fits".to_owned())
            }
            _ => None,
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;
    use windlass::plan::Status;

    use super::*;

    #[test]
    fn pulse_stays_below_next_progress() {
        let mut pulse = Pulse::default();
        let mut last = 0.0;
        for done in [0.0, 1.0, 2.0] {
            let progress = Progress {
                done,
                total: Some(3.0),
                message: String::new(),
            };
            pulse.heard(&progress);
            for _ in 0..1_000 {
                let beat = pulse.beat();
                assert!(beat.done > last && beat.done < done + 1.0, "{beat:?}");
                assert_eq!(beat.total, Some(3.0));
                last = beat.done;
            }
        }
    }

    #[test]
    fn progress_counts_own_steps_only() {
        let (to, mut from) = unbounded_channel();
        let observer = ProgressObserver::new(to);
        observer.event(&RunEvent::RunStarted {
            plan: "x".to_owned(),
            steps: 2,
        });
        observer.event(&RunEvent::RunStarted {
            plan: "inner".to_owned(),
            steps: 9,
        });
        for step in ["a", "inner/b", "c[0]", "c"] {
            observer.event(&RunEvent::StepEnded {
                step: step.to_owned(),
                status: Status::Completed,
                error: None,
                produced: None,
            });
        }
        observer.event(&RunEvent::PhaseStarted { phase: Phase::Show });
        let mut seen = Vec::new();
        while let Ok(progress) = from.try_recv() {
            assert_eq!(progress.total, Some(3.0));
            seen.push(progress.done);
        }
        assert_eq!(seen, [1.0, 2.0, 3.0]);
    }
}
