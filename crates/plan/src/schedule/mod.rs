//! The scheduler: a pure state machine over the steps of a plan.
//!
//! A driver (the in-process engine, the ledger of many agents, a distributed backend) tells it what
//! happened with [`Schedule::apply`] and gets back what follows. It knows no clock, no concurrency limit
//! and no executor: *when* a ready step is started, and by whom, is the driver's business; *which* steps
//! are ready, held back or done is decided here and nowhere else.
//!
//! Applying is total: an event that is illegal in the state it meets changes nothing and is returned as
//! [`Rejected`] with the reason.
//!
//! Cost: every edge is looked at a constant number of times over the life of a schedule.

mod again;
mod event;
mod graph;
mod node;
mod status;

#[cfg(test)]
mod tests;

pub use event::{Action, Event, Halt, Outcome, Rejected};
pub use node::NodeSpec;
pub use status::{Because, Status};

use std::collections::BTreeSet;

use crate::StepIndex;
use graph::Dependents;
use node::{Node, Phase, State};

/// How a schedule reacts to failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// After the first failure that stops its dependents, start nothing but `finally` steps.
    pub fail_fast: bool,
}

/// The state of all steps of one run.
#[derive(Debug, Clone)]
pub struct Schedule {
    options: ScheduleOptions,
    nodes: Vec<Node>,
    dependents: Dependents,
    ready: BTreeSet<StepIndex>,
    phase: Phase,
    halt: Option<Halt>,
    /// Nodes of the current phase that may still start or finish.
    open: [usize; 2],
    /// Nodes that are being worked on, by phase.
    running: [usize; 2],
    /// Phases in which everything that a halt keeps from starting was closed already.
    swept: [bool; 2],
    finished: Option<Outcome>,
}

impl Schedule {
    /// A schedule over `specs`; needs point into the same list and must be free of cycles.
    ///
    /// # Panics
    /// When a need lies outside of the list: plans are checked before they are scheduled.
    #[must_use]
    pub fn new(specs: Vec<NodeSpec>, options: ScheduleOptions) -> Self {
        let dependents = Dependents::of(&specs);
        let mut open = [0, 0];
        let nodes: Vec<Node> = specs
            .into_iter()
            .map(|spec| {
                open[usize::from(spec.finally)] += 1;
                Node::new(spec)
            })
            .collect();
        let mut schedule = Self {
            options,
            nodes,
            dependents,
            ready: BTreeSet::new(),
            phase: Phase::Main,
            halt: None,
            open,
            running: [0, 0],
            swept: [false, false],
            finished: None,
        };
        schedule.count_needs();
        schedule
    }

    /// Starts the schedule: the actions name the first ready steps. A second call changes nothing.
    pub fn begin(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        for at in 0..self.nodes.len() {
            let step = StepIndex::new(at);
            if !self.nodes[at].spec.finally {
                self.make_ready_if_due(step, &mut actions);
            }
        }
        self.advance(&mut actions);
        actions
    }

    /// Takes in what happened and says what follows.
    ///
    /// # Errors
    /// When the event is illegal in the present state; nothing has changed then.
    pub fn apply(&mut self, event: Event) -> Result<Vec<Action>, Rejected> {
        if let Some(step) = event.step()
            && step.index() >= self.nodes.len()
        {
            return Err(Rejected::UnknownStep { step });
        }
        let mut actions = Vec::new();
        match event {
            Event::Started { step } => self.started(step)?,
            Event::Completed { step, attempt } => self.completed(step, attempt, &mut actions)?,
            Event::Failed {
                step,
                attempt,
                retryable,
            } => self.failed(step, attempt, retryable, &mut actions)?,
            Event::Skipped { step } => self.skipped(step, &mut actions)?,
            Event::FannedOut {
                step,
                attempt,
                count,
            } => self.fanned_out(step, attempt, count, &mut actions)?,
            Event::RetryDue { step } => self.retry_due(step, &mut actions)?,
            Event::Released { step, attempt } => self.released(step, attempt, &mut actions)?,
            Event::PushedBack { step } => self.pushed_back(step, &mut actions)?,
            Event::Halted(halt) => self.halted(halt),
        }
        self.advance(&mut actions);
        Ok(actions)
    }

