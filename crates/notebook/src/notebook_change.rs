//! Reports the result of a notebook edit.

use serde::Serialize;

use crate::{Changes, EditMode};

/// Result of an edit, or of its preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotebookChange {
    /// Revision before the edit.
    pub before: u64,
    /// Revision after the edit. If nothing has changed, it is the same as `before`.
    pub revision: u64,
    /// True for a preview.
    pub dry_run: bool,
    /// The changes made by the edit. In a preview, these are the changes it would make.
    #[serde(flatten)]
    pub changes: Changes,
}

impl NotebookChange {
    pub(crate) fn new(before: u64, revision: u64, changes: Changes, mode: EditMode) -> Self {
        Self {
            before,
            revision,
            dry_run: mode == EditMode::DryRun,
            changes,
        }
    }
}
