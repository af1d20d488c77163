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
mod follow;
mod graph;
mod node;
mod phases;
mod status;
mod told;

#[cfg(test)]
mod tests;

pub use event::{Action, Event, Halt, Outcome, Rejected};
pub use node::NodeSpec;
pub use status::{Because, Status};

use std::collections::BTreeSet;

use crate::StepIndex;
use graph::Dependents;
use node::{Node, Phase};

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
}
