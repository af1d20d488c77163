//! Outcomes of runs.

windlass_base::word_enum! {
    /// The outcome of a run, which determines the exit code.
    Ending, "outcome of a run" {
        /// All steps are done. Some evidence may still be stale, if the runbook only reports that.
        Done = "done",
        /// A step failed.
        Failed = "failed",
        /// A step needs a permission that was not granted.
        Refused = "refused",
        /// Some evidence is stale, and the runbook is strict about it.
        Stale = "stale",
        /// The user stopped the run.
        Cancelled = "cancelled",
    }
}
