//! The scheduler, a pure state machine over the steps of a plan.
//!
//! A driver (the in-process engine, the ledger of many agents, a distributed backend) reports
//! events with [`Schedule::apply`] and gets back the resulting actions. The scheduler has no clock,
//! no concurrency limit and no executor. The driver decides *when* a ready step starts and who runs
//! it. The scheduler decides *which* steps are ready, held back or done.
//!
//! Applying an event never fails halfway: an illegal event changes nothing and is returned as
//! [`Rejected`], with the reason. In practice, that's often a late report of a worker whose attempt
//! was given to another.
//!
//! Each edge is visited a constant number of times during the life of a schedule, unless a step is
//! pushed back.

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

/// Settings for the reaction to failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// If true, the first failure that holds back dependents also keeps all other main steps from
    /// starting.
    pub fail_fast: bool,
}

/// The state of all steps in one run.
#[derive(Debug, Clone)]
pub struct Schedule {
    steps: Followers,
    finished: Option<Outcome>,
}

impl Schedule {
    /// Creates a schedule over `specs`. Needs are indices into the same list, and must be acyclic.
    ///
    /// # Panics
    /// Panics if a need is out of range. Plans are checked before they're scheduled, so this would
    /// be a bug in the caller.
    #[must_use]
    pub fn new(specs: Vec<NodeSpec>, options: ScheduleOptions) -> Self {
        Self {
            steps: Followers::new(specs, options),
            finished: None,
        }
    }

    /// Starts the schedule, and returns actions for the first ready steps.
    ///
    /// Calling it again does nothing.
    pub fn begin(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        for at in 0..self.steps.nodes.len() {
            let step = StepIndex::new(at);
            if !self.steps.nodes[at].spec.finally {
                self.steps.make_ready_if_due(step, &mut actions);
            }
        }
        // A schedule without steps is finished already.
        self.advance(&mut actions);
        actions
    }

    /// Applies an event, and returns the resulting actions.
    ///
    /// # Errors
    /// Returns an error if the event is illegal in the current state, which then stays the same.
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

    /// The ready steps in the order of the plan.
    pub fn ready(&self) -> impl Iterator<Item = StepIndex> + '_ {
        self.steps.ready.iter().copied()
    }

    /// The first of the [`ready`](Self::ready) steps.
    #[must_use]
    pub fn next_ready(&self) -> Option<StepIndex> {
        self.steps.ready.first().copied()
    }

    /// The status of a step or of an instance of a fan-out.
    #[must_use]
    pub fn status(&self, step: StepIndex) -> Status {
        self.steps.nodes[step.index()].status()
    }

    /// The reason why `step` is blocked. It's `None` for any other status.
    #[must_use]
    pub fn because(&self, step: StepIndex) -> Option<Because> {
        self.steps.nodes[step.index()].because()
    }

    /// The number of the current or last attempt, or 0 before the first.
    #[must_use]
    pub fn attempt(&self, step: StepIndex) -> u32 {
        self.steps.nodes[step.index()].attempt
    }

    /// The parent step and the index of the item, for an instance of a fan-out.
    #[must_use]
    pub fn origin(&self, step: StepIndex) -> Option<(StepIndex, u32)> {
        self.steps.nodes[step.index()].origin
    }

    /// The number of steps, including instances of fan-outs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.nodes.len()
    }

    /// True without any steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.nodes.is_empty()
    }

    /// The result, or `None` until the schedule has finished.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.finished
    }

    /// True after a halt. No main steps may start from then on, and depending on the halt, no
    /// `finally` steps either.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.steps.phases.halt().is_some()
    }
}
