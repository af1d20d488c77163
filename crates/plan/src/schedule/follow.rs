//! What follows when a step ends: who goes on, and who is held back.

use super::node::State;
use super::{Action, Halt, Schedule};
use crate::StepIndex;

impl Schedule {
    /// Gives `step` its last state and tells those who wait for it.
    pub(super) fn close(&mut self, step: StepIndex, state: State, actions: &mut Vec<Action>) {
        let node = self.node(step);
        let was_open = node.is_open();
        node.state = state;
        let (phase, failed, spec) = (node.phase_index(), state == State::Failed, &node.spec);
        let stops = failed && !spec.continue_on_failure;
        let origin = node.origin;
        if was_open {
            self.open[phase] -= 1;
        }
        if stops && self.options.fail_fast {
            self.halted(Halt::FailFast);
        }
        match origin {
            Some((parent, _)) => self.close_instance(parent, failed, actions),
            None => self.tell_dependents(step, stops, actions),
        }
    }

    /// One instance of a fan-out ended; the last one ends the fan-out.
    pub(super) fn close_instance(
        &mut self,
        parent: StepIndex,
        instance_failed: bool,
        actions: &mut Vec<Action>,
    ) {
        let State::FannedOut { open, failed } = self.nodes[parent.index()].state else {
            return;
        };
        let (open, failed) = (open - 1, failed || instance_failed);
        self.node(parent).state = State::FannedOut { open, failed };
        if open == 0 {
            let state = if failed {
                State::Failed
            } else {
                State::Completed
            };
            actions.push(Action::Gathered {
                step: parent,
                failed,
            });
            self.close(parent, state, actions);
        }
    }

    /// `step` ended: those who need it go on, or are held back where it `stops` them; those who only wait for its end
    /// go on.
    pub(super) fn tell_dependents(
        &mut self,
        step: StepIndex,
        stops: bool,
        actions: &mut Vec<Action>,
    ) {
        if stops {
            self.hold_back_dependents(step, actions);
        }
        self.release_dependents(step, stops, actions);
    }

    /// `ended` no longer stands in the way: those who waited for it alone become ready; only those who wait for no more
    /// than its end, if it `stops` the others. A skipped step stands aside only when its own needs are satisfied, so
    /// that dependents inherit them.
    pub(super) fn release_dependents(
        &mut self,
        ended: StepIndex,
        stops: bool,
        actions: &mut Vec<Action>,
    ) {
        let mut work = vec![ended];
        while let Some(step) = work.pop() {
            let node = &self.nodes[step.index()];
            if node.state == State::Skipped && node.waiting > 0 {
                continue;
            }
            for at in self.dependents.range(step) {
                let dependent = self.dependents.get(at);
                let is_stopped = stops && step == ended && !self.is_after(dependent, step);
                if is_stopped || !self.waits_for(dependent, step) {
                    continue;
                }
                let node = self.node(dependent);
                node.waiting -= 1;
                if node.waiting > 0 {
                    continue;
                }
                if node.state == State::Skipped {
                    work.push(dependent);
                } else {
                    self.make_ready_if_due(dependent, actions);
                }
            }
        }
    }

    /// `failed` ended everything that needs it, directly or not. Of several failures the first in the plan
    /// is named, so that the reason does not depend on which came first in time.
    pub(super) fn hold_back_dependents(&mut self, failed: StepIndex, actions: &mut Vec<Action>) {
        let mut work = vec![failed];
        while let Some(step) = work.pop() {
            for at in self.dependents.range(step) {
                let dependent = self.dependents.get(at);
                if step == failed && self.is_after(dependent, step) {
                    continue;
                }
                if self.waits_for(dependent, step) && self.hold_back(dependent, failed, actions) {
                    work.push(dependent);
                }
            }
        }
    }

    /// Returns whether that is news for the dependents of `step`.
    pub(super) fn hold_back(
        &mut self,
        step: StepIndex,
        by: StepIndex,
        actions: &mut Vec<Action>,
    ) -> bool {
        let node = self.node(step);
        match node.state {
            State::Pending => {
                node.state = State::HeldBack { by };
                let phase = node.phase_index();
                self.open[phase] -= 1;
                actions.push(Action::HeldBack { step, by });
                true
            }
            State::HeldBack { by: earlier } if by < earlier => {
                node.state = State::HeldBack { by };
                true
            }
            // Skipped by hand: it stands aside, but what it needed can never be satisfied.
            State::Skipped if node.held_by.is_none_or(|earlier| by < earlier) => {
                node.held_by = Some(by);
                true
            }
            _ => false,
        }
    }

    /// Whether `dependent` waits for no more than the end of `step`.
    pub(super) fn is_after(&self, dependent: StepIndex, step: StepIndex) -> bool {
        self.nodes[dependent.index()].spec.after.contains(&step)
    }

    pub(super) fn waits_for(&self, dependent: StepIndex, need: StepIndex) -> bool {
        let finally = |step: StepIndex| self.nodes[step.index()].spec.finally;
        !finally(dependent) || finally(need)
    }

    pub(super) fn make_ready_if_due(&mut self, step: StepIndex, actions: &mut Vec<Action>) {
        let halted = self.is_halted_for(step);
        let phase = self.phase;
        let node = self.node(step);
        if node.state == State::Pending && node.waiting == 0 && node.phase() == phase && !halted {
            node.state = State::Ready;
            self.ready.insert(step);
            actions.push(Action::Ready { step });
        }
    }

    /// Whether nothing of the phase of `step` may start any more.
    pub(super) fn is_halted_for(&self, step: StepIndex) -> bool {
        match self.halt {
            None => false,
            Some(Halt::Kill) => true,
            Some(Halt::FailFast | Halt::Cancel) => !self.nodes[step.index()].spec.finally,
        }
    }
}
