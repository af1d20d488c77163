//! What a schedule is told: each event checked against the state it meets.

use super::node::State;
use super::{Action, Halt, Rejected, Schedule};
use crate::StepIndex;

impl Schedule {
    pub(super) fn started(&mut self, step: StepIndex) -> Result<(), Rejected> {
        if !self.ready.remove(&step) {
            return Err(Rejected::NotReady {
                step,
                status: self.status(step),
            });
        }
        let node = self.node(step);
        node.attempt += 1;
        node.state = State::Running;
        let phase = node.phase_index();
        self.running[phase] += 1;
        Ok(())
    }

    pub(super) fn completed(
        &mut self,
        step: StepIndex,
        attempt: u32,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.check_attempt(step, attempt)?;
        self.stop_running(step);
        self.close(step, State::Completed, actions);
        Ok(())
    }

    pub(super) fn failed(
        &mut self,
        step: StepIndex,
        attempt: u32,
        retryable: bool,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.check_attempt(step, attempt)?;
        self.stop_running(step);
        let halted = self.is_halted_for(step);
        let node = self.node(step);
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
            self.close(step, State::Failed, actions);
        }
        Ok(())
    }

    /// A step is skipped by its condition once it is reached, or by hand at any time before it ends.
    pub(super) fn skipped(
        &mut self,
        step: StepIndex,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        match self.nodes[step.index()].state {
            State::Pending | State::HeldBack { .. } | State::Ready | State::WaitingForRetry => {}
            State::Running => self.stop_running(step),
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
        self.ready.remove(&step);
        self.close(step, State::Skipped, actions);
        Ok(())
    }

    pub(super) fn fanned_out(
        &mut self,
        step: StepIndex,
        attempt: u32,
        count: u32,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.check_attempt(step, attempt)?;
        if self.origin(step).is_some() {
            return Err(Rejected::NestedFanOut { step });
        }
        self.stop_running(step);
        if count == 0 {
            self.close(step, State::Completed, actions);
            return Ok(());
        }
        self.node(step).state = State::FannedOut {
            open: count,
            failed: false,
        };
        let first = self.nodes.len();
        for ordinal in 0..count {
            let instance = self.nodes[step.index()].instance(step, ordinal);
            self.open[instance.phase_index()] += 1;
            self.nodes.push(instance);
        }
        self.swept = [false, false];
        actions.push(Action::Grown {
            step,
            first: StepIndex::new(first),
            count,
        });
        for at in first..self.nodes.len() {
            self.make_ready_if_due(StepIndex::new(at), actions);
        }
        Ok(())
    }

    pub(super) fn retry_due(
        &mut self,
        step: StepIndex,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        if self.nodes[step.index()].state != State::WaitingForRetry {
            return Err(Rejected::NoRetryDue {
                step,
                status: self.status(step),
            });
        }
        self.node(step).state = State::Pending;
        self.make_ready_if_due(step, actions);
        Ok(())
    }

    pub(super) fn halted(&mut self, halt: Halt) {
        self.halt = self.halt.max(Some(halt));
    }

    /// Refuses reports about anything but the attempt that is running.
    pub(super) fn check_attempt(&self, step: StepIndex, attempt: u32) -> Result<(), Rejected> {
        let node = &self.nodes[step.index()];
        if node.state != State::Running {
            return Err(Rejected::NotRunning {
                step,
                status: node.status(),
            });
        }
        if node.attempt != attempt {
            return Err(Rejected::StaleAttempt {
                step,
                attempt,
                current: node.attempt,
            });
        }
        Ok(())
    }

    pub(super) fn stop_running(&mut self, step: StepIndex) {
        let phase = self.nodes[step.index()].phase_index();
        self.running[phase] -= 1;
    }
}
