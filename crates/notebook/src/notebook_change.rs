//! Reports the result of a notebook edit.

use serde::Serialize;

use crate::{Changes, EditMode};

/// The result of a notebook edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotebookChange {
    /// The revision before the edit.
    pub before: u64,
    /// The revision after the edit. It equals `before` if nothing changed.
    pub revision: u64,
    /// True if this is a preview.
    pub dry_run: bool,
    /// Changes made, or that a preview would make.
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
