//! Propagates the end of a step to its dependents.
//!
//! Each node counts its open needs (`waiting`), and becomes ready when the count drops to zero. All
//! walks over the graph use a list of pending work rather than recursion, because plans may be very
//! long chains.

use std::collections::BTreeSet;

use super::dependents::Dependents;
use super::schedule_node::{Node, State};
use super::schedule_phases::Phases;
use super::{Action, Halt, NodeSpec, ScheduleOptions};
use crate::StepIndex;

#[derive(Debug, Clone)]
pub(super) struct Followers {
    options: ScheduleOptions,
    pub(super) nodes: Vec<Node>,
    dependents: Dependents,
    pub(super) ready: BTreeSet<StepIndex>,
    pub(super) phases: Phases,
}

impl Followers {
    pub(super) fn new(specs: Vec<NodeSpec>, options: ScheduleOptions) -> Self {
        let dependents = Dependents::of(&specs);
        let nodes: Vec<Node> = specs.into_iter().map(Node::new).collect();
        let mut phases = Phases::new();
        for node in &nodes {
            phases.opened(node.phase());
        }
        let mut followers = Self {
            options,
            nodes,
            dependents,
            ready: BTreeSet::new(),
            phases,
        };
        followers.count_needs();
        followers
    }

    pub(super) fn node(&mut self, step: StepIndex) -> &mut Node {
        &mut self.nodes[step.index()]
    }

    /// Counts the open needs of each node.
    ///
    /// A `finally` step only waits for its needs among other `finally` steps: the main steps have
    /// all ended by the time it may start.
    pub(super) fn count_needs(&mut self) {
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            let waits =
                |need: &StepIndex| !node.spec.finally || self.nodes[need.index()].spec.finally;
            let waiting = node.waits_on().filter(waits).count();
            self.nodes[at].waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        }
    }

    pub(super) fn dependents(&self, step: StepIndex) -> impl Iterator<Item = StepIndex> + '_ {
        self.dependents
            .range(step)
            .map(|at| self.dependents.get(at))
    }

    pub(super) fn stop_running(&mut self, step: StepIndex) {
        self.phases.stopped(self.nodes[step.index()].phase());
    }

    /// Sets the final state of `step`, and updates its dependents.
    pub(super) fn close(&mut self, step: StepIndex, state: State, actions: &mut Vec<Action>) {
        let node = self.node(step);
        let was_open = node.is_open();
        node.state = state;
        let (phase, failed, spec) = (node.phase(), state == State::Failed, &node.spec);
        let stops = failed && !spec.continue_on_failure;
        let origin = node.origin;
        if was_open {
            self.phases.closed(phase);
        }
        if stops && self.options.fail_fast {
            self.phases.halted(Halt::FailFast);
        }
        // Instances of a fan-out have no dependents of their own.
        match origin {
            Some((parent, _)) => self.close_instance(parent, failed, actions),
            None => self.tell_dependents(step, stops, actions),
        }
    }

    /// Ends one instance of a fan-out. If it is the last one, the fan-out itself ends as well.
    fn close_instance(
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
            // Report this before closing the parent. Its dependents may become ready right away,
            // and the driver needs the gathered output then.
            actions.push(Action::Gathered {
                step: parent,
                failed,
            });
            self.close(parent, state, actions);
        }
    }

    /// Updates the dependents of an ended step. With `stops`, we hold them back, unless they only
    /// wait for its end (`after`).
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

    /// Releases the dependents of `ended`: those without other open needs become ready.
    ///
    /// With `stops`, this only applies to dependents through `after`.
    ///
    /// A skipped step is transparent: its dependents inherit its needs, and are released once those
    /// are satisfied. For example, let `c` need `b`, and `b` need `a`. If `b` is skipped while `a`
    /// is running, `c` still waits for `a`.
    pub(super) fn release_dependents(
        &mut self,
        ended: StepIndex,
        stops: bool,
        actions: &mut Vec<Action>,
    ) {
        let mut work = vec![ended];
        while let Some(step) = work.pop() {
            let node = &self.nodes[step.index()];
            // The step was skipped while some of its needs were still open. It passes them on to
            // its dependents: when the last one ends, we get back here (see the `push` below).
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

    /// Holds back the direct and indirect dependents of `failed`.
    ///
    /// If several steps have failed, we give the first one in the plan as the reason, so that it
    /// does not depend on timing.
    fn hold_back_dependents(&mut self, failed: StepIndex, actions: &mut Vec<Action>) {
        let mut work = vec![failed];
        while let Some(step) = work.pop() {
            for at in self.dependents.range(step) {
                let dependent = self.dependents.get(at);
                // The exception for `after` only applies to the failed step itself. Steps behind a
                // dependent that's held back can't start either.
                if step == failed && self.is_after(dependent, step) {
                    continue;
                }
                if self.waits_for(dependent, step) && self.hold_back(dependent, failed, actions) {
                    work.push(dependent);
                }
            }
        }
    }

    /// Returns true if this changes anything for the dependents of `step`, so that we have to go on
    /// with those.
    fn hold_back(&mut self, step: StepIndex, by: StepIndex, actions: &mut Vec<Action>) -> bool {
        let node = self.node(step);
        match node.state {
            State::Pending => {
                node.state = State::HeldBack { by };
                let phase = node.phase();
                self.phases.closed(phase);
                actions.push(Action::HeldBack { step, by });
                true
            }
            State::HeldBack { by: earlier } if by < earlier => {
                node.state = State::HeldBack { by };
                true
            }
            // The step was skipped by hand. Its dependents inherit its needs, which can't be
            // satisfied anymore, so hold them back as well.
            State::Skipped if node.held_by.is_none_or(|earlier| by < earlier) => {
                node.held_by = Some(by);
                true
            }
            _ => false,
        }
    }

    /// True if `dependent` waits for the end of `step`, but not for its success.
    fn is_after(&self, dependent: StepIndex, step: StepIndex) -> bool {
        self.nodes[dependent.index()].spec.after.contains(&step)
    }

    fn waits_for(&self, dependent: StepIndex, need: StepIndex) -> bool {
        let finally = |step: StepIndex| self.nodes[step.index()].spec.finally;
        !finally(dependent) || finally(need)
    }

    /// Makes `step` ready, unless it still has an open need or a halt forbids it.
    pub(super) fn make_ready_if_due(&mut self, step: StepIndex, actions: &mut Vec<Action>) {
        let node = &mut self.nodes[step.index()];
        let phase = node.phase();
        let may_start = phase == self.phases.current() && !self.phases.halts(phase);
        if may_start && node.state == State::Pending && node.waiting == 0 {
            node.state = State::Ready;
            self.ready.insert(step);
            actions.push(Action::Ready { step });
        }
    }
}
