//! Interface through which the notebook uses the runbook engine.

use windlass_plan::Catalog;
use windlass_repo::Snapshot;

use crate::{RunbookFile, RunbookShelf};

/// Parts of the runbook engine that the notebook needs. The engine manages plugins and trust, and it depends on this
/// crate, so the caller passes in an implementation.
pub trait Runner: Send + Sync {
    /// Returns all available step kinds.
    fn catalog(&self) -> Catalog;

    /// Returns the reason why `runbook` of `shelf` may not start its programs. Returns `None` if it may start them or
    /// starts none.
    fn why_untrusted(
        &self,
        shelf: &RunbookShelf,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Option<String>;
}
