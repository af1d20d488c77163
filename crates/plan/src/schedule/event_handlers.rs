//! Handles the events of a schedule.
//!
//! Each handler first checks if the event is allowed in the current state.

use super::schedule_node::State;
use super::{Action, Rejected, Schedule};
use crate::StepIndex;

impl Schedule {
    pub(super) fn started(&mut self, step: StepIndex) -> Result<(), Rejected> {
        if !self.steps.ready.remove(&step) {
            return Err(Rejected::NotReady {
                step,
                status: self.status(step),
            });
        }
        let node = self.steps.node(step);
        node.attempt += 1;
        node.state = State::Running;
        let phase = node.phase();
        self.steps.phases.started(phase);
        Ok(())
    }

    pub(super) fn completed(
        &mut self,
        step: StepIndex,
        attempt: u32,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.steps.node(step).check_attempt(step, attempt)?;
        self.steps.stop_running(step);
        self.steps.close(step, State::Completed, actions);
        Ok(())
    }

    pub(super) fn failed(
        &mut self,
        step: StepIndex,
        attempt: u32,
        retryable: bool,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.steps.node(step).check_attempt(step, attempt)?;
        self.steps.stop_running(step);
        let phase = self.steps.node(step).phase();
        let halted = self.steps.phases.halts(phase);
        let node = self.steps.node(step);
        let counted = attempt - node.spared.min(attempt);
        if retryable && !halted && counted < node.spec.retry.max_attempts {
            node.state = State::WaitingForRetry;
            let after = node.spec.retry.delay_after(counted);
            actions.push(Action::Retry {
                step,
                attempt: attempt + 1,
                after,
            });
        } else {
            self.steps.close(step, State::Failed, actions);
        }
        Ok(())
    }

    /// Skips a step.
    ///
    /// A condition skips a step once it is reached. A person can skip it at any time before it ends
    /// or fans out.
    pub(super) fn skipped(
        &mut self,
        step: StepIndex,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        match self.steps.nodes[step.index()].state {
            State::Pending | State::HeldBack { .. } | State::Ready | State::WaitingForRetry => {}
            State::Running => self.steps.stop_running(step),
            State::FannedOut { .. }
            | State::Completed
            | State::Failed
            | State::Skipped
            | State::NotStarted => {
                return Err(Rejected::AlreadySettled {
                    step,
                    status: self.status(step),
                });
            }
        }
        self.steps.ready.remove(&step);
        self.steps.close(step, State::Skipped, actions);
        Ok(())
    }

    pub(super) fn fanned_out(
        &mut self,
        step: StepIndex,
        attempt: u32,
        count: u32,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.steps.node(step).check_attempt(step, attempt)?;
        if self.origin(step).is_some() {
            return Err(Rejected::NestedFanOut { step });
        }
        self.steps.stop_running(step);
        // Without instances, nothing would ever close the step.
        if count == 0 {
            self.steps.close(step, State::Completed, actions);
            return Ok(());
        }
        self.steps.node(step).state = State::FannedOut {
            open: count,
            failed: false,
        };
        let first = self.steps.nodes.len();
        for ordinal in 0..count {
            let instance = self.steps.nodes[step.index()].instance(step, ordinal);
            self.steps.phases.opened(instance.phase());
            self.steps.nodes.push(instance);
        }
        self.steps.phases.sweep_again();
        actions.push(Action::Grown {
            step,
            first: StepIndex::new(first),
            count,
        });
        for at in first..self.steps.nodes.len() {
            self.steps.make_ready_if_due(StepIndex::new(at), actions);
        }
        Ok(())
    }

    pub(super) fn retry_due(
        &mut self,
        step: StepIndex,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        if self.steps.nodes[step.index()].state != State::WaitingForRetry {
            return Err(Rejected::NoRetryDue {
                step,
                status: self.status(step),
            });
        }
        self.steps.node(step).state = State::Pending;
        self.steps.make_ready_if_due(step, actions);
        Ok(())
    }
}
