use std::path::{Path, PathBuf};

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Snapshot};
use windlass_site::Site;

use crate::{Linked, LinkedFile};

/// Gives access to files in the same repository, relative to a document.
pub(super) struct Beside<'a> {
    site: &'a Site,
    snapshot: &'a Snapshot,
    folder: PathBuf,
}

impl<'a> Beside<'a> {
    pub(super) fn new(site: &'a Site, snapshot: &'a Snapshot, document: &Path) -> Self {
        let folder = document.parent().unwrap_or(Path::new("."));
        Self {
            site,
            snapshot,
            folder: folder.to_owned(),
        }
    }

    /// Resolves a path relative to the document's folder.
    ///
    /// It is an error if the path leads out of the repository.
    fn path(&self, relative: &str) -> Result<RepoPath, LinkedFile> {
        let repo = self.site.repo();
        let here = repo.path_of(&self.folder.join("document"));
        let here = here.ok_or(LinkedFile::NotLookedAt)?;
        let mut parts: Vec<&str> = here.as_str().split('/').collect();
        parts.pop();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop().ok_or(LinkedFile::Outside)?),
                part => parts.push(part),
            }
        }
        RepoPath::parse(&parts.join("/")).map_err(|_| LinkedFile::NotLookedAt)
    }
}

impl Linked for Beside<'_> {
    fn file(&self, path: &str) -> LinkedFile {
        let path = match self.path(path) {
            Ok(path) => path,
            Err(elsewhere) => return elsewhere,
        };
        match self.snapshot.read(&path) {
            Ok(source) => LinkedFile::Bytes(source.bytes().to_vec()),
            Err(Refusal::Missing) => LinkedFile::Missing,
            Err(_) => LinkedFile::NotLookedAt,
        }
    }
}
