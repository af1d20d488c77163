//! Interface of the notebook to the runbook engine.

use windlass_plan::Catalog;
use windlass_repo::Snapshot;

use crate::{RunbookFile, RunbookShelf};

/// Runbook engine, as far as the notebook needs it: plugins and trust are stored elsewhere.
pub trait Runner: Send + Sync {
    /// Returns the available step kinds.
    fn catalog(&self) -> Catalog;

    /// Returns the reason why `runbook` of `shelf` may not start its programs, or `None` if it may or starts
    /// none.
    fn why_untrusted(
        &self,
        shelf: &RunbookShelf,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Option<String>;
}
