//! Changing the notebook: read, worked on, and written back as a whole, under its lock.

use windlass_store::{Lock, LockGuard, read_versioned};

use super::{HEAD_BYTES, NotebookFile};
use crate::changes::{Changes, Written};
use crate::damage::Damage;
use crate::document::{SCHEMA_VERSION, head};
use crate::history::History;
use crate::limits::MAX_BYTES;
use crate::reading::{Parsed, parse};
use crate::{HistoryLimits, NotebookEdit, NotebookError, Writer};

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

/// Whether a change is made, or only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    /// It is written.
    Write,
    /// Nothing is written, and nobody is waited for.
    DryRun,
}

/// What is there before a write.
#[derive(Clone, Copy)]
pub(crate) enum Standing<'a> {
    Missing,
    /// Something that is no document as a whole.
    Broken,
    Whole(&'a [u8]),
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
        let _guard = self.begin(writer, mode)?;
        let text = self.text()?;
        let parsed = text.as_deref().map(|text| self.owned(text)).transpose()?;
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
        let (revision, set_aside) = self.replace(&edit, state, writer, None)?;
        Ok(Edited {
            answer,
            before,
            revision,
            changes: edit.changes().clone(),
            set_aside,
        })
    }

    /// Makes sure that it may be changed, and takes the lock where it is to be.
    pub(crate) fn begin(
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

    /// Writes what `edit` made of the notebook, and keeps what it was.
    pub(crate) fn replace(
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
            // What could not be read again must not be written.
            return Err(NotebookError::TooLarge {
                bytes,
                limit: MAX_BYTES,
            });
        }
        self.disk
            .write_atomic(&self.place, &text, self.durability)?;
        // It stands; what is left over is a matter of room alone.
        let snapshots = history.snapshots().unwrap_or_default();
        History::prune(&snapshots, HistoryLimits::default(), writer.now, &self.disk);
        history.tidy(writer.now, &self.disk);
        Ok((revision, set_aside))
    }

    /// Keeps the notebook, whose text is `text`, in the history; says as which revision, which is at least `newest`.
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
        // Written by an earlier try that was ended, or put there again by hand: kept already if it is the same.
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
