//! Interface to the runbooks run by the `runbook` step.

use std::sync::Arc;

use windlass_engine::{Step, StepError};
use windlass_plan::{Catalog, Plan};

use crate::review::CommandPermission;

/// A runbook to run inside another one.
pub struct Nested {
    /// The checked plan.
    pub plan: Arc<Plan>,
    /// Permission for its own steps to start processes.
    pub commands: CommandPermission,
    /// The catalog of step kinds used for checking the plan.
    pub catalog: Catalog,
    /// Step kinds that aren't built in, ready to run.
    pub kinds: Vec<Arc<dyn Step>>,
}

/// Provides nested runbooks.
pub trait NestedRunbooks: Send + Sync {
    /// Loads and checks the runbook `name`. `has_inputs` is true if the caller passes inputs, which
    /// trust in the runbook alone doesn't cover.
    ///
    /// # Errors
    /// Returns an error if there is no such runbook, or if it cannot be used.
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError>;
}
