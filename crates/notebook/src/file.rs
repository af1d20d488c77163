use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use windlass_repo::{Foreign, Owner};
use windlass_store::{
    Durability, Lock, MAX_DOCUMENT_BYTES, StoreError, read_document, write_atomic,
};

use crate::anchor::SoundAnchor;
use crate::document::{Document, SCHEMA_VERSION};
use crate::edit::Stored;
use crate::{Anchor, Notebook, NotebookEdit, NotebookError, Ownership};

/// How long a change waits for another process to finish its own.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the notebook of one repository is kept.
#[derive(Debug, Clone)]
pub struct NotebookFile {
    path: PathBuf,
    repo: Arc<dyn Ownership>,
    enabled: bool,
}

impl NotebookFile {
    /// The notebook of `repo`, below the data folder `data`. With `enabled` false nothing is ever read or
    /// written.
    #[must_use]
    pub fn new(data: &Path, repo: Arc<dyn Ownership>, enabled: bool) -> Self {
        let path = data
            .join("repos")
            .join(repo.repo_id())
            .join("notebook.json");
        Self {
            path,
            repo,
            enabled,
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it may be read and written.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Reads it; a notebook that was never written, or is switched off, is empty.
    ///
    /// # Errors
    /// When the file is damaged, newer than this program, or belongs to another repository.
    pub fn read(&self) -> Result<Notebook, NotebookError> {
        if !self.enabled {
            return Ok(Notebook::default());
        }
        let anchors: Option<Vec<Anchor>> = match self.document::<SoundAnchor>() {
            // Read with its text, an anchor can be named that is at fault.
            Err(NotebookError::Store(StoreError::Malformed { .. })) => {
                let stored = self.document::<Stored>()?;
                stored.map(|stored| {
                    stored
                        .anchors
                        .into_iter()
                        .map(|stored| stored.anchor)
                        .collect()
                })
            }
            read => read?.map(|read| {
                read.anchors
                    .into_iter()
                    .map(|SoundAnchor(anchor)| anchor)
                    .collect()
            }),
        };
        Ok(Notebook::new(anchors.unwrap_or_default()))
    }

    /// The file, with its anchors read as `A`; `None` if there is none.
    fn document<A: DeserializeOwned>(&self) -> Result<Option<Document<A>>, NotebookError> {
        let document = read_document(&self.path, SCHEMA_VERSION, MAX_DOCUMENT_BYTES)?;
        document
            .map(|document: Document<A>| {
                self.check_owner(&document.owner)?;
                Ok(document)
            })
            .transpose()
    }

    /// Changes it: reads, lets `change` work on it, and writes it back as a whole, under the lock.
    ///
    /// # Errors
    /// As [`NotebookFile::read`]; what `change` answers; when the lock is held too long, or the file cannot
    /// be written. Nothing has changed then.
    pub fn edit<T>(
        &self,
        holder: &str,
        change: impl FnOnce(&mut NotebookEdit) -> Result<T, NotebookError>,
    ) -> Result<T, NotebookError> {
        if !self.enabled {
            return Err(NotebookError::SwitchedOff);
        }
        let _guard = Lock::acquire(&self.path.with_extension("lock"), LOCK_TIMEOUT, holder)?;
        let document = self.document::<Stored>()?;
        let mut notebook = document.map_or_else(NotebookEdit::default, NotebookEdit::from);
        let answer = change(&mut notebook)?;
        let text = notebook.to_text(&*self.repo)?;
        let bytes = text.len() as u64;
        if bytes > MAX_DOCUMENT_BYTES {
            // What could not be read again must not be written.
            return Err(NotebookError::Store(StoreError::TooLarge {
                path: self.path.clone(),
                bytes,
                limit: MAX_DOCUMENT_BYTES,
            }));
        }
        write_atomic(&self.path, &text, Durability::Fsync)?;
        Ok(answer)
    }

    fn check_owner(&self, found: &Owner) -> Result<(), NotebookError> {
        let path = self.path.clone();
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
