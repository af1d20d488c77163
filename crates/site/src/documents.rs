//! Reads documents that the user names, and decides where we may write.
//!
//! The repository may contain symbolic links, and somebody may have put them there to make us read
//! or overwrite a file outside. So we follow links only where people commonly use them, and never
//! out of the repository.

use std::io;
use std::path::{Path, PathBuf};

use windlass_base::{Caller, RepoPath};
use windlass_repo::{
    MAX_FILE_BYTES, Refusal, Snapshot, is_pipe, read_bounded, read_foreign, read_pipe,
};
use windlass_store::RootedPath;

use crate::{Error, Site, SiteError};

/// Access to the documents of a [`Site`]. See [`Site::files`].
#[derive(Debug, Clone, Copy)]
pub struct SiteFiles<'a>(pub(crate) &'a Site);

impl SiteFiles<'_> {
    /// Returns the location of the repository's root.
    #[must_use]
    pub fn root_place(&self) -> RootedPath {
        RootedPath::new(self.0.repo().root()).on(self.0.disk())
    }

    /// Returns the location for writing a file in the repository. We do not follow any links.
    ///
    /// # Errors
    /// Returns an error if a part of the path is a link, or if the file is in a folder of git.
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
        Ok(place.map(|_| self.root_place().join(file.as_str())))
    }

    /// Returns the location for writing a document that people edit, too. In contrast to
    /// [`place_of`](Self::place_of), the document may be a link to another file in the repository.
    ///
    /// # Errors
    /// Returns an error if a link leads out of the repository, to a missing or secret file, or into
    /// a folder of git.
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
            // Otherwise, a link could make us overwrite a secret file.
            Some(inside) => match self.0.snapshot().read(&inside) {
                Err(refusal @ Refusal::Secret { .. }) => Err(unreadable(inside.as_str(), &refusal)),
                _ => self.place_of(&inside),
            },
            None => Err(led_out(file.as_str())),
        }
    }

    /// Resolves a file name to a path in the repository.
    ///
    /// The name is relative to `start` or, if that is outside of the repository, to the root. If
    /// the caller has named a root, any valid path is taken to be relative to that root, even if
    /// there is no such file.
    ///
    /// # Errors
    /// Returns an error if `file` is not in the repository.
    pub fn path_from(&self, file: &str, start: &Path) -> Result<RepoPath, Error> {
        if self.0.caller().and_then(Caller::root).is_some()
            && let Ok(path) = RepoPath::parse(file)
        {
            // The name may have been typed in another Unicode form than the one on disk.
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

    /// True if a part of `path` is a link out of the repository.
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

    /// Reads an input that can perhaps be read only once: standard input (`-`, read from `input`),
    /// or a pipe such as `<(…)` or a FIFO.
    ///
    /// Anything else is read by [`read_document`](Self::read_document). Returns a name for
    /// messages, and the bytes.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read, or if a pipe has more data than we accept in a
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

    /// Reads a document that the user names. Returns a name for messages, and the bytes.
    ///
    /// Within the repository, [`windlass_repo`] reads the file, and refuses to do so if it is
    /// secret. A file outside is read directly, unless the site is confined.
    ///
    /// # Errors
    /// Returns an error if the document cannot or must not be read.
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
                // Use the same limit as within the repository. The parser of the document may have
                // a lower one.
                let read = read_foreign(&path, MAX_FILE_BYTES);
                let bytes = read.map_err(|refusal| unreadable(name, &refusal))?;
                Ok((name.to_owned(), bytes))
            }
        }
    }
}

/// Reads a file in the repository, unless it is secret.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_inside(snapshot: &Snapshot, path: &RepoPath) -> Result<Vec<u8>, Error> {
    let source = snapshot
        .read(path)
        .map_err(|refusal| unreadable(path.as_str(), &refusal))?;
    Ok(source.bytes().to_vec())
}

/// Creates the error for a file that we cannot read.
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

/// Creates the error for a link out of the repository.
#[must_use]
pub fn led_out(file: &str) -> Error {
    refused(
        file,
        "links out of the repository are not followed: use the real path of the file",
    )
}

/// Creates the error for a file that we must not read or write.
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

/// Resolves the links in `path`. If the last parts do not exist, they stay as they are.
fn real_path(path: &Path) -> Option<PathBuf> {
    let mut ancestors = path.ancestors();
    let real = ancestors.find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    let (folder, real) = real?;
    Some(real.join(path.strip_prefix(folder).ok()?))
}
