//! Writes the notebook under its lock, after storing the former revision in the history.
//!
//! The order of the steps matters. At any point, a crash must leave either the old or the new
//! revision as the notebook.

use windlass_store::{Durability, Lock, LockGuard, keep_file, read_versioned, write_atomic};

use super::damage::Damage;
use super::edit_mode::EditMode;
use super::notebook_document::{SCHEMA_VERSION, head};
use super::notebook_limits::{HEAD_BYTES, MAX_BYTES};
use super::notebook_place::NotebookPlace;
use super::noted_changes::Written;
use super::parsed_notebook::parse;
use super::superseded::History;
use crate::{HistoryLimits, NotebookEdit, NotebookError, Writer};

#[derive(Clone, Copy)]
pub(super) enum Standing<'a> {
    Missing,
    /// The file as a whole is not valid JSON, so it cannot be stored as a revision.
    Broken,
    Whole(&'a [u8]),
}

impl NotebookPlace {
    /// Checks that the notebook may be changed, and takes the lock. Previews do not need the lock,
    /// since they do not write.
    pub(super) fn begin(&self, mode: EditMode) -> Result<Option<LockGuard>, NotebookError> {
        if !self.enabled {
            return Err(NotebookError::SwitchedOff);
        }
        let path = self.place.with_extension("lock");
        let take = || Lock::acquire(&path, &self.lock);
        Ok((mode == EditMode::Write).then(take).transpose()?)
    }

    /// Stores the former revision in the history and writes the result of `edit`.
    ///
    /// Returns the number of the new revision, along with the damaged file if one was moved aside.
    pub(super) fn replace(
        &self,
        edit: &NotebookEdit<'_>,
        state: Standing<'_>,
        writer: &Writer,
        rolled_back_to: Option<u64>,
    ) -> Result<(u64, Option<Damage>), NotebookError> {
        let history = History::of(&self.place);
        let strangers = match state {
            Standing::Missing => self.set_strangers_aside()?,
            Standing::Broken | Standing::Whole(_) => None,
        };
        let snapshots = history.snapshots()?;
        let newest = snapshots.last().map_or(0, |snapshot| snapshot.revision);
        let (before, set_aside) = match state {
            // A number must never be used twice, even if the file was deleted. So continue after
            // the newest revision in the history.
            Standing::Missing => (newest.max(edit.revision()), strangers),
            Standing::Broken => (newest.max(edit.revision()), Some(self.put_aside()?)),
            Standing::Whole(text) => (self.keep(text, &history, newest)?, None),
        };
        let revision = before + 1;
        let written = Written {
            handed_over: edit.has_seen_more(),
            ..Written::of(writer, edit.changes(), rolled_back_to)
        };
        let text = edit.to_text(&*self.repo, revision, &written)?;
        let bytes = text.len() as u64;
        if bytes > MAX_BYTES {
            // We couldn't read a larger file again.
            return Err(NotebookError::TooLarge {
                bytes,
                limit: MAX_BYTES,
            });
        }
        write_atomic(&self.place, &text, Durability::Fsync)?;
        // The write has succeeded. Errors don't matter any more, because all that's left is to save
        // some space.
        let snapshots = history.snapshots().unwrap_or_default();
        History::prune(&snapshots, HistoryLimits::default(), writer.now);
        history.tidy(writer.now);
        Ok((revision, set_aside))
    }

    /// Stores the notebook `text` in the history. Returns its number there, which is at least
    /// `newest`.
    fn keep(&self, text: &[u8], history: &History, newest: u64) -> Result<u64, NotebookError> {
        let own = head(&text[..text.len().min(HEAD_BYTES as usize)]);
        let own = match own {
            Some(head) => head.revision,
            None => parse(text, self.path())?.document.revision,
        };
        let kept = history.place(own);
        if own >= newest {
            match keep_file(&self.place, &kept) {
                Ok(()) => return Ok(own),
                Err(error) if !error.is_taken() => return Err(error.into()),
                Err(_) => {}
            }
        }
        // The number is taken, or too small. Maybe the same text is already there, because an
        // earlier attempt was interrupted.
        if read_versioned(&kept, SCHEMA_VERSION, MAX_BYTES)
            .is_ok_and(|old| old.as_deref() == Some(text))
        {
            return Ok(newest.max(own));
        }
        // The file in the history differs, e.g. because the notebook was replaced with an old copy.
        // Keep both, and give this one a new number.
        let next = newest.max(own) + 1;
        keep_file(&self.place, &history.place(next))?;
        Ok(next)
    }
}
