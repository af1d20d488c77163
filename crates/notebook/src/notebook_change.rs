//! What was done to the notebook.

use serde::Serialize;

use crate::{Changes, EditMode};

/// What was done to the notebook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotebookChange {
    /// The revision before.
    pub before: u64,
    /// The revision now; the same where nothing changed.
    pub revision: u64,
    /// Whether it was only looked at.
    pub dry_run: bool,
    /// What changed, or would.
    #[serde(flatten)]
    pub changes: Changes,
}

impl NotebookChange {
    /// That of revision `before` to `revision`.
    pub(crate) fn new(before: u64, revision: u64, changes: Changes, mode: EditMode) -> Self {
        Self {
            before,
            revision,
            dry_run: mode == EditMode::DryRun,
            changes,
        }
    }
}
