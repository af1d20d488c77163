use std::collections::BTreeSet;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site, SiteError};
use windlass_steps::whole_id;

use super::bookkeeping::is_bookkeeping;
use super::nameable::safe;
use super::pack_request::BuildPack;
use crate::context_error::ContextError;
use crate::named_packs::NamedPacks;

/// Everything that a build depends on: a snapshot of the repository, and the request.
pub(super) struct Ground<'w> {
    pub(super) site: &'w Site,
    pub(super) shelf: &'w NamedPacks,
    pub(super) snapshot: Snapshot,
    pub(super) cancel: Cancel,
    pub(super) request: &'w BuildPack,
    /// All files, sorted by path.
    pub(super) files: Vec<RepoPath>,
    /// Files that probably have a secret in their name. A pack names its files, so these are left
    /// out.
    pub(super) unnameable: BTreeSet<RepoPath>,
    /// Files with test results in the repository. A pack lists these as results, and not as
    /// relevant files.
    pub(super) results: BTreeSet<RepoPath>,
}

impl Ground<'_> {
    /// Resolves `name`, starting from the start folder or else from the root.
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

    /// Creates the error for a name that is not a file in the repository. A confined caller may
    /// only see the repository, so the error must not tell if there is a file of this name
    /// elsewhere.
    fn not_inside(&self, name: &str) -> Error {
        let root = self.site.repo().root();
        let path = self.request.start.join(name);
        if self.site.is_confined() {
            return match windlass_base::lexical(&path).starts_with(root) {
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

    /// Converts a name (and the section after it, if any) to a form that is valid on any machine: a
    /// path from the root or, for a file outside of the repository, just the last part. Otherwise,
    /// the same request would give another pack in another place.
    pub(super) fn portable(&self, name: &str) -> String {
        let (path, section) = match name.split_once('#') {
            Some((path, section)) => (path, format!("#{section}")),
            None => (name, String::new()),
        };
        let last = || path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let inside = self.named(path);
        inside.map_or_else(|_| last(), |path| path.to_string()) + &section
    }

    /// Like [`Self::portable`], but for a pack or a commit. These may have a name that is not a
    /// file.
    pub(super) fn portable_pack(&self, name: &str) -> String {
        let is_file = self.request.start.join(name).is_file();
        match is_file || std::path::Path::new(name).is_absolute() {
            true => self.portable(name),
            false => name.to_owned(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.site.environment().threads.get()
    }

    /// True if `name` may be the name of a pack. In exact mode, it has to be a whole ID.
    pub(super) fn may_name_pack(&self, name: &str) -> bool {
        !self.request.exact || whole_id(name).is_some()
    }

    /// True if changes of this file should be reported. Results and bookkeeping are not of
    /// interest.
    pub(super) fn is_told(&self, path: &RepoPath) -> bool {
        !self.results.contains(path) && !is_bookkeeping(path)
    }

    /// Finds the file called `name`, or else the only one whose path ends with it.
    ///
    /// Programs print paths relative to the folder that they run in, which we do not know. Note
    /// that we may find a wrong file if the right one is not in the repository.
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
        // An absolute path starts with folders that we don't know, so take the longest end of it
        // that's a file of ours.
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
