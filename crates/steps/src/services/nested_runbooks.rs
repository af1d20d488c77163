//! Access to other runbooks for the `runbook` step.

use std::sync::Arc;

use windlass_engine::{Step, StepError};
use windlass_plan::{Catalog, Plan};

use crate::review::CommandPermission;

/// A runbook to run inside another one.
pub struct Nested {
    /// The checked plan.
    pub plan: Arc<Plan>,
    /// Says if this runbook's steps may start processes.
    pub commands: CommandPermission,
    /// The catalog against which `plan` was checked.
    pub catalog: Catalog,
    /// Step kinds that the plan uses in addition to the built-in ones, e.g. from plugins.
    pub kinds: Vec<Arc<dyn Step>>,
}

/// Finds nested runbooks.
///
/// The caller of a run implements this trait, so that this crate need not know where runbooks come
/// from.
pub trait NestedRunbooks: Send + Sync {
    /// Loads and checks the runbook `name`.
    ///
    /// `has_inputs` is true if the step passes inputs. The user's trust in the runbook doesn't
    /// cover those, since they may change what a program does.
    ///
    /// # Errors
    /// Returns an error for a missing or unusable runbook.
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError>;
}
