//! What the notebook asks of who runs runbooks.

use windlass_plan::Catalog;
use windlass_repo::Snapshot;

use crate::{RunbookFile, RunbookShelf};

/// Who runs runbooks, as far as the notebook asks: plugins and trust are kept elsewhere.
pub trait Runner: Send + Sync {
    /// The kinds of steps there are.
    fn catalog(&self) -> Catalog;

    /// Why `runbook`, of `shelf`, may not start its programs; nothing where it may, or starts none.
    fn why_untrusted(
        &self,
        shelf: &RunbookShelf,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Option<String>;
}
