//! Manages the folders outside of a repository that are searched for its formulas.
//!
//! A formula can run programs, so adding a folder means trusting every file in it. For the same
//! reason, the list is not part of the repository but stored in the user's data folder: cloning a
//! repository does not add anything.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_repo::Owner;
use windlass_site::{Error, Site};
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use super::FormulaError;

const SCHEMA_VERSION: u32 = 1;
const MAX_BYTES: u64 = 1 << 20;

/// The file with the list of folders, stored beside the repository's notebook.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PathsFile {
    schema_version: u32,
    /// The repository that the list was made for. If another one has taken its place, we ignore the
    /// list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// The folders in search order, with all links resolved.
    #[serde(default)]
    paths: Vec<PathBuf>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The folders added by the user to a repository's search path.
#[derive(Debug, Clone)]
pub struct FormulaPaths {
    site: Site,
}

impl FormulaPaths {
    pub(super) fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// The folders in search order, with all links resolved.
    ///
    /// # Errors
    /// Returns an error if the list exists but cannot be read.
    pub fn all(&self) -> Result<Vec<PathBuf>, Error> {
        Ok(self.read()?.paths)
    }

    /// Adds a folder: a pack, a pack's folder of formulas, or a folder with several packs.
    ///
    /// A relative path starts at `start`. Returns the folder with all links resolved, and false if
    /// it was already in the list.
    ///
    /// # Errors
    /// Returns an error if `folder` is not a folder, or if the list cannot be read or written. A
    /// folder that contains the user's home is refused, since trusting it would mean trusting all
    /// of the user's files.
    pub fn add(&self, folder: &Path, start: &Path) -> Result<(PathBuf, bool), Error> {
        let missing = || FormulaError::NoFolder(folder.to_owned());
        let target = start.join(folder).canonicalize().map_err(|_| missing())?;
        if !target.is_dir() {
            return Err(missing().into());
        }
        if let Some(contents) = self.contents_beyond_formulas(&target) {
            return Err(FormulaError::TooWide(target, contents).into());
        }
        let is_new = self.edit(|paths| {
            let is_new = !paths.contains(&target);
            if is_new {
                paths.push(target.clone());
            }
            is_new
        })?;
        Ok((target, is_new))
    }

    /// Removes a folder, and returns false if it was not in the list. A relative path starts at
    /// `start`.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn remove(&self, folder: &Path, start: &Path) -> Result<bool, Error> {
        let typed = start.join(folder);
        // The folder may have been deleted in the meantime. In that case, compare the path as
        // typed.
        let target = typed.canonicalize().unwrap_or(typed);
        self.edit(|paths| {
            let before = paths.len();
            paths.retain(|path| *path != target);
            paths.len() < before
        })
    }

    /// Returns what else `folder` contains if trusting it would mean trusting all of the user's
    /// files.
    fn contents_beyond_formulas(&self, folder: &Path) -> Option<&'static str> {
        let home = self.site.environment().get("HOME").map(Path::new);
        let home = home.and_then(|home| home.canonicalize().ok());
        match folder.parent() {
            None => Some("the whole file system"),
            Some(_) if home.is_some_and(|home| home.starts_with(folder)) => {
                Some("your home folder")
            }
            Some(_) => None,
        }
    }

    fn read(&self) -> Result<PathsFile, Error> {
        let list: PathsFile =
            read_document(&self.place()?, SCHEMA_VERSION, MAX_BYTES)?.unwrap_or_default();
        let is_own = |owner: &Owner| owner.check(self.site.repo()).is_ok();
        match list.repo.as_ref().is_none_or(is_own) {
            true => Ok(list),
            false => Ok(PathsFile::default()),
        }
    }

    fn edit<T>(&self, change: impl FnOnce(&mut Vec<PathBuf>) -> T) -> Result<T, Error> {
        let (site, place) = (&self.site, self.place()?);
        let _guard = Lock::acquire(&place.with_extension("lock"), &site.lock_request())?;
        let mut list = self.read()?;
        let changed = change(&mut list.paths);
        list.schema_version = SCHEMA_VERSION;
        list.repo = Some(Owner::of(site.repo(), list.repo.as_ref()));
        let text = serde_json::to_vec_pretty(&list).map_err(Error::internal)?;
        write_atomic(&place, &text, Durability::Fsync)?;
        Ok(changed)
    }

    fn place(&self) -> Result<RootedPath, Error> {
        let repo = &self.site.repo().identity().repo_id;
        let data = self.site.dirs()?.data.join("repos").join(repo);
        Ok(data.join("formula-paths.json"))
    }
}
