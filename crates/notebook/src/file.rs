mod aside;
mod change;
mod past;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use windlass_repo::{Foreign, Owner};
use windlass_store::{Disk, Durability, RootedPath, StoreError, read_start, read_versioned};

use crate::anchor::SoundAnchor;
use crate::damage::Damage;
use crate::document::{Document, SCHEMA_VERSION, head};
use crate::history::History;
use crate::limits::MAX_BYTES;
use crate::reading::{Parsed, anchors, damage, parse, runbooks, sound};
use crate::{Notebook, NotebookEdit, NotebookError, Ownership, SavedRunbook};

pub(crate) use change::Standing;
pub use change::{EditMode, Edited};

/// How long a change waits for another process to finish its own, unless something else is said.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// As much is read to see what stands in front of the anchors, in bytes.
const HEAD_BYTES: u64 = 64 << 10;

/// Where the notebook of one repository is kept.
#[derive(Debug, Clone)]
pub struct NotebookFile {
    place: RootedPath,
    repo: Arc<dyn Ownership>,
    enabled: bool,
    disk: Disk,
    durability: Durability,
    lock_timeout: Duration,
}

/// The runbooks of a notebook, read without its anchors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedRunbooks {
    /// The runbooks, in the order in which they were saved.
    pub runbooks: Vec<SavedRunbook>,
    /// What cannot be used of what was read.
    pub damage: Vec<Damage>,
}

impl NotebookFile {
    /// The notebook of `repo`, below the data folder `data`. With `enabled` false nothing is ever read or
    /// written.
    #[must_use]
    pub fn new(data: &Path, repo: Arc<dyn Ownership>, enabled: bool) -> Self {
        let place = RootedPath::new(data)
            .join("repos")
            .join(repo.repo_id())
            .join("notebook.json");
        Self {
            place,
            repo,
            enabled,
            disk: Disk::default(),
            durability: Durability::Fsync,
            lock_timeout: LOCK_TIMEOUT,
        }
    }

    /// The same, whose changes wait so long for another process to finish its own; zero waits for nobody.
    #[must_use]
    pub fn waiting(self, lock_timeout: Duration) -> Self {
        Self {
            lock_timeout,
            ..self
        }
    }

    /// The same, written by way of `disk`, and as durable as is said. For tests and measurements.
    #[must_use]
    pub fn on(self, disk: Disk, durability: Durability) -> Self {
        Self {
            disk,
            durability,
            ..self
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Its location.
    pub(crate) fn place(&self) -> &RootedPath {
        &self.place
    }

    /// Whether it may be read and written.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Reads it; a notebook that was never written, or is switched off, is empty. What is damaged is left out
    /// and told ([`Notebook::damage`]).
    ///
    /// # Errors
    /// When the file says neither its version nor whose it is, is newer than this program, or belongs to another
    /// repository.
    pub fn read(&self) -> Result<Notebook, NotebookError> {
        if !self.enabled {
            return Ok(Notebook::default());
        }
        let Some(text) = self.text()? else {
            return Ok(Notebook {
                damage: self.set_aside(),
                ..Notebook::default()
            });
        };
        let mut notebook = match sound(&text) {
            Some((document, runbooks)) => {
                self.check_owner(&document.owner)?;
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
        notebook.damage.extend(self.set_aside());
        Ok(notebook)
    }

    fn read_in_part(&self, text: &[u8]) -> Result<Notebook, NotebookError> {
        let Parsed { document, mut lost } = parse(text, self.path())?;
        self.check_owner(&document.owner)?;
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

    /// Reads its runbooks alone, which takes no longer the more anchors there are.
    ///
    /// # Errors
    /// As [`NotebookFile::read`].
    pub fn runbooks(&self) -> Result<SavedRunbooks, NotebookError> {
        if !self.enabled {
            return Ok(SavedRunbooks::default());
        }
        let start = match read_start(&self.place, SCHEMA_VERSION, HEAD_BYTES) {
            Ok(None) => return Ok(SavedRunbooks::default()),
            Ok(Some((start, _))) => start,
            // The version may stand further down.
            Err(StoreError::Malformed { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        if let Some(head) = head(&start)
            && let Some(texts) = head.runbooks
        {
            self.check_owner(&head.owner)?;
            let mut lost = Vec::new();
            let runbooks = runbooks(&texts, &start, &mut lost);
            return Ok(self.with_damage(runbooks, lost, false));
        }
        let Some(text) = self.text()? else {
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
        self.check_owner(&owner)?;
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
            damage: own.into_iter().chain(self.set_aside()).collect(),
        }
    }

    /// The text of the file; `None` if there is none.
    pub(crate) fn text(&self) -> Result<Option<Vec<u8>>, NotebookError> {
        Self::text_at(&self.place)
    }

    pub(crate) fn text_at(place: &RootedPath) -> Result<Option<Vec<u8>>, NotebookError> {
        Ok(read_versioned(place, SCHEMA_VERSION, MAX_BYTES)?)
    }

    /// Owner of the notebook at `place`, if it precedes the anchors.
    pub(crate) fn owner_of(place: &RootedPath) -> Option<Owner> {
        let (start, _) = read_start(place, SCHEMA_VERSION, HEAD_BYTES).ok()??;
        Some(head(&start)?.owner)
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(crate) fn ownership(&self) -> &dyn Ownership {
        &*self.repo
    }

    /// Writes a revision of another place's notebook into the history of this one.
    pub(crate) fn rewrite(
        &self,
        edit: &NotebookEdit<'_>,
        revision: u64,
    ) -> Result<(), NotebookError> {
        let text = edit.to_text(&*self.repo, edit.revision(), edit.written())?;
        self.write(&History::of(&self.place).place(revision), &text)
    }

    pub(crate) fn write(&self, place: &RootedPath, bytes: &[u8]) -> Result<(), NotebookError> {
        Ok(self.disk.write_atomic(place, bytes, Durability::Relaxed)?)
    }

    /// What stands in `text`, which has to belong to this repository.
    fn owned<'a>(&self, text: &'a [u8]) -> Result<Parsed<'a>, NotebookError> {
        let parsed = parse(text, self.path())?;
        self.check_owner(&parsed.document.owner)?;
        Ok(parsed)
    }

    pub(crate) fn check_owner(&self, found: &Owner) -> Result<(), NotebookError> {
        let path = self.path().to_owned();
        self.repo.check(found).map_err(|foreign| match foreign {
            Foreign::Elsewhere => NotebookError::Foreign {
                path,
                found: found.repo_id.clone(),
                expected: self.repo.repo_id().to_owned(),
            },
            Foreign::Replaced => NotebookError::Replaced { path },
            Foreign::Unproven => NotebookError::Unproven { path },
        })
    }
}
