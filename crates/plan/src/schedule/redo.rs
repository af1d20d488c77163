//! Repeats work: attempts that were released, and steps that were pushed back.

use super::followers::Followers;
use super::schedule_node::{Node, State};
use super::{Action, Rejected, Schedule, Status};
use crate::StepIndex;

impl Schedule {
    /// Ends an attempt without a result, e.g. because its worker is gone.
    ///
    /// The attempt does not count against the retry policy.
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
        // After a halt, the step can't start again. It has to be closed like the others, even if
        // those have been closed already.
        self.steps.phases.sweep_again();
        self.steps.make_ready_if_due(step, actions);
        Ok(())
    }

    /// Restarts an ended step, along with its direct and indirect dependents. Their earlier
    /// attempts do not count against their retry policies anymore.
    ///
    /// All `finally` steps are restarted too, since they depend on everything.
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
                // The step creates new instances when it fans out again.
                Some(parent) if affected[parent] => node.state = State::Skipped,
                None if affected[at] => {
                    // Only report a step that the driver may have a result of, or that it may be
                    // working on.
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
    /// Returns a flag for each node, which is true for `step`, its direct and indirect dependents,
    /// and all `finally` steps.
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
    ///
    /// We go through the same steps as during a run, and only pass on the actions that tell the
    /// driver something new.
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
        // Remember which nodes have no needs before releasing any. The loop below decreases the
        // counts.
        for (at, is_first) in waits_for_nothing.into_iter().enumerate() {
            let step = StepIndex::new(at);
            let node = &self.nodes[at];
            let stops = node.state == State::Failed && !node.spec.continue_on_failure;
            match node.state {
                _ if node.origin.is_some() && node.state != State::Pending => {}
                State::Completed | State::Failed => {
                    self.tell_dependents(step, stops, &mut followed);
                }
                // A skipped step with open needs is released later, when its last need has ended.
                State::Skipped if is_first => self.release_dependents(step, false, &mut followed),
                State::Pending if is_first => self.make_ready_if_due(step, &mut followed),
                _ => {}
            }
        }
        // The driver already knows about steps whose status is the same as before.
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
