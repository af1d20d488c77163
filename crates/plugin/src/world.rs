use std::fmt;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{Basis, StepError};
use windlass_repo::Snapshot;

/// Access that plugins have in one run.
///
/// A plugin has no clock, random numbers or files of its own, so this is all there is.
pub trait World: Send + Sync {
    /// Creates the access for one attempt.
    ///
    /// If it's `recorded`, the attempt's queries are recorded for [`Reach::basis`].
    fn reach(&self, recorded: bool) -> Box<dyn Reach>;

    /// Start time of the run, in milliseconds since 1970-01-01 UTC.
    fn run_began(&self) -> u64;

    /// The seed for the run's random numbers. With the same seed, plugins get the same numbers.
    fn seed(&self) -> [u8; 32];
}

/// The files and anchors that one attempt can access.
pub trait Reach: Send + Sync {
    /// The files in the state of the run.
    fn snapshot(&self) -> &Snapshot;

    /// Queries anchors in the notebook.
    ///
    /// The query has the form of an `anchors` step's input, and the result that of its output.
    ///
    /// # Errors
    /// Returns the errors of such a step.
    fn anchors(&self, query: &Value, cancel: &Cancel) -> Result<Value, StepError>;

    /// Everything that the attempt's answers depend on. It's `Unknown` if that isn't recorded.
    fn basis(&self) -> Basis;
}

impl fmt::Debug for dyn World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}
