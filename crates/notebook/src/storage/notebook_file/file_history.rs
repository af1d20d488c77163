//! Lists, restores and deletes revisions of the notebook.
//!
//! A rollback is a write like any other: it adds a revision with the old contents, so it can be
//! undone in the same way.

use std::path::Path;

use windlass_store::{RootedPath, StoreError, look_at, read_start, read_versioned};

use super::NotebookFile;
use super::edit_file::Edited;
use crate::storage::damage::Damage;
use crate::storage::edit_mode::EditMode;
use crate::storage::notebook_document::{Parsed, SCHEMA_VERSION, head};
use crate::storage::notebook_limits::{HEAD_BYTES, MAX_BYTES};
use crate::storage::rewriting::Standing;
use crate::storage::strangers::of_another;
use crate::storage::superseded::{History, Revision, Snapshot, superfluous};
use crate::{HistoryLimits, NotebookEdit, NotebookError, Writer};

impl NotebookFile {
    /// Restores `revision` as a new revision. Revision 0 is the empty notebook before the first
    /// write.
    ///
    /// If the current notebook is unreadable, it is moved aside first, so this is also the way to
    /// recover from a damaged file.
    ///
    /// # Errors
    /// Returns an error if the revision is not stored or is damaged, and in the cases of
    /// [`NotebookFile::edit`].
    pub fn rollback(
        &self,
        writer: &Writer,
        mode: EditMode,
        revision: u64,
    ) -> Result<Edited<()>, NotebookError> {
        self.rollback_and(writer, mode, revision, |_| ())
    }

