use std::fmt;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{Basis, StepError};
use windlass_repo::Snapshot;

/// Access of plugins to the world in one run. Everything is passed in: plugins have no clock, random numbers
/// or files of their own.
pub trait World: Send + Sync {
    /// Returns the access of one attempt; its queries are recorded if `recorded`.
    fn reach(&self, recorded: bool) -> Box<dyn Reach>;

    /// Returns the start time of the run, in milliseconds since 1970-01-01 UTC.
    fn run_began(&self) -> u64;

    /// Returns the seed of the run's random numbers.
    fn seed(&self) -> [u8; 32];
}

/// Access of one attempt.
pub trait Reach: Send + Sync {
    /// Returns the files, in the state that the run sees.
    fn snapshot(&self) -> &Snapshot;

    /// Returns anchors of the notebook, with input and output of the step `anchors`.
    ///
    /// # Errors
    /// Like that step.
    fn anchors(&self, query: &Value, cancel: &Cancel) -> Result<Value, StepError>;

    /// Returns the recorded queries.
    fn basis(&self) -> Basis;
}

impl fmt::Debug for dyn World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}
