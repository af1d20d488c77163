//! Resolves the folder of documents in a request.

use std::collections::BTreeSet;
use std::path::Path;

use windlass_base::{RepoPath, did_you_mean};

use super::ground::Ground;
use crate::context_error::ContextError;
use windlass_site::Error;

impl Ground<'_> {
    /// Resolves `given`, starting from the start folder or else from the root. The result is
    /// relative to the root, which is `.` itself.
    ///
    /// # Errors
    /// Returns an error if the folder is outside of the repository, or if there is no file in it
    /// that we can read.
    pub(super) fn docs_root(&self, given: &str) -> Result<String, Error> {
        let wrong = |why: &str| -> Error {
            ContextError::NoDocsRoot {
                given: given.to_owned(),
                why: why.to_owned(),
                similar: self.folder_like(given),
            }
            .into()
        };
        if given.trim().is_empty() {
            return Err(wrong("it has no name"));
        }
        let root = self.site.repo().root();
        // Some tools write `/docs` for the folder `docs` of the repository, so try that as well.
        let from_root = given.trim_start_matches('/');
        let places = [
            self.request.start.join(given),
            root.join(given),
            root.join(from_root),
        ];
        let found = places.iter().find_map(|place| self.folder(place));
        let Some(folder) = found else {
            return Err(wrong("there is no such folder in the repository"));
        };
        if self.files.binary_search(&folder).is_ok() {
            return Err(wrong("it is a file"));
        }
        let begin = format!("{folder}/");
        let is_in = |path: &RepoPath| folder.is_root() || path.as_str().starts_with(&begin);
        match self.files.iter().any(is_in) {
            true => Ok(folder.to_string()),
            false => Err(wrong(
                "no file in it is read: it is empty, ignored or secret",
            )),
        }
    }

    fn folder(&self, path: &Path) -> Option<RepoPath> {
        // Resolve a child and then take its parent, which also works for `.` and `..`.
        let within = self.site.repo().path_of(&path.join("it"))?;
        within.parent()
    }

    /// Suggests the folder with the most similar name.
    fn folder_like(&self, given: &str) -> Option<String> {
        let given = given.trim_end_matches('/');
        let parents = self.files.iter().filter_map(RepoPath::parent);
        let folders: BTreeSet<String> = parents
            .filter(|folder| !folder.is_root())
            .map(|folder| folder.to_string())
            .collect();
        did_you_mean(given, folders.iter().map(String::as_str)).map(str::to_owned)
    }
}
