//! Runbooks that the `runbook` step runs inside of another.

use std::sync::Arc;

use windlass_engine::{Step, StepError};
use windlass_plan::{Catalog, Plan};

use crate::review::CommandPermission;

/// A runbook that can be run inside another.
pub struct Nested {
    /// Its plan.
    pub plan: Arc<Plan>,
    /// Whether its own steps may start processes.
    pub commands: CommandPermission,
    /// The kinds of its steps, as it was checked against them.
    pub catalog: Catalog,
    /// Those of its kinds that are not built in, ready to run.
    pub kinds: Vec<Arc<dyn Step>>,
}

/// Where nested runbooks come from.
pub trait NestedRunbooks: Send + Sync {
    /// The runbook called `name`, checked. `has_inputs` says whether the caller gives it inputs: what a user
    /// trusted a runbook with by itself is not what another runbook makes of it.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError>;
}
