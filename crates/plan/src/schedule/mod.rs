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

mod advance;
mod dependents;
mod event_handlers;
mod followers;
mod redo;
mod schedule_event;
mod schedule_node;
mod schedule_phases;
mod step_status;

#[cfg(test)]
mod tests;

pub use schedule_event::{Action, Event, Halt, Outcome, Rejected};
pub use schedule_node::NodeSpec;
pub use step_status::{Because, Status};

use crate::StepIndex;
use followers::Followers;

/// How a schedule reacts to failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// After the first failure that stops its dependents, start nothing but `finally` steps.
    pub fail_fast: bool,
}

/// The state of all steps of one run.
#[derive(Debug, Clone)]
pub struct Schedule {
    steps: Followers,
    finished: Option<Outcome>,
}

impl Schedule {
    /// A schedule over `specs`; needs point into the same list and must be free of cycles.
    ///
    /// # Panics
    /// When a need lies outside of the list: plans are checked before they are scheduled.
    #[must_use]
    pub fn new(specs: Vec<NodeSpec>, options: ScheduleOptions) -> Self {
        Self {
            steps: Followers::new(specs, options),
            finished: None,
        }
    }

    /// Starts the schedule: the actions name the first ready steps. A second call changes nothing.
    pub fn begin(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        for at in 0..self.steps.nodes.len() {
            let step = StepIndex::new(at);
            if !self.steps.nodes[at].spec.finally {
                self.steps.make_ready_if_due(step, &mut actions);
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
            && step.index() >= self.steps.nodes.len()
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
            Event::Halted(halt) => self.steps.phases.halted(halt),
        }
        self.advance(&mut actions);
        Ok(actions)
    }

    /// The steps that may start now, lowest index first.
    pub fn ready(&self) -> impl Iterator<Item = StepIndex> + '_ {
        self.steps.ready.iter().copied()
    }

    /// The lowest step that may start now.
    #[must_use]
    pub fn next_ready(&self) -> Option<StepIndex> {
        self.steps.ready.first().copied()
    }

    /// The status of `step`.
    #[must_use]
    pub fn status(&self, step: StepIndex) -> Status {
        self.steps.nodes[step.index()].status()
    }

    /// Why `step` is blocked, if it is.
    #[must_use]
    pub fn because(&self, step: StepIndex) -> Option<Because> {
        self.steps.nodes[step.index()].because()
    }

    /// The number of the present or last attempt of `step`; 0 before the first.
    #[must_use]
    pub fn attempt(&self, step: StepIndex) -> u32 {
        self.steps.nodes[step.index()].attempt
    }

    /// For an instance made by a fan-out: the step it belongs to and its place in the list.
    #[must_use]
    pub fn origin(&self, step: StepIndex) -> Option<(StepIndex, u32)> {
        self.steps.nodes[step.index()].origin
    }

    /// How many steps there are now, instances of fan-outs included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.nodes.len()
    }

    /// Whether there are no steps at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.nodes.is_empty()
    }

    /// How it ended, once nothing can happen any more.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.finished
    }

    /// Whether something made it start nothing more but `finally` steps, or not even those.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.steps.phases.halt().is_some()
    }
}
