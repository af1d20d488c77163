//! The notebook's interface to the runbook engine.

use windlass_plan::Catalog;
use windlass_repo::Snapshot;

use crate::{RunbookFile, RunbookShelf};

/// The notebook's view of the runbook engine.
///
/// The engine depends on this crate, and it is the one that manages plugins and trust. So the
/// caller has to pass us an implementation.
pub trait Runner: Send + Sync {
    /// All step kinds, including those of plugins.
    fn catalog(&self) -> Catalog;

    /// Explains why `runbook` of `shelf` must not start its programs. Returns `None` if the runbook
    /// is trusted or does not have any programs.
    fn why_untrusted(
        &self,
        shelf: &RunbookShelf,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Option<String>;
}
