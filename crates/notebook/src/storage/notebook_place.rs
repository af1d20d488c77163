//! Locates a notebook file and accesses it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use windlass_repo::{Foreign, Owner};
use windlass_store::{Disk, Durability, RootedPath, read_start, read_versioned};

use super::notebook_document::{SCHEMA_VERSION, head};
use super::notebook_limits::{HEAD_BYTES, MAX_BYTES};
use super::parsed_notebook::{Parsed, parse};
use super::superseded::History;
use crate::{NotebookEdit, NotebookError, Ownership};

/// The location of a repository's notebook, with everything needed to read and write it.
#[derive(Debug, Clone)]
pub(super) struct NotebookPlace {
    pub(super) place: RootedPath,
    pub(super) repo: Arc<dyn Ownership>,
    pub(super) enabled: bool,
    pub(super) disk: Disk,
    pub(super) durability: Durability,
    pub(super) lock_timeout: Duration,
}

impl NotebookPlace {
    /// Returns the path of the notebook file.
    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Reads the notebook file. Returns `None` if it doesn't exist.
    pub(super) fn text(&self) -> Result<Option<Vec<u8>>, NotebookError> {
        Self::text_at(&self.place)
    }

    pub(super) fn text_at(place: &RootedPath) -> Result<Option<Vec<u8>>, NotebookError> {
        Ok(read_versioned(place, SCHEMA_VERSION, MAX_BYTES)?)
    }

    /// Returns the owner of the notebook at `place`, or `None` if it isn't at the start of the
    /// file.
    pub(super) fn owner_of(place: &RootedPath) -> Option<Owner> {
        let (start, _) = read_start(place, SCHEMA_VERSION, HEAD_BYTES).ok()??;
        Some(head(&start)?.owner)
    }

    /// Writes an adopted notebook's revision into the history of this one.
    pub(super) fn rewrite(
        &self,
        edit: &NotebookEdit<'_>,
        revision: u64,
    ) -> Result<(), NotebookError> {
        let text = edit.to_text(&*self.repo, edit.revision(), edit.written())?;
        self.write(&History::of(&self.place).place(revision), &text)
    }

    pub(super) fn write(&self, place: &RootedPath, bytes: &[u8]) -> Result<(), NotebookError> {
        Ok(self.disk.write_atomic(place, bytes, Durability::Relaxed)?)
    }

    /// Parses `text`. Fails if it doesn't belong to this repository.
    pub(super) fn owned<'a>(&self, text: &'a [u8]) -> Result<Parsed<'a>, NotebookError> {
        let parsed = parse(text, self.path())?;
        self.check_owner(&parsed.document.owner)?;
        Ok(parsed)
    }

    pub(super) fn check_owner(&self, found: &Owner) -> Result<(), NotebookError> {
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