    /// The steps that may start now, lowest index first.
    pub fn ready(&self) -> impl Iterator<Item = StepIndex> + '_ {
        self.ready.iter().copied()
    }

    /// The lowest step that may start now.
    #[must_use]
    pub fn next_ready(&self) -> Option<StepIndex> {
        self.ready.first().copied()
    }

    /// The status of `step`.
    #[must_use]
    pub fn status(&self, step: StepIndex) -> Status {
        self.nodes[step.index()].status()
    }

    /// Why `step` is blocked, if it is.
    #[must_use]
    pub fn because(&self, step: StepIndex) -> Option<Because> {
        self.nodes[step.index()].because()
    }

    /// The number of the present or last attempt of `step`; 0 before the first.
    #[must_use]
    pub fn attempt(&self, step: StepIndex) -> u32 {
        self.nodes[step.index()].attempt
    }

    /// For an instance made by a fan-out: the step it belongs to and its place in the list.
    #[must_use]
    pub fn origin(&self, step: StepIndex) -> Option<(StepIndex, u32)> {
        self.nodes[step.index()].origin
    }

    /// How many steps there are now, instances of fan-outs included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no steps at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How it ended, once nothing can happen any more.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.finished
    }

    /// Whether something made it start nothing more but `finally` steps, or not even those.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.halt.is_some()
    }

    fn node(&mut self, step: StepIndex) -> &mut Node {
        &mut self.nodes[step.index()]
    }

    /// Counts, for each node, the needs it has to wait for. A `finally` step waits for the other steps as
    /// a whole, so only its needs among `finally` steps count.
    fn count_needs(&mut self) {
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            let waits =
                |need: &StepIndex| !node.spec.finally || self.nodes[need.index()].spec.finally;
            let waiting = node.waits_on().filter(waits).count();
            self.nodes[at].waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        }
    }

    // ---- events -------------------------------------------------------------------------------------

    fn started(&mut self, step: StepIndex) -> Result<(), Rejected> {
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

    fn completed(
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

    fn failed(
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
    fn skipped(&mut self, step: StepIndex, actions: &mut Vec<Action>) -> Result<(), Rejected> {
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

    fn fanned_out(
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

    fn retry_due(&mut self, step: StepIndex, actions: &mut Vec<Action>) -> Result<(), Rejected> {
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

    fn halted(&mut self, halt: Halt) {
        self.halt = self.halt.max(Some(halt));
    }

    // ---- consequences -------------------------------------------------------------------------------

    /// Refuses reports about anything but the attempt that is running.
    fn check_attempt(&self, step: StepIndex, attempt: u32) -> Result<(), Rejected> {
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

    fn stop_running(&mut self, step: StepIndex) {
        let phase = self.nodes[step.index()].phase_index();
        self.running[phase] -= 1;
    }

    /// Gives `step` its last state and tells those who wait for it.
    fn close(&mut self, step: StepIndex, state: State, actions: &mut Vec<Action>) {
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
            actions.push(Action::Gathered {
                step: parent,
                failed,
            });
            self.close(parent, state, actions);
        }
    }

    /// `step` ended: those who need it go on, or are held back where it `stops` them; those who only wait for its end
    /// go on.
    fn tell_dependents(&mut self, step: StepIndex, stops: bool, actions: &mut Vec<Action>) {
        if stops {
            self.hold_back_dependents(step, actions);
        }
        self.release_dependents(step, stops, actions);
    }

    /// `ended` no longer stands in the way: those who waited for it alone become ready; only those who wait for no more
    /// than its end, if it `stops` the others. A skipped step stands aside only when its own needs are satisfied, so
    /// that dependents inherit them.
    fn release_dependents(&mut self, ended: StepIndex, stops: bool, actions: &mut Vec<Action>) {
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
    fn hold_back_dependents(&mut self, failed: StepIndex, actions: &mut Vec<Action>) {
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
    fn hold_back(&mut self, step: StepIndex, by: StepIndex, actions: &mut Vec<Action>) -> bool {
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
    fn is_after(&self, dependent: StepIndex, step: StepIndex) -> bool {
        self.nodes[dependent.index()].spec.after.contains(&step)
    }

    fn waits_for(&self, dependent: StepIndex, need: StepIndex) -> bool {
        let finally = |step: StepIndex| self.nodes[step.index()].spec.finally;
        !finally(dependent) || finally(need)
    }

    fn make_ready_if_due(&mut self, step: StepIndex, actions: &mut Vec<Action>) {
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
    fn is_halted_for(&self, step: StepIndex) -> bool {
        match self.halt {
            None => false,
            Some(Halt::Kill) => true,
            Some(Halt::FailFast | Halt::Cancel) => !self.nodes[step.index()].spec.finally,
        }
    }

    /// Moves on to `finally` steps and to the end when a phase has nothing left to do.
    fn advance(&mut self, actions: &mut Vec<Action>) {
        if self.finished.is_some() {
            return;
        }
        loop {
            let phase = self.phase;
            if self.halts(phase) && !self.swept[phase.index()] {
                self.swept[phase.index()] = true;
                self.close_what_never_starts(phase, actions);
            }
            if self.open[phase.index()] > 0 || self.running[phase.index()] > 0 {
                return;
            }
            match phase {
                Phase::Main => {
                    self.phase = Phase::Finally;
                    for at in 0..self.nodes.len() {
                        self.make_ready_if_due(StepIndex::new(at), actions);
                    }
                }
                Phase::Finally => {
                    let outcome = self.conclude();
                    self.finished = Some(outcome);
                    actions.push(Action::Finished { outcome });
                    return;
                }
            }
        }
    }

    fn halts(&self, phase: Phase) -> bool {
        match self.halt {
            None => false,
            Some(Halt::Kill) => true,
            Some(_) => phase == Phase::Main,
        }
    }

    /// After a halt, what has not started stays undone; what was to be tried again has failed.
    fn close_what_never_starts(&mut self, phase: Phase, actions: &mut Vec<Action>) {
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
            self.open[phase.index()] -= 1;
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
        self.open[phase.index()] -= 1;
        actions.push(Action::Gathered {
            step: parent,
            failed: true,
        });
    }

    fn conclude(&self) -> Outcome {
        let failed = |node: &&Node| node.state == State::Failed && node.origin.is_none();
        if matches!(self.halt, Some(Halt::Cancel | Halt::Kill)) {
            Outcome::Cancelled
        } else if self
            .nodes
            .iter()
            .filter(failed)
            .any(|node| !node.spec.continue_on_failure)
        {
            Outcome::Failed
        } else if self.halt.is_some()
            && self
                .nodes
                .iter()
                .any(|node| node.state == State::NotStarted)
        {
            // Nothing of its own made it halt: it is part of something that did.
            Outcome::Cancelled
        } else if self.nodes.iter().any(|node| failed(&node)) {
            Outcome::Partial
        } else {
            Outcome::Completed
        }
    }
}
