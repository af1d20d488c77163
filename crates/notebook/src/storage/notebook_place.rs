//! Locates a notebook file and accesses it.

use std::path::Path;
use std::sync::Arc;

use windlass_repo::{Foreign, Owner};
use windlass_store::{
    Durability, LockRequest, RootedPath, read_start, read_versioned, write_atomic,
};

use super::notebook_document::{Parsed, SCHEMA_VERSION, head};
use super::notebook_limits::{HEAD_BYTES, MAX_BYTES};
use super::parsed_notebook::parse;
use super::superseded::History;
use crate::{NotebookEdit, NotebookError, Ownership};

/// Location of a repository's notebook, with everything we need to read and write it.
#[derive(Debug, Clone)]
pub(super) struct NotebookPlace {
    pub(super) place: RootedPath,
    pub(super) repo: Arc<dyn Ownership>,
    pub(super) enabled: bool,
    pub(super) lock: LockRequest,
}

impl NotebookPlace {
    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    pub(super) fn text(&self) -> Result<Option<Vec<u8>>, NotebookError> {
        Self::text_at(&self.place)
    }

    pub(super) fn text_at(place: &RootedPath) -> Result<Option<Vec<u8>>, NotebookError> {
        Ok(read_versioned(place, SCHEMA_VERSION, MAX_BYTES)?)
    }

    /// The owner of the notebook at `place`. Returns `None` unless the owner is at the start of the
    /// file, where we always write it.
    pub(super) fn owner_of(place: &RootedPath) -> Option<Owner> {
        let (start, _) = read_start(place, SCHEMA_VERSION, HEAD_BYTES).ok()??;
        Some(head(&start)?.owner)
    }

    /// Writes a revision of an adopted notebook into the history of this one. The revision keeps
    /// its number and metadata, but gets this repository as its owner.
    pub(super) fn rewrite(
        &self,
        edit: &NotebookEdit<'_>,
        revision: u64,
    ) -> Result<(), NotebookError> {
        let text = edit.to_text(&*self.repo, edit.revision(), edit.written())?;
        self.write(&History::of(&self.place).place(revision), &text)
    }

    pub(super) fn write(&self, place: &RootedPath, bytes: &[u8]) -> Result<(), NotebookError> {
        Ok(write_atomic(place, bytes, Durability::Relaxed)?)
    }

    /// Parses `text`. Fails if the notebook does not belong to this repository.
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
