use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use windlass_plan::StepIndex;

/// Default maximum output of a step, in bytes of compact JSON: 16 MiB.
pub const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Maximum number of concurrent steps.
    pub jobs: NonZeroUsize,
    /// Stop the run at the first failure that stops its dependents.
    pub fail_fast: bool,
    /// Steps to run, without their needs; `None` for all.
    pub only: Option<BTreeSet<StepIndex>>,
    /// Default time limit of an attempt.
    pub default_timeout: Duration,
    /// Time for a step to end after it was asked to stop.
    pub grace: Duration,
    /// Maximum output of a step, in bytes of compact JSON; for a fan-out, of its instances together.
    pub max_output_bytes: usize,
    /// Maximum size of referenced values in the input of a step, in bytes of compact JSON.
    pub max_input_bytes: usize,
    /// Maximum number of instances of a fan-out.
    pub max_instances: usize,
    /// Maximum memory of all outputs and instances of a run, in bytes as [`windlass_base::memory_of`] estimates
    /// them; includes nested runs, even completed ones.
    pub max_run_memory: usize,
}

impl RunOptions {
    /// Returns the default options for `jobs` concurrent steps: continue after failures, 10 minutes an attempt,
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
