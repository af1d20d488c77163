//! Result of a notebook edit.

use serde::Serialize;

use crate::{Changes, EditMode};

/// Result of a notebook edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotebookChange {
    /// Revision before the edit.
    pub before: u64,
    /// Revision afterwards; equal to `before` if nothing changed.
    pub revision: u64,
    /// True for a preview.
    pub dry_run: bool,
    /// Changes made or, for a preview, to be made.
    #[serde(flatten)]
    pub changes: Changes,
}

impl NotebookChange {
    /// Creates the result of an edit from revision `before` to `revision`.
    pub(crate) fn new(before: u64, revision: u64, changes: Changes, mode: EditMode) -> Self {
        Self {
            before,
            revision,
            dry_run: mode == EditMode::DryRun,
            changes,
        }
    }
}
