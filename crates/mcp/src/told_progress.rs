//! How far a run is, as notifications.

use std::sync::Mutex;
use std::sync::PoisonError;

use tokio::sync::mpsc::UnboundedSender;
use windlass::engine::{Observer, Phase, RunEvent};

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    /// How much is done: it only grows.
    pub(crate) done: f64,
    /// How much there is, as far as that is known.
    pub(crate) total: Option<f64>,
    /// What happened.
    pub(crate) message: String,
}

/// What is told while nothing happens: that a call is still at work, by numbers that grow and reach none that is still to
/// come.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    done: f64,
    total: Option<f64>,
    beats: u32,
}

impl Pulse {
    /// Something happened.
    pub(crate) fn heard(&mut self, progress: &Progress) {
        *self = Self {
            done: progress.done,
            total: progress.total,
            beats: 0,
        };
    }

    /// Nothing did, for one more while.
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

/// Listens to a run, and tells how far it is.
pub(crate) struct Told {
    to: UnboundedSender<Progress>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: usize,
    steps: Option<usize>,
}

impl Told {
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
        // Whoever listened may have gone.
        let _ = self.to.send(Progress {
            done: state.done as f64,
            total: state.steps.map(|steps| steps as f64),
            message,
        });
    }
}

/// Whether a step is one of the runbook itself, and not of one inside it or an instance of a fan-out.
fn is_own(step: &str) -> bool {
    !step.contains(['/', '['])
}

impl Observer for Told {
    fn event(&self, event: &RunEvent<'_>) {
        self.tell(|state| match event {
            RunEvent::RunStarted { steps, .. } if state.steps.is_none() => {
                // Choosing and verifying what is shown is one more.
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
    fn a_pulse_grows_and_stays_below_what_comes_next() {
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
    fn progress_grows_with_the_steps_of_the_runbook_itself() {
        let (to, mut from) = unbounded_channel();
        let told = Told::new(to);
        told.event(&RunEvent::RunStarted {
            plan: "x",
            steps: 2,
        });
        told.event(&RunEvent::RunStarted {
            plan: "inner",
            steps: 9,
        });
        for step in ["a", "inner/b", "c[0]", "c"] {
            told.event(&RunEvent::StepEnded {
                step,
                status: Status::Completed,
                error: None,
                produced: None,
            });
        }
        told.event(&RunEvent::PhaseStarted { phase: Phase::Show });
        let mut seen = Vec::new();
        while let Ok(progress) = from.try_recv() {
            assert_eq!(progress.total, Some(3.0));
            seen.push(progress.done);
        }
        assert_eq!(seen, [1.0, 2.0, 3.0]);
    }
}
