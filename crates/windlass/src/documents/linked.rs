use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Snapshot};
use windlass_vcontext::{Linked, LinkedFile};

use crate::Workspace;

/// The files beside a document, as far as they lie in the same repository.
pub(super) struct Beside<'a> {
    workspace: &'a Workspace,
    snapshot: &'a Snapshot,
    folder: PathBuf,
}

impl<'a> Beside<'a> {
    pub(super) fn new(workspace: &'a Workspace, snapshot: &'a Snapshot, document: &Path) -> Self {
        let folder = document.parent().unwrap_or(Path::new("."));
        Self {
            workspace,
            snapshot,
            folder: folder.to_owned(),
        }
    }

    fn path(&self, relative: &str) -> Option<RepoPath> {
        let repo = self.workspace.repo();
        let here = repo.path_of(&self.folder.join("document"))?;
        let mut parts: Vec<&str> = here.as_str().split('/').collect();
        parts.pop();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        RepoPath::parse(&parts.join("/")).ok()
    }
}

impl Linked for Beside<'_> {
    fn file(&self, path: &str) -> LinkedFile {
        let Some(path) = self.path(path) else {
            return LinkedFile::NotLookedAt;
        };
        match self.snapshot.read(&path) {
            Ok(source) => LinkedFile::Bytes(source.bytes().to_vec()),
            Err(Refusal::Missing) => LinkedFile::Missing,
            Err(_) => LinkedFile::NotLookedAt,
        }
    }
}
