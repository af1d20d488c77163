//! Changing the notebook: read, worked on, and written back as a whole, under its lock.

use super::NotebookFile;
use crate::storage::damage::Damage;
use crate::storage::edit_mode::EditMode;
use crate::storage::noted_changes::Changes;
use crate::storage::parsed_notebook::Parsed;
use crate::storage::rewriting::Standing;
use crate::{NotebookEdit, NotebookError, Writer};

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited<T> {
    /// What the change answered.
    pub answer: T,
    /// The revision before.
    pub before: u64,
    /// The revision now; the same where nothing changed.
    pub revision: u64,
    /// What changed.
    pub changes: Changes,
    /// What had to be set aside.
    pub set_aside: Option<Damage>,
}

impl NotebookFile {
    /// Changes it: reads, lets `change` work on it, and writes it back as a whole, under the lock. Where nothing
    /// is changed, nothing is written.
    ///
    /// What it was before is kept in the history, within the limits that hold without being asked.
    ///
    /// # Errors
    /// As [`NotebookFile::read`]; what `change` answers; when the lock is held too long, or the file cannot
    /// be written. Nothing has changed then.
    pub fn edit<T, E: From<NotebookError>>(
        &self,
        writer: &Writer,
        mode: EditMode,
        change: impl FnOnce(&mut NotebookEdit<'_>) -> Result<T, E>,
    ) -> Result<Edited<T>, E> {
        let _guard = self.at.begin(writer, mode)?;
        let text = self.at.text()?;
        let parsed = text
            .as_deref()
            .map(|text| self.at.owned(text))
            .transpose()?;
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
                // From now on it counts as whole.
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
