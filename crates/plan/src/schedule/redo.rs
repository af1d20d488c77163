//! Repeats work: released attempts and pushed-back steps.

use super::followers::Followers;
use super::schedule_node::{Node, State};
use super::{Action, Rejected, Schedule, Status};
use crate::StepIndex;

impl Schedule {
    /// Ends an attempt without a result. It doesn't count against the retry policy.
    pub(super) fn released(
        &mut self,
        step: StepIndex,
        attempt: u32,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        self.steps.node(step).check_attempt(step, attempt)?;
        self.steps.stop_running(step);
        let node = self.steps.node(step);
        node.spared += 1;
        node.state = State::Pending;
        // After a halt, we must close this step along with the others that never start.
        self.steps.phases.sweep_again();
        self.steps.make_ready_if_due(step, actions);
        Ok(())
    }

    /// Restarts an ended step with its direct and indirect dependents. Earlier attempts no longer
    /// count against their retry policies. `finally` steps depend on everything, so they restart
    /// too.
    pub(super) fn pushed_back(
        &mut self,
        step: StepIndex,
        actions: &mut Vec<Action>,
    ) -> Result<(), Rejected> {
        let node = &self.steps.nodes[step.index()];
        let has_ended = matches!(
            node.state,
            State::Completed | State::Failed | State::Skipped
        );
        if !has_ended || node.origin.is_some() {
            return Err(Rejected::NotEnded {
                step,
                status: node.status(),
            });
        }
        let before: Vec<Status> = self.steps.nodes.iter().map(Node::status).collect();
        let affected = self.steps.all_that_follows(step);
        for at in 0..self.steps.nodes.len() {
            let parent = self.steps.nodes[at]
                .origin
                .map(|(parent, _)| parent.index());
            let node = &mut self.steps.nodes[at];
            match parent {
                // The restarted step creates new instances when it fans out.
                Some(parent) if affected[parent] => node.state = State::Skipped,
                None if affected[at] => {
                    let was_touched =
                        !matches!(node.state, State::Pending | State::HeldBack { .. });
                    node.state = State::Pending;
                    node.spared = node.attempt;
                    if was_touched {
                        actions.push(Action::Reopened {
                            step: StepIndex::new(at),
                        });
                    }
                }
                _ => {}
            }
        }
        self.finished = None;
        self.steps.recount(&before, &affected, actions);
        Ok(())
    }
}

impl Followers {
    /// Returns true for each node that is `step` or depends on it.
    fn all_that_follows(&self, step: StepIndex) -> Vec<bool> {
        let mut affected: Vec<bool> = self.nodes.iter().map(|node| node.spec.finally).collect();
        affected[step.index()] = true;
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            for dependent in self.dependents(step) {
                if !affected[dependent.index()] {
                    affected[dependent.index()] = true;
                    work.push(dependent);
                }
            }
        }
        affected
    }

    /// Recounts the open needs of all nodes from their current states.
    fn recount(&mut self, before: &[Status], affected: &[bool], actions: &mut Vec<Action>) {
        self.phases = self.phases.restarted();
        self.ready.clear();
        for node in &mut self.nodes {
            node.held_by = None;
            if matches!(node.state, State::HeldBack { .. } | State::Ready) {
                node.state = State::Pending;
            }
            if node.is_open() {
                self.phases.opened(node.phase());
            }
            if node.state == State::Running {
                self.phases.started(node.phase());
            }
        }
        self.count_needs();
        let waits_for_nothing: Vec<bool> =
            self.nodes.iter().map(|node| node.waiting == 0).collect();
        let mut followed = Vec::new();
        for (at, is_first) in waits_for_nothing.into_iter().enumerate() {
            let step = StepIndex::new(at);
            let node = &self.nodes[at];
            let stops = node.state == State::Failed && !node.spec.continue_on_failure;
            match node.state {
                _ if node.origin.is_some() && node.state != State::Pending => {}
                State::Completed | State::Failed => {
                    self.tell_dependents(step, stops, &mut followed);
                }
                // A skipped step that's still waiting is released later, once its needs have ended.
                State::Skipped if is_first => self.release_dependents(step, false, &mut followed),
                State::Pending if is_first => self.make_ready_if_due(step, &mut followed),
                _ => {}
            }
        }
        // Drop actions for steps that haven't changed, because the driver already knows about them.
        followed.retain(|action| match action {
            Action::Ready { step } | Action::HeldBack { step, .. } => {
                let (at, now) = (step.index(), self.nodes[step.index()].status());
                affected.get(at) == Some(&true) || before.get(at) != Some(&now)
            }
            _ => true,
        });
        actions.extend(followed);
    }
}
