use std::fmt;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{Basis, StepError};
use windlass_repo::Snapshot;

/// What plugins may reach in one run. All of it is handed in: a plugin knows nothing of clock, chance and files.
pub trait World: Send + Sync {
    /// What one attempt may reach. What it asks for is noted if `recorded`.
    fn reach(&self, recorded: bool) -> Box<dyn Reach>;

    /// When the run began, in milliseconds since 1970-01-01 in UTC.
    fn run_began(&self) -> u64;

    /// What random numbers of the run are made from.
    fn seed(&self) -> [u8; 32];
}

/// What one attempt may reach.
pub trait Reach: Send + Sync {
    /// The files, in the one state that the run sees.
    fn snapshot(&self) -> &Snapshot;

    /// Anchors of the notebook, as the step `anchors` takes and gives them.
    ///
    /// # Errors
    /// As that step.
    fn anchors(&self, query: &Value, cancel: &Cancel) -> Result<Value, StepError>;

    /// What was asked for.
    fn basis(&self) -> Basis;
}

impl fmt::Debug for dyn World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}
