mod adoption;
mod edit_file;
mod file_health;
mod file_history;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use windlass_store::{Disk, Durability, RootedPath, StoreError, read_start};

use crate::anchor::SoundAnchor;
use crate::storage::damage::Damage;
use crate::storage::notebook_document::{Document, SCHEMA_VERSION, head};
use crate::storage::notebook_limits::HEAD_BYTES;
use crate::storage::notebook_place::NotebookPlace;
use crate::storage::parsed_notebook::{Parsed, anchors, damage, parse, runbooks, sound};
use crate::{Notebook, NotebookError, Ownership, SavedRunbook};

pub use adoption::Relative;
pub use edit_file::Edited;

/// Default time for a change to wait for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// A repository's notebook file.
#[derive(Debug, Clone)]
pub struct NotebookFile {
    at: NotebookPlace,
}

/// A notebook's runbooks, which can be read without its anchors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedRunbooks {
    /// Runbooks in the order they were saved in.
    pub runbooks: Vec<SavedRunbook>,
    /// Damage to the notebook, by file.
    pub damage: Vec<Damage>,
}

impl NotebookFile {
    /// Creates the notebook of `repo` in the data folder `data`. If `enabled` is false, it's never
    /// read or written.
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
            disk: Disk::default(),
            durability: Durability::Fsync,
            lock_timeout: LOCK_TIMEOUT,
        };
        Self { at }
    }

    /// Sets the time a change waits for the lock. If it's zero, a change fails immediately if the
    /// lock is held.
    #[must_use]
    pub fn waiting(mut self, lock_timeout: Duration) -> Self {
        self.at.lock_timeout = lock_timeout;
        self
    }

    /// Sets the disk and the durability, for tests and benchmarks.
    #[must_use]
    pub fn on(mut self, disk: Disk, durability: Durability) -> Self {
        (self.at.disk, self.at.durability) = (disk, durability);
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

    /// Reads the notebook, which is empty if it was never written or is turned off. Damaged parts
    /// are skipped and reported ([`Notebook::damage`]).
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

    /// Reads just the runbooks. The cost usually doesn't depend on the number of anchors.
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
            // In a file edited by hand, the version may come later. We read the whole file below
            // then.
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
