//! Moves on from the main steps to the `finally` steps, and from those to the end.

use super::followers::Followers;
use super::schedule_node::{Node, State};
use super::schedule_phases::Phase;
use super::{Action, Halt, Outcome, Schedule};
use crate::StepIndex;

impl Schedule {
    /// Moves on if no open steps are left in the current phase.
    ///
    /// After the main steps, we start the `finally` steps. After those, the schedule is finished.
    pub(super) fn advance(&mut self, actions: &mut Vec<Action>) {
        if self.finished.is_some() {
            return;
        }
        let steps = &mut self.steps;
        loop {
            if steps.phases.sweeps() {
                steps.close_what_never_starts(actions);
            }
            if !steps.phases.is_over() {
                return;
            }
            match steps.phases.current() {
                Phase::Main => {
                    steps.phases.begin_finally();
                    for at in 0..steps.nodes.len() {
                        steps.make_ready_if_due(StepIndex::new(at), actions);
                    }
                }
                Phase::Finally => {
                    let outcome = steps.conclude();
                    self.finished = Some(outcome);
                    actions.push(Action::Finished { outcome });
                    return;
                }
            }
        }
    }
}

impl Followers {
    /// Closes the steps that a halt keeps from starting.
    ///
    /// A step without any attempt ends as not started. A step that already had one, e.g. one that
    /// waits for a retry, fails.
    fn close_what_never_starts(&mut self, actions: &mut Vec<Action>) {
        let phase = self.phases.current();
        self.ready
            .retain(|step| self.nodes[step.index()].phase() != phase);
        for at in 0..self.nodes.len() {
            let node = &mut self.nodes[at];
            if node.phase() != phase {
                continue;
            }
            node.state = match node.state {
                State::Pending | State::Ready if node.attempt == 0 => State::NotStarted,
                State::Pending | State::Ready | State::WaitingForRetry => State::Failed,
                _ => continue,
            };
            let origin = node.origin;
            self.phases.closed(phase);
            actions.push(Action::GivenUp {
                step: StepIndex::new(at),
            });
            if let Some((parent, _)) = origin {
                self.close_halted_instance(parent, phase, actions);
            }
        }
    }

    fn close_halted_instance(
        &mut self,
        parent: StepIndex,
        phase: Phase,
        actions: &mut Vec<Action>,
    ) {
        let node = self.node(parent);
        let State::FannedOut { open, .. } = node.state else {
            return;
        };
        if open > 1 {
            node.state = State::FannedOut {
                open: open - 1,
                failed: true,
            };
            return;
        }
        node.state = State::Failed;
        self.phases.closed(phase);
        actions.push(Action::Gathered {
            step: parent,
            failed: true,
        });
    }

    fn conclude(&self) -> Outcome {
        let failed = |node: &&Node| node.state == State::Failed && node.origin.is_none();
        if matches!(self.phases.halt(), Some(Halt::Cancel | Halt::Kill)) {
            Outcome::Cancelled
        } else if self
            .nodes
            .iter()
            .filter(failed)
            .any(|node| !node.spec.continue_on_failure)
        {
            Outcome::Failed
        } else if self.phases.halt().is_some()
            && self
                .nodes
                .iter()
                .any(|node| node.state == State::NotStarted)
        {
            // None of our steps caused the halt, so it came from outside.
            Outcome::Cancelled
        } else if self.nodes.iter().any(|node| failed(&node)) {
            Outcome::Partial
        } else {
            Outcome::Completed
        }
    }
}
