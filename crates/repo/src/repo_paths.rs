//! Paths in a repository: links, folders, and locations of new files.

use std::path::{Path, PathBuf};

use windlass_base::RepoPath;

use crate::platform::slashed;
use crate::refusal::Refusal;
use crate::repository::Repo;
use crate::unicode_form::in_stored_form;

/// Files below a folder, up to a limit (see [`Repo::files_below`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesBelow {
    /// The files in path order. A link is listed like a file, but not followed.
    pub files: Vec<RepoPath>,
    /// True if the list is complete.
    pub complete: bool,
}

impl Repo {
    /// Returns the absolute path of the folder that `path` resolves to. It's free of links, so a
    /// program can run there.
    ///
    /// # Errors
    /// Returns an error if the folder is outside the repository, in git's own folder, or secret, or if it is missing or
    /// not a folder.
    pub fn folder(&self, path: &RepoPath) -> Result<PathBuf, Refusal> {
        self.guard().folder(path)
    }

    /// Returns up to `limit` files at any depth below `folder`. Ignored and hidden files are
    /// included, but git's own folders aren't.
    ///
    /// # Errors
    /// Returns an error if `folder` is not a folder of the repository, or a folder cannot be listed.
    pub fn files_below(&self, folder: &RepoPath, limit: usize) -> Result<FilesBelow, Refusal> {
        let mut below = FilesBelow {
            complete: true,
            ..FilesBelow::default()
        };
        let (mut folders, mut seen): (Vec<PathBuf>, usize) =
            (vec![self.guard().folder(folder)?], 0);
        while let Some(next) = folders.pop() {
            #[expect(
                clippy::disallowed_methods,
                reason = "a folder that the guard resolved"
            )]
            let entries = std::fs::read_dir(&next).map_err(|error| Refusal::from_io(&error))?;
            for entry in entries {
                let entry = entry.map_err(|error| Refusal::from_io(&error))?;
                if entry.file_name().eq_ignore_ascii_case(".git") {
                    continue;
                }
                seen += 1;
                if seen > limit {
                    below.complete = false;
                    below.files.sort_unstable();
                    return Ok(below);
                }
                let kind = entry
                    .file_type()
                    .map_err(|error| Refusal::from_io(&error))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let path = entry.path();
                let inside = path
                    .strip_prefix(self.root())
                    .ok()
                    .filter(|path| path.to_str().is_some());
                let inside = inside.map(slashed);
                match inside.and_then(|inside| RepoPath::parse(&inside).ok()) {
                    Some(file) => below.files.push(file),
                    // A file name that isn't UTF-8 can't be listed, so the list is incomplete.
                    None => below.complete = false,
                }
            }
        }
        below.files.sort_unstable();
        Ok(below)
    }

    /// Returns the location for a new file requested by the user. It's inside the repository and
    /// not behind a link. Missing folders on the way are fine.
    ///
    /// # Errors
    /// Returns [`Refusal::OutsideRoot`] if the file or a folder on the way is a link or is outside the repository.
    pub fn place_for(&self, path: &RepoPath) -> Result<PathBuf, Refusal> {
        let mut place = self.root().to_owned();
        for part in path.as_str().split('/') {
            place.push(part);
            match std::fs::symlink_metadata(&place) {
                Ok(metadata) if metadata.is_symlink() => return Err(Refusal::OutsideRoot),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(self.root().join(path.as_str()))
    }

    /// Converts `path` to a path of this repository, or returns `None` if it's outside. Links on
    /// the way are followed, and the file need not exist. A name in another Unicode form is mapped
    /// to the existing file.
    #[must_use]
    pub fn path_of(&self, path: &Path) -> Option<RepoPath> {
        let stored = in_stored_form(path);
        let path = stored.as_deref().unwrap_or(path);
        let (folder, name) = (path.parent()?, path.file_name()?);
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let folder = std::fs::canonicalize(folder).ok()?;
        let inside = folder.strip_prefix(self.root()).ok()?.join(name);
        let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
        RepoPath::parse(&parts?.join("/")).ok()
    }

    /// True if `path` itself is a symbolic link.
    #[must_use]
    pub fn is_link(&self, path: &RepoPath) -> bool {
        let metadata = self.root().join(path.as_str()).symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Returns the symbolic links directly in `folder`, sorted. The result is empty if `folder`
    /// isn't a folder of the repository.
    #[must_use]
    pub fn links_in(&self, folder: &RepoPath) -> Vec<RepoPath> {
        let Ok(resolved) = self.guard().resolve(folder) else {
            return Vec::new();
        };
        let entries = std::fs::read_dir(self.root().join(resolved));
        let links = entries.into_iter().flatten().flatten().filter(|entry| {
            let kind = entry.file_type();
            kind.is_ok_and(|kind| kind.is_symlink())
        });
        let mut links: Vec<RepoPath> = links
            .filter_map(|entry| {
                let name = entry.file_name();
                RepoPath::parse(&format!("{folder}/{}", name.to_str()?)).ok()
            })
            .collect();
        links.sort_unstable();
        links
    }
}
