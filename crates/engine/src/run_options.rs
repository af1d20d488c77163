use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use windlass_plan::StepIndex;

/// The default limit for the output of a step: 16 MiB of compact JSON. A step with a larger output
/// fails.
pub const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Limits and other settings of a run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The maximum number of concurrent steps.
    pub jobs: NonZeroUsize,
    /// If true, the run stops at the first failure not tolerated by the plan.
    pub fail_fast: bool,
    /// If this is set, only these steps run. All others are skipped, even if one of these needs
    /// them.
    pub only: Option<BTreeSet<StepIndex>>,
    /// The default time limit of an attempt.
    pub default_timeout: Duration,
    /// The time that a step gets to end on its own after it was asked to stop.
    pub grace: Duration,
    /// The limit for the output of a step, in bytes of compact JSON. Instances of a fan-out share
    /// this limit.
    pub max_output_bytes: usize,
    /// The limit for the values inserted into a step's input by references, in bytes of compact
    /// JSON.
    pub max_input_bytes: usize,
    /// The maximum number of instances of a fan-out.
    pub max_instances: usize,
    /// The limit for the memory of a run's outputs and instances, in bytes as estimated by
    /// [`windlass_base::memory_of`]. Nested runs count too, even those that have ended.
    pub max_run_memory: usize,
}

impl RunOptions {
    /// Returns the defaults, with `jobs` concurrent steps: no `fail_fast`, 10 minutes per attempt,
    /// 2 seconds of grace, 16 MiB of output and 32 MiB of input per step, 100,000 instances per
    /// fan-out, and 1 GiB of memory.
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
