use super::schedule_phases::Phase;
use super::{Because, Rejected, Status};
use crate::{Retry, StepIndex};

/// A step as the scheduler sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeSpec {
    /// Steps that must succeed first, without duplicates.
    pub needs: Vec<StepIndex>,
    /// Steps that must end first, successfully or not.
    ///
    /// There must be no duplicates, and none that are also in `needs`: both lists are counted.
    pub after: Vec<StepIndex>,
    /// The policy for further attempts after a failure.
    pub retry: Retry,
    /// If true, dependents start even if this step fails.
    pub continue_on_failure: bool,
    /// If true, the step runs after all others have ended, whether or not they failed.
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
    pub(super) waiting: u32,
    pub(super) attempt: u32,
    /// The number of attempts that do not count for the retry policy. They were released, or were
    /// made before the step was pushed back.
    pub(super) spared: u32,
    /// For an instance of a fan-out, its parent step and the index of its item.
    pub(super) origin: Option<(StepIndex, u32)>,
    /// The failed step that holds back our dependents, if this step was skipped by hand.
    ///
    /// For any other step, it is part of the state.
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

    /// Creates an instance for a fan-out. It has no needs, since its parent was already running.
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

    /// True if the step may still start or finish.
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

    /// Rejects a report about any attempt but the running one. A worker that was presumed dead may
    /// still report.
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
