//! Scheduler: a pure state machine over a plan's steps.
//!
//! A driver (the in-process engine, the ledger of many agents, a distributed backend) reports
//! events with [`Schedule::apply`] and receives the resulting actions. The scheduler has no clock,
//! no concurrency limit and no executor. It's up to the driver *when* to start a ready step, and
//! who runs it. Only the scheduler decides *which* steps are ready, held back or done.
//!
//! Applying an event never fails halfway. If it's illegal in the current state, nothing changes,
//! and we return it as [`Rejected`] with the reason.
//!
//! Cost: each edge is visited a constant number of times during the life of a schedule.

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

/// Options for reacting to failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// True to start only `finally` steps after the first failure that stops its dependents.
    pub fail_fast: bool,
}

/// The state of all steps in one run.
#[derive(Debug, Clone)]
pub struct Schedule {
    steps: Followers,
    finished: Option<Outcome>,
}

impl Schedule {
    /// Creates a schedule over `specs`. Needs are indices into the same list, and must not form
    /// cycles.
    ///
    /// # Panics
    /// Panics if a need is out of range. Plans are checked before they are scheduled, so this is a
    /// bug in the caller.
    #[must_use]
    pub fn new(specs: Vec<NodeSpec>, options: ScheduleOptions) -> Self {
        Self {
            steps: Followers::new(specs, options),
            finished: None,
        }
    }

    /// Starts the schedule. The returned actions name the first ready steps. A second call changes nothing.
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

    /// Applies an event and returns the resulting actions.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the event is illegal in the current state.
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

    /// Iterates over the steps that may start now, lowest index first.
    pub fn ready(&self) -> impl Iterator<Item = StepIndex> + '_ {
        self.steps.ready.iter().copied()
    }

    /// Returns the lowest-indexed step that may start now.
    #[must_use]
    pub fn next_ready(&self) -> Option<StepIndex> {
        self.steps.ready.first().copied()
    }

    /// Returns the status of `step`.
    #[must_use]
    pub fn status(&self, step: StepIndex) -> Status {
        self.steps.nodes[step.index()].status()
    }

    /// Returns the reason why `step` is blocked, if it is.
    #[must_use]
    pub fn because(&self, step: StepIndex) -> Option<Because> {
        self.steps.nodes[step.index()].because()
    }

    /// Returns the number of the current or last attempt of `step`, or 0 if there hasn't been any.
    #[must_use]
    pub fn attempt(&self, step: StepIndex) -> u32 {
        self.steps.nodes[step.index()].attempt
    }

    /// Returns an instance's fan-out step, and the instance's index in the list.
    #[must_use]
    pub fn origin(&self, step: StepIndex) -> Option<(StepIndex, u32)> {
        self.steps.nodes[step.index()].origin
    }

    /// Returns the number of steps, including instances of fan-outs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.nodes.len()
    }

    /// Returns true if there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.nodes.is_empty()
    }

    /// Returns the outcome, or `None` if the schedule hasn't finished.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.finished
    }

    /// Returns true after a halt, when only `finally` steps may start, or none at all.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.steps.phases.halt().is_some()
    }
}
