//! What a pack is made of: the repository in one state, and what was asked for.

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

/// What a pack is made of: the repository in one state, and what was asked for.
pub(super) struct Ground<'w> {
    pub(super) site: &'w Site,
    pub(super) shelf: &'w NamedPacks,
    pub(super) snapshot: Snapshot,
    pub(super) cancel: Cancel,
    pub(super) request: &'w BuildPack,
    /// All files of the repository, in the order of their paths.
    pub(super) files: Vec<RepoPath>,
    /// Files whose names hold what looks like a secret value: a pack names its files, so that these have no place in it.
    pub(super) unnameable: BTreeSet<RepoPath>,
    /// Files of the repository with results: they are named as such, and not among those that matter.
    pub(super) results: BTreeSet<RepoPath>,
}

impl Ground<'_> {
    /// The path of a file that was named, within the repository.
    pub(super) fn named(&self, name: &str) -> Result<RepoPath, Error> {
        let path = self.request.start.join(name);
        let found = self.site.repo().path_of(&path);
        let found = found.or_else(|| RepoPath::parse(name).ok());
        match found {
            Some(path) if self.unnameable.contains(&path) => Err(SiteError::Unreadable {
                file: safe(name),
                why: "its name holds what looks like a secret value, and a pack names its files"
                    .to_owned(),
                missing: false,
                secret: true,
            }
            .into()),
            found => found.ok_or_else(|| self.not_inside(name)),
        }
    }

    /// Why what was named is no file of the repository. Who may read nothing outside of it is not told what is there.
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

    /// What names a file, perhaps with a section, as it means the same wherever one stands and on another machine: from the root of the
    /// repository on, and of one that lies elsewhere its last part.
    pub(super) fn portable(&self, name: &str) -> String {
        let (path, section) = match name.split_once('#') {
            Some((path, section)) => (path, format!("#{section}")),
            None => (name, String::new()),
        };
        let last = || path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let inside = self.named(path);
        inside.map_or_else(|_| last(), |path| path.to_string()) + &section
    }

    /// The same of what names a pack or a commit, which may be no file.
    pub(super) fn portable_pack(&self, name: &str) -> String {
        let is_file = self.request.start.join(name).is_file();
        match is_file || std::path::Path::new(name).is_absolute() {
            true => self.portable(name),
            false => name.to_owned(),
        }
    }

    /// How many threads may compute at once.
    pub(super) fn threads(&self) -> usize {
        self.site.environment().threads.get()
    }

    /// Whether `name` may name a pack.
    pub(super) fn may_name_pack(&self, name: &str) -> bool {
        !self.request.exact || whole_id(name).is_some()
    }

    /// Whether it is told that the file at `path` changed.
    pub(super) fn is_told(&self, path: &RepoPath) -> bool {
        !self.results.contains(path) && !is_bookkeeping(path)
    }

    /// The file whose path is `name`, or the only one whose path ends so: programs name files from the folder they run in.
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
        // A whole path has the names of folders that lead to the repository before it: the most of it counts.
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

/// `path` without `.` and `..`, as it is written: no folder is looked at.
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
