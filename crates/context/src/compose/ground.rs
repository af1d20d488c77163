//! Inputs of a pack build.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site, SiteError};
use windlass_steps::whole_id;

use super::bookkeeping::is_bookkeeping;
use super::nameable::safe;
use super::pack_request::BuildPack;
use crate::context_error::ContextError;
use crate::named_packs::NamedPacks;

/// Inputs of a pack build: one state of the repository, and the request.
pub(super) struct Ground<'w> {
    pub(super) site: &'w Site,
    pub(super) shelf: &'w NamedPacks,
    pub(super) snapshot: Snapshot,
    pub(super) cancel: Cancel,
    pub(super) request: &'w BuildPack,
    /// All files in the repository, sorted by path.
    pub(super) files: Vec<RepoPath>,
    /// Files whose names probably contain a secret value. A pack names its files, so it cannot include them.
    pub(super) unnameable: BTreeSet<RepoPath>,
    /// Files in the repository that contain test results. They are listed as results and not as relevant files.
    pub(super) results: BTreeSet<RepoPath>,
}

impl Ground<'_> {
    /// Returns the repository path of the file `name`.
    pub(super) fn named(&self, name: &str) -> Result<RepoPath, Error> {
        let path = self.request.start.join(name);
        let found = self.site.repo().path_of(&path);
        let found = found.or_else(|| RepoPath::parse(name).ok());
        match found {
            Some(path) if self.unnameable.contains(&path) => Err(SiteError::Unreadable {
                file: safe(name),
                why: "its name contains a probable secret value, and a pack prints the names of its files"
                    .to_owned(),
                missing: false,
                secret: true,
            }
            .into()),
            found => found.ok_or_else(|| self.not_inside(name)),
        }
    }

    /// Returns the error for a name that is not a file in the repository. A confined caller may only see the
    /// repository, so the error must not show what exists outside of it.
    fn not_inside(&self, name: &str) -> Error {
        let root = self.site.repo().root();
        let path = self.request.start.join(name);
        if self.site.is_confined() {
            return match lexically(&path).starts_with(root) {
                true => Error::missing(name),
                false => SiteError::Outside(name.to_owned()).into(),
            };
        }
        match path.canonicalize() {
            Ok(found) if !found.starts_with(root) => {
                ContextError::OutsideOfPacks(name.to_owned()).into()
            }
            _ => Error::missing(name),
        }
    }

    /// Returns a file name in a form that is valid on any machine, with its section if it has one. The name is relative
    /// to the root. For a file outside of the repository, it is only the last part of the path.
    pub(super) fn portable(&self, name: &str) -> String {
        let (path, section) = match name.split_once('#') {
            Some((path, section)) => (path, format!("#{section}")),
            None => (name, String::new()),
        };
        let last = || path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let inside = self.named(path);
        inside.map_or_else(|_| last(), |path| path.to_string()) + &section
    }

    /// Converts a name like [`Self::portable`]. The name is that of a pack or commit, so it need not be a file.
    pub(super) fn portable_pack(&self, name: &str) -> String {
        let is_file = self.request.start.join(name).is_file();
        match is_file || std::path::Path::new(name).is_absolute() {
            true => self.portable(name),
            false => name.to_owned(),
        }
    }

    /// Returns the number of threads to use.
    pub(super) fn threads(&self) -> usize {
        self.site.environment().threads.get()
    }

    /// True if `name` may refer to a pack. In exact mode, only a whole id may.
    pub(super) fn may_name_pack(&self, name: &str) -> bool {
        !self.request.exact || whole_id(name).is_some()
    }

    /// True if a change of the file at `path` is reported.
    pub(super) fn is_told(&self, path: &RepoPath) -> bool {
        !self.results.contains(path) && !is_bookkeeping(path)
    }

    /// Returns the file at the path `name`, or the only file whose path ends in it. Programs name files relative to the
    /// folder in which they run.
    pub(super) fn file_ending(&self, name: &str) -> Option<RepoPath> {
        let name = &*name.replace('\\', "/");
        let name = name.trim_start_matches("./");
        if let Ok(at) = self.files.binary_search_by(|path| path.as_str().cmp(name)) {
            return self.files.get(at).cloned();
        }
        let ending = format!("/{}", name.trim_start_matches('/'));
        let below = |path: &&RepoPath| path.as_str().ends_with(&ending);
        let mut below = self.files.iter().filter(below);
        match (below.next(), below.next()) {
            (Some(one), None) => return Some(one.clone()),
            (Some(_), Some(_)) => return None,
            _ => {}
        }
        // An absolute path begins with the folders above the repository. The longest end that matches a file is used.
        let mut rest = ending.trim_start_matches('/');
        while let Some((_, shorter)) = rest.split_once('/') {
            rest = shorter;
            if let Ok(at) = self.files.binary_search_by(|path| path.as_str().cmp(rest)) {
                return self.files.get(at).cloned();
            }
        }
        None
    }
}

/// Resolves `.` and `..` in `path` by its text alone, without access to the file system.
fn lexically(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
