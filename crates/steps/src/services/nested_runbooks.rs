//! Interface to the runbooks that the `runbook` step runs.

use std::sync::Arc;

use windlass_engine::{Step, StepError};
use windlass_plan::{Catalog, Plan};

use crate::review::CommandPermission;

/// Runbook to run inside another one.
pub struct Nested {
    /// Checked plan.
    pub plan: Arc<Plan>,
    /// Permission for its own steps to start processes.
    pub commands: CommandPermission,
    /// Catalog of step kinds that the plan was checked against.
    pub catalog: Catalog,
    /// Step kinds that are not built in, ready to run.
    pub kinds: Vec<Arc<dyn Step>>,
}

/// Source of nested runbooks.
pub trait NestedRunbooks: Send + Sync {
    /// Loads and checks the runbook `name`. `has_inputs` is true if the caller passes inputs, which trust in the
    /// runbook alone does not cover.
    ///
    /// # Errors
    /// Returns an error if there is no such runbook, or if it cannot be used.
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError>;
}
