//! The notebook's file on disk: reading it in whole or in part.
//!
//! The submodules edit the file, list and restore its revisions, and adopt the notebook of another
//! location.

mod adoption;
mod edit_file;
mod file_health;
mod file_history;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use windlass_store::{Disk, LockRequest, RootedPath, StoreError, read_start};

use crate::anchor::SoundAnchor;
use crate::storage::damage::Damage;
use crate::storage::notebook_document::{Document, Parsed, SCHEMA_VERSION, head};
use crate::storage::notebook_limits::HEAD_BYTES;
use crate::storage::notebook_place::NotebookPlace;
use crate::storage::parsed_notebook::{anchors, damage, parse, runbooks, sound};
use crate::{Notebook, NotebookError, Ownership, SavedRunbook};

pub use adoption::Relative;
pub use edit_file::Edited;

/// Default time for a change to wait for the lock. Other processes only hold it while they read and
/// write the file, so this is rarely used up.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// A repository's notebook file.
#[derive(Debug, Clone)]
pub struct NotebookFile {
    at: NotebookPlace,
}

/// A notebook's runbooks. They can be read without its anchors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedRunbooks {
    /// Runbooks in the order they were saved in.
    pub runbooks: Vec<SavedRunbook>,
    /// Damage to the notebook, by file.
    pub damage: Vec<Damage>,
}

impl NotebookFile {
    /// Creates the notebook of `repo` in the data folder `data`. If `enabled` is false, the file is
    /// never read or written.
    #[must_use]
    pub fn new(data: &Path, repo: Arc<dyn Ownership>, enabled: bool) -> Self {
        let place = RootedPath::new(data)
            .join("repos")
            .join(repo.repo_id())
            .join("notebook.json");
        let at = NotebookPlace {
            place,
            repo,
            enabled,
            lock: LockRequest::new(LOCK_TIMEOUT, "windlass"),
        };
        Self { at }
    }

    /// Sets the terms on which a change waits for the lock.
    #[must_use]
    pub fn waiting(mut self, lock: LockRequest) -> Self {
        self.at.lock = lock;
        self
    }

    /// Moves the notebook to `disk`, which decides how files are read and written.
    #[must_use]
    pub fn on(mut self, disk: &Disk) -> Self {
        self.at.place = self.at.place.on(disk);
        self
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.at.path()
    }

    /// Returns true if the notebook may be read and written.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.at.enabled
    }

    /// Reads the notebook. If it was never written or is turned off, it's empty.
    ///
    /// Damaged parts are skipped, and reported in [`Notebook::damage`].
    ///
    /// # Errors
    /// Returns an error if the file has no readable version or owner, if a newer Windlass wrote it,
    /// or if it belongs to another repository.
    pub fn read(&self) -> Result<Notebook, NotebookError> {
        if !self.at.enabled {
            return Ok(Notebook::default());
        }
        let Some(text) = self.at.text()? else {
            return Ok(Notebook {
                damage: self.at.set_aside(),
                ..Notebook::default()
            });
        };
        // Nearly always, the file is fine and we can parse it in one go. If not, parse it entry by
        // entry to save as much as possible, which is slower.
        let mut notebook = match sound(&text) {
            Some((document, runbooks)) => {
                self.at.check_owner(&document.owner)?;
                let anchors = document.anchors.into_iter();
                Notebook {
                    revision: document.revision,
                    anchors: anchors.map(|SoundAnchor(anchor)| anchor).collect(),
                    runbooks,
                    damage: Vec::new(),
                    declined: document.declined,
                    seen: document.seen,
                }
            }
            None => self.read_in_part(&text)?,
        };
        notebook.damage.extend(self.at.set_aside());
        Ok(notebook)
    }

    fn read_in_part(&self, text: &[u8]) -> Result<Notebook, NotebookError> {
        let Parsed { document, mut lost } = parse(text, self.path())?;
        self.at.check_owner(&document.owner)?;
        let is_broken = !lost.is_empty();
        Ok(Notebook {
            revision: document.revision,
            anchors: anchors(&document.anchors, text, &mut lost),
            runbooks: runbooks(&document.runbooks, text, &mut lost),
            damage: damage(self.path(), lost, is_broken).into_iter().collect(),
            declined: document.declined,
            seen: document.seen,
        })
    }

    /// Reads just the runbooks. They come before the anchors in the file, so we usually only read
    /// the file's start, however many anchors there are.
    ///
    /// # Errors
    /// Same as for [`NotebookFile::read`].
    pub fn runbooks(&self) -> Result<SavedRunbooks, NotebookError> {
        if !self.at.enabled {
            return Ok(SavedRunbooks::default());
        }
        let start = match read_start(&self.at.place, SCHEMA_VERSION, HEAD_BYTES) {
            Ok(None) => return Ok(SavedRunbooks::default()),
            Ok(Some((start, _))) => start,
            // If the file was edited by hand, the version may be further down. We'll read the whole
            // file below in this case.
            Err(StoreError::Malformed { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        if let Some(head) = head(&start)
            && let Some(texts) = head.runbooks
        {
            self.at.check_owner(&head.owner)?;
            let mut lost = Vec::new();
            let runbooks = runbooks(&texts, &start, &mut lost);
            return Ok(self.with_damage(runbooks, lost, false));
        }
        let Some(text) = self.at.text()? else {
            return Ok(SavedRunbooks::default());
        };
        // The runbooks aren't in the file's start, so read everything, but skip the anchors.
        let whole = std::str::from_utf8(&text).ok();
        let document: Option<Document<'_, IgnoredAny>> =
            whole.and_then(|text| serde_json::from_str(text).ok());
        let mut lost = Vec::new();
        let (owner, texts) = match document {
            Some(document) => (document.owner, document.runbooks),
            None => {
                let parsed = parse(&text, self.path())?;
                lost = parsed.lost;
                (parsed.document.owner, parsed.document.runbooks)
            }
        };
        self.at.check_owner(&owner)?;
        let is_broken = !lost.is_empty();
        let runbooks = runbooks(&texts, &text, &mut lost);
        Ok(self.with_damage(runbooks, lost, is_broken))
    }

    fn with_damage(
        &self,
        runbooks: Vec<SavedRunbook>,
        lost: Vec<crate::Lost>,
        is_broken: bool,
    ) -> SavedRunbooks {
        let own = damage(self.path(), lost, is_broken);
        SavedRunbooks {
            runbooks,
            damage: own.into_iter().chain(self.at.set_aside()).collect(),
        }
    }
}
