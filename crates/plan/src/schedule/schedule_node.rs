use super::schedule_phases::Phase;
use super::{Because, Rejected, Status};
use crate::{Retry, StepIndex};

/// What the scheduler must know of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeSpec {
    /// The steps it waits for, without duplicates.
    pub needs: Vec<StepIndex>,
    /// Steps that must have ended before it starts, failed or not, without duplicates; none of `needs` is among them.
    pub after: Vec<StepIndex>,
    /// When it is tried again.
    pub retry: Retry,
    /// Whether its dependents start even if it fails.
    pub continue_on_failure: bool,
    /// Whether it runs after all others, whatever became of them.
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
    /// Needs that are not yet satisfied.
    pub(super) waiting: u32,
    pub(super) attempt: u32,
    /// How many of the attempts do not count against those its policy allows: given back, or of an earlier generation.
    pub(super) spared: u32,
    /// Set for an instance of a fan-out: the step, and the place in its list.
    pub(super) origin: Option<(StepIndex, u32)>,
    /// Skipped by hand, and then a step it needed failed: its dependents wait in vain.
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

    /// An instance of this node, for a fan-out.
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

    /// The steps it waits for, in whichever way.
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

    /// Whether it may still start or finish.
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

    /// Refuses reports about anything but the attempt that is running.
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
