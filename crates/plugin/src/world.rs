use std::fmt;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{Basis, StepError};
use windlass_repo::Snapshot;

/// Everything plugins can access in one run. Plugins have no clock, random numbers or files of
/// their own.
pub trait World: Send + Sync {
    /// Returns the access for one attempt, which records its queries if `recorded` is true.
    fn reach(&self, recorded: bool) -> Box<dyn Reach>;

    /// Returns the start time of the run, in milliseconds since 1970-01-01 UTC.
    fn run_began(&self) -> u64;

    /// Returns the seed for the run's random numbers.
    fn seed(&self) -> [u8; 32];
}

/// Files and anchors accessible to one attempt.
pub trait Reach: Send + Sync {
    /// Returns the files in the state seen by the run.
    fn snapshot(&self) -> &Snapshot;

    /// Returns anchors from the notebook. The query and the result have the form of an `anchors`
    /// step's input and output.
    ///
    /// # Errors
    /// Returns the same errors as that step.
    fn anchors(&self, query: &Value, cancel: &Cancel) -> Result<Value, StepError>;

    /// Returns the recorded queries.
    fn basis(&self) -> Basis;
}

impl fmt::Debug for dyn World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}
