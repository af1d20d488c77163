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

/// The inputs of a pack build: one state of the repository, and the request.
pub(super) struct Ground<'w> {
    pub(super) site: &'w Site,
    pub(super) shelf: &'w NamedPacks,
    pub(super) snapshot: Snapshot,
    pub(super) cancel: Cancel,
    pub(super) request: &'w BuildPack,
    /// All files in the repository, sorted by path.
    pub(super) files: Vec<RepoPath>,
    /// Files whose names probably contain a secret value. We can't include them, because a pack
    /// names its files.
    pub(super) unnameable: BTreeSet<RepoPath>,
    /// Files with test results in the repository. We list them as results, not as relevant files.
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

    /// Returns the error for a name other than that of a repository file. The error must not reveal
    /// what exists elsewhere, since confined callers may only see the repository.
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

    /// Returns a file name, with its section if any, in a form that's valid on any machine. The
    /// name is relative to the root, or just the last part of the path for a file outside of the
    /// repository.
    pub(super) fn portable(&self, name: &str) -> String {
        let (path, section) = match name.split_once('#') {
            Some((path, section)) => (path, format!("#{section}")),
            None => (name, String::new()),
        };
        let last = || path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let inside = self.named(path);
        inside.map_or_else(|_| last(), |path| path.to_string()) + &section
    }

    /// Converts a name like [`Self::portable`]. The name is that of a pack or commit, so there may
    /// not be such a file.
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

    /// Returns true if `name` may refer to a pack. In exact mode, it has to be a whole id.
    pub(super) fn may_name_pack(&self, name: &str) -> bool {
        !self.request.exact || whole_id(name).is_some()
    }

    /// Returns true if a change of the file at `path` is reported.
    pub(super) fn is_told(&self, path: &RepoPath) -> bool {
        !self.results.contains(path) && !is_bookkeeping(path)
    }

    /// Returns the file at the path `name`, or else the only file whose path ends in it. Programs
    /// name files relative to the folder they run in.
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
        // An absolute path starts with the folders above the repository. Use the longest end that
        // matches a file.
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

/// Resolves `.` and `..` in `path` by its text alone, without accessing the file system.
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