    /// Like [`NotebookFile::rollback`], but first calls `look` with the notebook that is about to
    /// be written.
    ///
    /// # Errors
    /// Same as for [`NotebookFile::rollback`].
    pub(crate) fn rollback_and<T>(
        &self,
        writer: &Writer,
        mode: EditMode,
        revision: u64,
        look: impl FnOnce(&NotebookEdit<'_>) -> T,
    ) -> Result<Edited<T>, NotebookError> {
        let _guard = self.at.begin(mode)?;
        let kept = self.kept(revision)?;
        // A damaged revision isn't restored even in part, since the current notebook may have more.
        let mut edit = match &kept {
            None => NotebookEdit::default(),
            Some((text, place)) => {
                let Parsed { document, lost } = self.at.owned(text)?;
                if let Some(lost) = lost.first() {
                    return Err(damaged(revision, place.path(), lost.to_string()));
                }
                NotebookEdit::from(document)
            }
        };
        // Unlike any other edit, a rollback goes ahead if the current notebook is damaged. Other
        // errors still matter, e.g. if the file belongs to another repository.
        let text = self.at.text();
        let (before, state) = match &text {
            Ok(None) => (NotebookEdit::default(), Standing::Missing),
            Ok(Some(text)) => match self.at.owned(text) {
                Ok(Parsed { document, lost }) if lost.is_empty() => {
                    (NotebookEdit::from(document), Standing::Whole(text))
                }
                Ok(Parsed { document, .. }) => (NotebookEdit::from(document), Standing::Broken),
                Err(NotebookError::Store(StoreError::Malformed { .. })) => {
                    (NotebookEdit::default(), Standing::Broken)
                }
                Err(error) => return Err(error),
            },
            Err(NotebookError::Store(StoreError::Malformed { .. })) => {
                (NotebookEdit::default(), Standing::Broken)
            }
            Err(_) => return Err(text.err().unwrap_or(NotebookError::SwitchedOff)),
        };
        edit.follow(&before);
        let answer = look(&edit);
        let edited = |after, set_aside| Edited {
            answer,
            before: before.revision(),
            revision: after,
            changes: edit.changes().clone(),
            set_aside,
        };
        if mode == EditMode::DryRun {
            return Ok(edited(before.revision(), None));
        }
        let (after, set_aside) = self.at.replace(&edit, state, writer, Some(revision))?;
        Ok(edited(after, set_aside))
    }

    /// A revision's text and file. The empty notebook before the first write has neither.
    fn kept(&self, revision: u64) -> Result<Option<(Vec<u8>, RootedPath)>, NotebookError> {
        let snapshots = self.at.history_by_owner()?.own;
        let mut same = snapshots
            .iter()
            .filter(|snapshot| snapshot.revision == revision);
        let Some(snapshot) = same.next() else {
            let first = match snapshots.first() {
                Some(first) => Some(first.revision),
                // There are no older revisions, so revision 0 is only known to be the empty one if
                // the current revision is the first.
                None => {
                    let own = self.revision(&self.at.place, None).ok().flatten();
                    own.map(|own| own.revision)
                }
            };
            if revision == 0 && first == Some(1) {
                return Ok(None);
            }
            let kept = snapshots.iter().map(|snapshot| snapshot.revision).collect();
            return Err(NotebookError::NoSuchRevision { revision, kept });
        };
        let text = read_versioned(&snapshot.place, SCHEMA_VERSION, MAX_BYTES)?;
        let gone = || {
            damaged(
                revision,
                snapshot.place.path(),
                "the file is missing".to_owned(),
            )
        };
        Ok(Some((text.ok_or_else(gone)?, snapshot.place.clone())))
    }

    /// The stored revisions and the current one, newest first. Revisions of another repository
    /// are not included, but reported by [`NotebookFile::strangers`].
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, if the notebook belongs to another
    /// repository, or if a file comes from a newer Windlass.
    pub fn history(&self) -> Result<Vec<Revision>, NotebookError> {
        if !self.at.enabled {
            return Ok(Vec::new());
        }
        let mut revisions = Vec::new();
        for snapshot in self.at.history_by_owner()?.own {
            revisions.extend(self.revision(&snapshot.place, Some(&snapshot))?);
        }
        revisions.extend(self.revision(&self.at.place, None)?);
        revisions.reverse();
        Ok(revisions)
    }

    /// Reports stored revisions of another repository, if there are any.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read.
    pub fn strangers(&self) -> Result<Option<Damage>, NotebookError> {
        let is_needed = self.at.enabled && !self.at.history_by_owner()?.foreign.is_empty();
        Ok(is_needed.then(|| of_another(self.path().with_file_name("history"))))
    }

    /// Reads the metadata of the revision in the file `place`. Returns `None` if there is no such
    /// file.
    fn revision(
        &self,
        place: &RootedPath,
        snapshot: Option<&Snapshot>,
    ) -> Result<Option<Revision>, NotebookError> {
        let start = match read_start(place, SCHEMA_VERSION, HEAD_BYTES) {
            Ok(Some((start, _))) => start,
            Ok(None) => return Ok(None),
            // We still list a damaged revision, just without its metadata. Otherwise, the user
            // would wonder where it's gone.
            Err(StoreError::Malformed { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let head = head(&start);
        if let Some(head) = &head {
            self.at.check_owner(&head.owner)?;
        }
        let bytes = || look_at(place).ok().flatten().map_or(0, |found| found.bytes);
        let own = head.as_ref().map_or(0, |head| head.revision);
        Ok(Some(Revision {
            revision: snapshot.map_or(own, |snapshot| snapshot.revision),
            current: snapshot.is_none(),
            written: head.and_then(|head| head.written),
            bytes: snapshot.map_or_else(bytes, |snapshot| snapshot.bytes),
        }))
    }

    /// Deletes stored revisions exceeding `limits` and returns their numbers in order.
    ///
    /// # Errors
    /// Returns an error if the lock is not free in time, or if the folder cannot be read.
    pub fn collect_garbage(
        &self,
        writer: &Writer,
        mode: EditMode,
        limits: HistoryLimits,
    ) -> Result<Vec<u64>, NotebookError> {
        let _guard = self.at.begin(mode)?;
        let history = History::of(&self.at.place);
        let snapshots = history.snapshots()?;
        let mut removed: Vec<u64> = match mode {
            EditMode::DryRun => superfluous(&snapshots, limits, writer.now)
                .map(|snapshot| snapshot.revision)
                .collect(),
            EditMode::Write => {
                history.tidy(writer.now);
                let removed = History::prune(&snapshots, limits, writer.now);
                removed.iter().map(|snapshot| snapshot.revision).collect()
            }
        };
        removed.sort_unstable();
        Ok(removed)
    }

    /// Checks that the notebook is at the `expected` revision, so that an edit does not undo
    /// changes its author has not seen.
    ///
    /// # Errors
    /// Returns an error if the notebook is at another revision. It lists the changes since
    /// `expected` as far as we know them.
    pub fn check_revision(
        &self,
        edit: &NotebookEdit<'_>,
        expected: u64,
    ) -> Result<(), NotebookError> {
        let found = edit.revision();
        if found == expected {
            return Ok(());
        }
        let later = self.history()?.into_iter();
        let later = later.filter(|revision| revision.revision > expected);
        let mut since: Vec<String> = later.map(|revision| summary(&revision)).collect();
        since.reverse();
        Err(NotebookError::Changed {
            expected,
            found,
            since,
        })
    }
}

fn damaged(revision: u64, path: &Path, why: String) -> NotebookError {
    NotebookError::DamagedRevision {
        revision,
        path: path.to_owned(),
        why,
    }
}

fn summary(revision: &Revision) -> String {
    let Revision {
        revision: number,
        written,
        ..
    } = revision;
    match written {
        None => format!("revision {number}"),
        Some(written) => {
            let by = written.by.as_ref().map(|by| format!(" by {by}"));
            let at = written.at.as_ref().map(|at| format!(" at {at}"));
            let (by, at) = (by.unwrap_or_default(), at.unwrap_or_default());
            format!("revision {number}{by}{at}: {written}")
        }
    }
}
