//! Reads documents named by the user, and determines where documents may be written.

use std::io;
use std::path::{Path, PathBuf};

use windlass_base::{Caller, RepoPath};
use windlass_repo::{
    MAX_FILE_BYTES, Refusal, Snapshot, is_pipe, read_bounded, read_foreign, read_pipe,
};
use windlass_store::RootedPath;

use crate::{Error, Site, SiteError};

/// Access to the documents of a site named by the user.
#[derive(Debug, Clone, Copy)]
pub struct SiteFiles<'a>(pub(crate) &'a Site);

impl SiteFiles<'_> {
    /// Returns the location for writing a file of the repository.
    ///
    /// # Errors
    ///
    /// Returns an error if a component of the path is a link, or if the file is in a folder of git.
    pub fn place_of(&self, file: &RepoPath) -> Result<RootedPath, Error> {
        self.strict_place(file)?.ok_or_else(|| {
            refused(
                file.as_str(),
                "a link is in the way, and windlass does not write through links",
            )
        })
    }

    fn strict_place(&self, file: &RepoPath) -> Result<Option<RootedPath>, Error> {
        if self.0.repo().is_git_folder() {
            return Err(SiteError::GitFolder.into());
        }
        let place = self.0.repo().place_for(file).ok();
        Ok(place.map(|_| RootedPath::new(self.0.repo().root()).join(file.as_str())))
    }

    /// Returns the location for writing a document edited by people. In contrast to
    /// [`SiteFiles::place_of`], this follows a link, provided that the target is in the repository,
    /// isn't secret, and doesn't belong to git.
    ///
    /// # Errors
    ///
    /// Returns an error if the document has no such location.
    pub fn document_place(&self, file: &RepoPath) -> Result<RootedPath, Error> {
        if let Some(place) = self.strict_place(file)? {
            return Ok(place);
        }
        let path = self.0.repo().root().join(file.as_str());
        if path.is_symlink() && !path.exists() {
            return Err(refused(
                file.as_str(),
                "it links to a file that does not exist: create that file, or remove the link",
            ));
        }
        let inside = real_path(&path).and_then(|real| self.0.repo().path_of(&real));
        let is_of_git = |file: &RepoPath| file.as_str().split('/').any(|part| part == ".git");
        match inside.filter(|inside| !is_of_git(inside)) {
            Some(inside) => match self.0.snapshot().read(&inside) {
                Err(refusal @ Refusal::Secret { .. }) => Err(unreadable(inside.as_str(), &refusal)),
                _ => self.place_of(&inside),
            },
            None => Err(led_out(file.as_str())),
        }
    }

    /// Resolves `file` relative to `start`, or relative to the root if that isn't in the
    /// repository. If the caller named a root, we try the root first.
    ///
    /// # Errors
    ///
    /// Returns an error if `file` is not in the repository.
    pub fn path_from(&self, file: &str, start: &Path) -> Result<RepoPath, Error> {
        if self.0.caller().and_then(Caller::root).is_some()
            && let Ok(path) = RepoPath::parse(file)
        {
            // The name may be in another Unicode form than that of the existing file, which is the
            // one the user means.
            let whole = self.0.repo().root().join(path.as_str());
            let stored = match file.is_ascii() || whole.exists() {
                true => None,
                false => self.0.repo().path_of(&whole),
            };
            return Ok(stored.unwrap_or(path));
        }
        match self.0.repo().path_of(&start.join(file)) {
            Some(path) => Ok(path),
            None => Ok(RepoPath::parse(file)?),
        }
    }

    /// Returns true if a component of `path` is a link from the repository to a target outside of
    /// it.
    #[must_use]
    pub fn is_led_out(&self, path: &Path) -> bool {
        let root = self.0.repo().root();
        let is_inside = |path: &Path| path.canonicalize().is_ok_and(|real| real.starts_with(root));
        path.ancestors().any(|part| {
            let is_link = part
                .symlink_metadata()
                .is_ok_and(|found| found.is_symlink());
            is_link && part.parent().is_some_and(is_inside) && !is_inside(part)
        })
    }

    /// Reads an input that can be read only once. `name` is a document like in
    /// [`SiteFiles::read_document`], a pipe (`<(…)` or a FIFO), or `-` for `input`. Returns the
    /// name for messages and the bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be read, or if a pipe has more data than allowed for a
    /// file.
    pub fn read_given(
        &self,
        name: &str,
        input: impl io::Read,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<(String, Vec<u8>), Error> {
        const INPUT: &str = "standard input";
        let path = start.join(name);
        let (name, read) = match name {
            "-" => (INPUT, read_bounded(input, MAX_FILE_BYTES)),
            name if is_pipe(&path) => (name, read_pipe(&path, MAX_FILE_BYTES)),
            name => return self.read_document(name, start, snapshot),
        };
        let bytes = read.map_err(|refusal| unreadable(name, &refusal))?;
        Ok((name.to_owned(), bytes))
    }

    /// Reads a document named by the user. A file in the repository is read through
    /// [`windlass_repo`], which refuses secret files. Any other file is read directly, unless the
    /// site is confined. Returns the name for messages and the bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be read or is not permitted.
    pub fn read_document(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<(String, Vec<u8>), Error> {
        let path = start.join(name);
        match self.0.repo().path_of(&path) {
            Some(path) => Ok((path.to_string(), read_inside(snapshot, &path)?)),
            None if self.0.is_confined() => Err(SiteError::Outside(name.to_owned()).into()),
            None if self.is_led_out(&path) => Err(led_out(name)),
            None => {
                // Apply the same limit as within the repository. The document's parser may have a
                // lower one.
                let read = read_foreign(&path, MAX_FILE_BYTES);
                let bytes = read.map_err(|refusal| unreadable(name, &refusal))?;
                Ok((name.to_owned(), bytes))
            }
        }
    }
}

/// Returns the contents of the file `path`.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn read_inside(snapshot: &Snapshot, path: &RepoPath) -> Result<Vec<u8>, Error> {
    let source = snapshot
        .read(path)
        .map_err(|refusal| unreadable(path.as_str(), &refusal))?;
    Ok(source.bytes().to_vec())
}

/// Returns the error for an unreadable file.
#[must_use]
pub fn unreadable(file: &str, refusal: &Refusal) -> Error {
    SiteError::Unreadable {
        file: file.to_owned(),
        why: refusal.to_string(),
        missing: matches!(refusal, Refusal::Missing),
        secret: matches!(refusal, Refusal::Secret { .. } | Refusal::OutsideRoot),
    }
    .into()
}

/// Returns the error for a link to a target outside of the repository.
#[must_use]
pub fn led_out(file: &str) -> Error {
    refused(
        file,
        "links out of the repository are not followed: use the real path of the file",
    )
}

/// Returns the error for a file that may not be used.
#[must_use]
pub fn refused(file: &str, why: &str) -> Error {
    SiteError::Unreadable {
        file: file.to_owned(),
        why: why.to_owned(),
        missing: false,
        secret: true,
    }
    .into()
}

/// Returns `path` with its links resolved. Trailing components that don't exist stay as they are.
fn real_path(path: &Path) -> Option<PathBuf> {
    let mut ancestors = path.ancestors();
    let real = ancestors.find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    let (folder, real) = real?;
    Some(real.join(path.strip_prefix(folder).ok()?))
}
