//! Writes the notebook while holding its lock, after storing the former revision in the history.

use windlass_store::{Lock, LockGuard, read_versioned};

use super::damage::Damage;
use super::edit_mode::EditMode;
use super::notebook_document::{SCHEMA_VERSION, head};
use super::notebook_limits::{HEAD_BYTES, MAX_BYTES};
use super::notebook_place::NotebookPlace;
use super::noted_changes::Written;
use super::parsed_notebook::parse;
use super::superseded::History;
use crate::{HistoryLimits, NotebookEdit, NotebookError, Writer};

/// State of the file before a write.
#[derive(Clone, Copy)]
pub(super) enum Standing<'a> {
    Missing,
    /// The file as a whole isn't valid JSON.
    Broken,
    Whole(&'a [u8]),
}

impl NotebookPlace {
    /// Checks that the notebook may be changed. Takes the lock, unless it's just a preview.
    pub(super) fn begin(
        &self,
        writer: &Writer,
        mode: EditMode,
    ) -> Result<Option<LockGuard>, NotebookError> {
        if !self.enabled {
            return Err(NotebookError::SwitchedOff);
        }
        let path = self.place.with_extension("lock");
        let take = || Lock::acquire(&path, self.lock_timeout, &writer.holder);
        Ok((mode == EditMode::Write).then(take).transpose()?)
    }

    /// Stores the former revision in the history and writes the result of `edit`. Returns the new
    /// revision, and the damaged file if one was moved aside.
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
            // We couldn't read a file above the limit again.
            return Err(NotebookError::TooLarge {
                bytes,
                limit: MAX_BYTES,
            });
        }
        self.disk
            .write_atomic(&self.place, &text, self.durability)?;
        // The write has succeeded. Cleaning up only saves space, so ignore any errors.
        let snapshots = history.snapshots().unwrap_or_default();
        History::prune(&snapshots, HistoryLimits::default(), writer.now, &self.disk);
        history.tidy(writer.now, &self.disk);
        Ok((revision, set_aside))
    }

    /// Stores the notebook `text` in the history and returns its revision, which is at least
    /// `newest`.
    fn keep(&self, text: &[u8], history: &History, newest: u64) -> Result<u64, NotebookError> {
        let own = head(&text[..text.len().min(HEAD_BYTES as usize)]);
        let own = match own {
            Some(head) => head.revision,
            None => parse(text, self.path())?.document.revision,
        };
        let kept = history.place(own);
        if own >= newest {
            match self.disk.keep(&self.place, &kept) {
                Ok(()) => return Ok(own),
                Err(error) if !error.is_taken() => return Err(error.into()),
                Err(_) => {}
            }
        }
        // An interrupted attempt or the user may have put the same text there, so we don't need to
        // store it again.
        if read_versioned(&kept, SCHEMA_VERSION, MAX_BYTES)
            .is_ok_and(|old| old.as_deref() == Some(text))
        {
            return Ok(newest.max(own));
        }
        let next = newest.max(own) + 1;
        self.disk.keep(&self.place, &history.place(next))?;
        Ok(next)
    }
}
