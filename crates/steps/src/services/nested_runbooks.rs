//! Runbooks that the `runbook` step runs inside another one.

use std::sync::Arc;

use windlass_engine::{Step, StepError};
use windlass_plan::{Catalog, Plan};

use crate::review::CommandPermission;

/// Runbook that can be run inside another.
pub struct Nested {
    /// The checked plan of the nested runbook.
    pub plan: Arc<Plan>,
    /// Permission of its own steps to start processes.
    pub commands: CommandPermission,
    /// Step kinds that it was checked against.
    pub catalog: Catalog,
    /// Step kinds that are not built in, ready to run.
    pub kinds: Vec<Arc<dyn Step>>,
}

/// Source of nested runbooks.
pub trait NestedRunbooks: Send + Sync {
    /// Loads and checks the runbook `name`. `has_inputs` is true if the caller passes inputs: trust in a
    /// runbook by itself does not cover them.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError>;
}
