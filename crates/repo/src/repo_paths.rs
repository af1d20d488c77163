//! Resolves paths in a repository: links, folders, and locations for new files.

use std::path::{Path, PathBuf};

use windlass_base::RepoPath;

use crate::platform::slashed;
use crate::refusal::Refusal;
use crate::repository::Repo;
use crate::unicode_form::in_stored_form;

/// The result of [`Repo::files_below`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesBelow {
    /// The files, sorted by path. Links are listed but not followed.
    pub files: Vec<RepoPath>,
    /// False if we reached the limit, or if there's a name that isn't UTF-8.
    pub complete: bool,
}

impl Repo {
    /// Resolves `path` to the absolute path of a folder. The result contains no links, so it's safe
    /// to run a program there.
    ///
    /// # Errors
    /// Returns an error if the folder is outside the repository, in git's own folder, secret,
    /// missing, or not a folder.
    pub fn folder(&self, path: &RepoPath) -> Result<PathBuf, Refusal> {
        self.guard().folder(path)
    }

    /// Lists the files at any depth below `folder`, including ignored and hidden ones, but not
    /// git's own. This stops after `limit` entries, which includes folders.
    ///
    /// # Errors
    /// Returns an error if `folder` isn't a folder of the repository, or if a folder can't be
    /// listed.
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
                    // We can't list a file whose name isn't UTF-8.
                    None => below.complete = false,
                }
            }
        }
        below.files.sort_unstable();
        Ok(below)
    }

    /// Returns the location for a new file that the user asked for. It's inside of the repository,
    /// and there are no links on the way. Folders on the way may be missing.
    ///
    /// # Errors
    /// Returns [`Refusal::OutsideRoot`] if the file, or a folder on the way to it, is a link.
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

    /// Converts `path` to a path of this repository, or returns `None` if it's outside.
    ///
    /// Links in its folders are followed, so the folder must exist, but the file need not. If the
    /// name only exists in another Unicode form (macOS stores `é` as two characters), this returns
    /// that form.
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

    /// Returns true if `path` itself is a symbolic link, regardless of its folders.
    #[must_use]
    pub fn is_link(&self, path: &RepoPath) -> bool {
        let metadata = self.root().join(path.as_str()).symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_symlink())
    }

    /// Lists the symbolic links directly in `folder`, sorted. If `folder` isn't a folder of the
    /// repository, the list is empty.
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
