use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use windlass_plan::StepIndex;

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// How many steps run at once.
    pub jobs: NonZeroUsize,
    /// Whether the first failure that stops its dependents stops the run.
    pub fail_fast: bool,
    /// The steps that are asked for; all if not said. What they need is not added to them.
    pub only: Option<BTreeSet<StepIndex>>,
    /// Time limit of an attempt for steps that name none.
    pub default_timeout: Duration,
    /// How long a step may take to end after it was asked to stop.
    pub grace: Duration,
    /// Largest output of a step, in bytes of compact JSON.
    pub max_output_bytes: usize,
}

impl RunOptions {
    /// `jobs` steps at once, going on after failures, with the standard limits: 10 minutes an attempt,
    /// 2 seconds of grace, 16 MiB of output.
    #[must_use]
    pub fn with_jobs(jobs: NonZeroUsize) -> Self {
        Self {
            jobs,
            fail_fast: false,
            only: None,
            default_timeout: Duration::from_secs(600),
            grace: Duration::from_secs(2),
            max_output_bytes: 16 << 20,
        }
    }
}
