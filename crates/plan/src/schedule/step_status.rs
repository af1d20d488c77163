use crate::StepIndex;

windlass_base::word_enum! {
    /// A step's status, shared by runbook runs and molecules.
    #[derive(Default)]
    Status, "step status" {
        /// Waiting for its needs.
        #[default]
        Pending = "pending",
        /// Unable to start: see [`Because`].
        Blocked = "blocked",
        /// May start.
        Ready = "ready",
        /// Running.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Given up.
        Failed = "failed",
        /// Skipped, by its condition or by hand. Dependents inherit its needs.
        Skipped = "skipped",
    }
}

/// Reasons why a step is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// A step that this one needs directly or indirectly has failed.
    Failed(StepIndex),
    /// The last attempt failed, and the next one has to wait.
    Retry,
    /// The run was halted before the step could start.
    Halted,
}
