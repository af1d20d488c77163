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
