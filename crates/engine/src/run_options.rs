use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use windlass_plan::StepIndex;

/// The largest output of a step, in bytes of compact JSON, where nobody says otherwise: 16 MiB.
pub const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// The way in which a plan is run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The number of steps that run at once.
    pub jobs: NonZeroUsize,
    /// True if the first failure that stops its dependents stops the run.
    pub fail_fast: bool,
    /// The steps that are asked for; all if not said. What they need is not added to them.
    pub only: Option<BTreeSet<StepIndex>>,
    /// Time limit of an attempt for steps that name none.
    pub default_timeout: Duration,
    /// The time that a step may take to end after it was asked to stop.
    pub grace: Duration,
    /// Largest output of a step, in bytes of compact JSON; of a fan-out, what its instances put out together.
    pub max_output_bytes: usize,
    /// The most that references bring into the input of a step, in bytes of compact JSON.
    pub max_input_bytes: usize,
    /// The most instances of one fan-out.
    pub max_instances: usize,
    /// The most that all steps of a run put out, and its instances take, in bytes of memory as
    /// [`windlass_base::memory_of`] estimates them: steps of runs inside of it count, whenever they end.
    pub max_run_memory: usize,
}

impl RunOptions {
    /// `jobs` steps at once, going on after failures, with the standard limits: 10 minutes an attempt,
    /// 2 seconds of grace, 16 MiB of output, 32 MiB of input, 100,000 instances of a step, 1 GiB in all.
    #[must_use]
    pub fn with_jobs(jobs: NonZeroUsize) -> Self {
        Self {
            jobs,
            fail_fast: false,
            only: None,
            default_timeout: Duration::from_secs(600),
            grace: Duration::from_secs(2),
            max_output_bytes: MAX_OUTPUT_BYTES,
            max_input_bytes: 32 << 20,
            max_instances: 100_000,
            max_run_memory: 1 << 30,
        }
    }
}
