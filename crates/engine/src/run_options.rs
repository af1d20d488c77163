use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use windlass_plan::StepIndex;

/// Default limit for a step's output, in bytes of compact JSON: 16 MiB.
pub const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Maximum number of concurrent steps.
    pub jobs: NonZeroUsize,
    /// True to stop the run at the first failure that its plan does not tolerate.
    pub fail_fast: bool,
    /// The steps to run, without the steps they need. `None` runs all steps.
    pub only: Option<BTreeSet<StepIndex>>,
    /// Default time limit of an attempt.
    pub default_timeout: Duration,
    /// Time for a step to end after we ask it to stop.
    pub grace: Duration,
    /// Maximum size of a step's output, in bytes of compact JSON. For a fan-out, the limit applies
    /// to all instances together.
    pub max_output_bytes: usize,
    /// Maximum size of referenced values in a step's input, in bytes of compact JSON.
    pub max_input_bytes: usize,
    /// Maximum number of instances of a fan-out.
    pub max_instances: usize,
    /// Maximum memory for all outputs and instances of a run, in bytes as estimated by
    /// [`windlass_base::memory_of`]. This includes nested runs, even completed ones.
    pub max_run_memory: usize,
}

impl RunOptions {
    /// Returns the default options for `jobs` concurrent steps. They continue after failures and
    /// allow 10 minutes per attempt and 2 seconds of grace. The limits are 16 MiB of output, 32 MiB
    /// of input, 100,000 instances per step and 1 GiB of memory.
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
