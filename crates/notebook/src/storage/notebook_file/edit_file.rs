//! Edits the notebook file. The whole file is read, changed and written under its lock.

use super::NotebookFile;
use crate::storage::damage::Damage;
use crate::storage::edit_mode::EditMode;
use crate::storage::notebook_document::Parsed;
use crate::storage::noted_changes::Changes;
use crate::storage::rewriting::Standing;
use crate::{NotebookEdit, NotebookError, Writer};

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited<T> {
    /// The value returned by the change.
    pub answer: T,
    /// The revision before the edit.
    pub before: u64,
    /// The revision after the edit. It equals `before` if nothing changed or if the edit was a
    /// preview.
    pub revision: u64,
    /// Names of the changed entries.
    pub changes: Changes,
    /// The damaged file, if one was moved aside.
    pub set_aside: Option<Damage>,
}

impl NotebookFile {
    /// Reads the notebook, lets `change` edit it, and writes it back, all while holding the lock.
    /// If nothing changed, nothing is written.
    ///
    /// The former revision is stored in the history, within the default limits.
    ///
    /// # Errors
    /// Returns an error in the cases of [`NotebookFile::read`], if `change` fails, if the lock
    /// isn't free in time, or if writing fails. Nothing changes then.
    pub fn edit<T, E: From<NotebookError>>(
        &self,
        writer: &Writer,
        mode: EditMode,
        change: impl FnOnce(&mut NotebookEdit<'_>) -> Result<T, E>,
    ) -> Result<Edited<T>, E> {
        let _guard = self.at.begin(mode)?;
        let text = self.at.text()?;
        let parsed = text
            .as_deref()
            .map(|text| self.at.owned(text))
            .transpose()?;
        // A damaged notebook can still be edited. We note that some of its entries may be missing.
        let (mut edit, is_broken) = match parsed {
            Some(Parsed { document, lost }) if lost.is_empty() => {
                (NotebookEdit::from(document), false)
            }
            Some(Parsed { document, .. }) => (NotebookEdit::from(document).in_part(), true),
            None => (NotebookEdit::default(), false),
        };
        let answer = change(&mut edit)?;
        let before = edit.revision();
        if !edit.is_changed() || mode == EditMode::DryRun {
            return Ok(Edited {
                answer,
                before,
                revision: before,
                changes: edit.changes().clone(),
                set_aside: None,
            });
        }
        let state = match &text {
            None => Standing::Missing,
            Some(_) if is_broken => {
                // The new file will count as complete, and an export would take the lost anchors
                // for deleted ones. So drop their marks first.
                edit.forget_lost();
                Standing::Broken
            }
            Some(text) => Standing::Whole(text),
        };
        let (revision, set_aside) = self.at.replace(&edit, state, writer, None)?;
        Ok(Edited {
            answer,
            before,
            revision,
            changes: edit.changes().clone(),
            set_aside,
        })
    }
}
