//! The notebook's interface to the runbook engine.

use windlass_plan::Catalog;
use windlass_repo::Snapshot;

use crate::{RunbookFile, RunbookShelf};

/// Parts of the runbook engine needed by the notebook. The engine manages plugins and trust and
/// depends on this crate, so the caller has to pass in an implementation.
pub trait Runner: Send + Sync {
    /// Returns all available step kinds.
    fn catalog(&self) -> Catalog;

    /// Returns the reason why `runbook` of `shelf` may not start its programs. Returns `None` if it
    /// may, or if it doesn't start any.
    fn why_untrusted(
        &self,
        shelf: &RunbookShelf,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Option<String>;
}
