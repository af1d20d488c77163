use super::schedule_phases::Phase;
use super::{Because, Rejected, Status};
use crate::{Retry, StepIndex};

/// A step as used by the scheduler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeSpec {
    /// Steps that must succeed first, without duplicates.
    pub needs: Vec<StepIndex>,
    /// Steps that must end first, successfully or not. There are no duplicates, and none of them
    /// are in `needs`.
    pub after: Vec<StepIndex>,
    /// The step's retry policy.
    pub retry: Retry,
    /// True if dependents start even if this step fails.
    pub continue_on_failure: bool,
    /// True if the step runs after all others, whether or not they succeed.
    pub finally: bool,
}

impl NodeSpec {
    pub(super) fn waits_on(&self) -> impl Iterator<Item = StepIndex> + '_ {
        self.needs.iter().chain(&self.after).copied()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    Ready,
    Running,
    FannedOut { open: u32, failed: bool },
    WaitingForRetry,
    Completed,
    Failed,
    Skipped,
    HeldBack { by: StepIndex },
    NotStarted,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) spec: NodeSpec,
    pub(super) state: State,
    /// Number of needs that haven't ended.
    pub(super) waiting: u32,
    pub(super) attempt: u32,
    /// Number of attempts that don't count against the retry policy. They were released or belong
    /// to an earlier generation.
    pub(super) spared: u32,
    /// For an instance of a fan-out, the fan-out step and the instance's index in the list.
    pub(super) origin: Option<(StepIndex, u32)>,
    /// The failed step because of which this step's dependents can never start. Only set if this
    /// step was skipped by hand and one of its needs failed.
    pub(super) held_by: Option<StepIndex>,
}

impl Node {
    pub(super) fn new(spec: NodeSpec) -> Self {
        Self {
            spec,
            state: State::Pending,
            waiting: 0,
            attempt: 0,
            spared: 0,
            origin: None,
            held_by: None,
        }
    }

    /// Creates an instance of this node for a fan-out.
    pub(super) fn instance(&self, parent: StepIndex, ordinal: u32) -> Self {
        let spec = NodeSpec {
            needs: Vec::new(),
            after: Vec::new(),
            ..self.spec.clone()
        };
        Self {
            origin: Some((parent, ordinal)),
            ..Self::new(spec)
        }
    }

    /// Iterates over the steps this one waits for, through `needs` or `after`.
    pub(super) fn waits_on(&self) -> impl Iterator<Item = StepIndex> + '_ {
        self.spec.waits_on()
    }

    pub(super) fn phase(&self) -> Phase {
        if self.spec.finally {
            Phase::Finally
        } else {
            Phase::Main
        }
    }

    /// Returns true if the step may still start or finish.
    pub(super) fn is_open(&self) -> bool {
        matches!(
            self.state,
            State::Pending
                | State::Ready
                | State::Running
                | State::FannedOut { .. }
                | State::WaitingForRetry
        )
    }

    /// Rejects a report unless it's about the running attempt.
    pub(super) fn check_attempt(&self, step: StepIndex, attempt: u32) -> Result<(), Rejected> {
        if self.state != State::Running {
            return Err(Rejected::NotRunning {
                step,
                status: self.status(),
            });
        }
        if self.attempt != attempt {
            return Err(Rejected::StaleAttempt {
                step,
                attempt,
                current: self.attempt,
            });
        }
        Ok(())
    }

    pub(super) fn status(&self) -> Status {
        match self.state {
            State::Pending => Status::Pending,
            State::Ready => Status::Ready,
            State::Running | State::FannedOut { .. } => Status::InProgress,
            State::WaitingForRetry | State::HeldBack { .. } | State::NotStarted => Status::Blocked,
            State::Completed => Status::Completed,
            State::Failed => Status::Failed,
            State::Skipped => Status::Skipped,
        }
    }

    pub(super) fn because(&self) -> Option<Because> {
        match self.state {
            State::HeldBack { by } => Some(Because::Failed(by)),
            State::WaitingForRetry => Some(Because::Retry),
            State::NotStarted => Some(Because::Halted),
            _ => None,
        }
    }
}
