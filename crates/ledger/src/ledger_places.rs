//! Paths of a ledger's files.
//!
//! With git, the log is in git's common folder, where no checkout or merge touches it, and each
//! working tree has a copy in its `.beads`. Without git, the log itself is in `.beads`. Several
//! working trees of one repository share a single ledger.

use std::path::Path;

use windlass_store::{Disk, OtherKind, RootedPath, files_in, other_at};

use crate::LedgerError;

/// Paths of a ledger's files. Nothing has to exist there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    root: RootedPath,
    /// Our folder in git's common directory, which all working trees share. `None` without git.
    shared: Option<RootedPath>,
    /// The caller's working tree, if it is not `root`.
    linked: Option<RootedPath>,
}

/// Path of the log in a working tree. It is only a copy if the real log is in git's common
/// directory.
const LOG_COPY: &str = ".beads/events.jsonl";

/// Files in which other tools keep or export beads, as JSON Lines.
const RECORD_FILES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// Files by which we recognise the `.beads` of another tool. Some of these names are ours too, but
/// then our log is next to them. We never write to another tool's folder.
const FOREIGN_FILES: [&str; 6] = [
    "metadata.json",
    "config.yaml",
    "dolt",
    "embeddeddolt",
    "issues.jsonl",
    "beads.jsonl",
];

impl Places {
    /// Returns the places of a ledger in the working tree `root`. If there is a `shared` folder,
    /// the log goes there.
    #[must_use]
    pub fn new(root: &Path, shared: Option<RootedPath>) -> Self {
        Self {
            root: RootedPath::new(root),
            shared,
            linked: None,
        }
    }

    /// The same paths on another `disk`, which a test can make fail.
    #[must_use]
    pub(crate) fn on(self, disk: &Disk) -> Self {
        let on = |place: RootedPath| place.on(disk);
        Self {
            root: on(self.root),
            shared: self.shared.map(on),
            linked: self.linked.map(on),
        }
    }

    /// Adds the working tree `tree` of the caller. Reads then include its copy of the log, and
    /// writes update it.
    pub(crate) fn seen_from(mut self, tree: &Path) -> Self {
        let is_linked = tree != self.root.path() && self.shared.is_some();
        self.linked = is_linked.then(|| RootedPath::new(tree));
        self
    }

    /// The folder containing `.beads`. The caller may be in another working tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Path of the file or folder `name` next to `.beads`.
    #[must_use]
    pub fn in_root(&self, name: &str) -> RootedPath {
        self.root.join(name)
    }

    /// The `.beads` folder in the root, which all working trees share.
    #[must_use]
    pub fn beads(&self) -> RootedPath {
        self.root.join(".beads")
    }

    /// The folder for Windlass's own files, e.g. locks and the checkpoint.
    #[must_use]
    pub(crate) fn home(&self) -> RootedPath {
        let own = || self.beads().join(".windlass");
        self.shared.clone().unwrap_or_else(own)
    }

    /// Path of the log that we append events to.
    #[must_use]
    pub fn journal(&self) -> RootedPath {
        match &self.shared {
            Some(shared) => shared.join("events.jsonl"),
            None => self.in_beads(),
        }
    }

    /// Returns the log copies in working trees, the caller's own last. There are none if the log
    /// itself is in the working tree.
    pub(crate) fn copies(&self) -> Vec<RootedPath> {
        let copies = self.shared.iter().map(|_| self.in_beads());
        let linked = self.linked.iter().map(|tree| tree.join(LOG_COPY));
        copies.chain(linked).collect()
    }

    /// The `.beads` folder in the caller's working tree, with the files that git tracks.
    pub(crate) fn tracked(&self) -> RootedPath {
        let tree = self.linked.as_ref().unwrap_or(&self.root);
        tree.join(".beads")
    }

    /// True if the log is outside the working tree, so that git carries copies of it instead.
    #[must_use]
    pub fn has_git(&self) -> bool {
        self.shared.is_some()
    }

    fn in_beads(&self) -> RootedPath {
        self.root.join(LOG_COPY)
    }

    /// Name of a file that shows that `.beads` belongs to another tool. `None` if nothing points to
    /// that, e.g. because our log is there.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub(crate) fn foreign_sign(&self) -> Result<Option<String>, LedgerError> {
        if self.journal().is_there() || self.in_beads().is_there() {
            return Ok(None);
        }
        let beads = self.beads();
        if let Some(sign) = FOREIGN_FILES
            .iter()
            .find(|sign| beads.join(sign).is_there())
        {
            return Ok(Some((*sign).to_owned()));
        }
        let databases = files_in(&beads, |name| name.ends_with(".db"))?;
        Ok(databases.into_iter().next().map(|file| file.name))
    }

    /// Checks that `.beads` does not belong to another tool.
    ///
    /// # Errors
    /// Returns [`LedgerError::Foreign`] if it does, or another error if the folder cannot be
    /// listed.
    pub fn check_own(&self) -> Result<(), LedgerError> {
        let Some(sign) = self.foreign_sign()? else {
            return Ok(());
        };
        let records = RECORD_FILES
            .iter()
            .find(|name| self.beads().join(name).is_file());
        Err(LedgerError::Foreign {
            folder: ".beads".to_owned(),
            sign,
            records: records.map(|name| format!(".beads/{name}")),
        })
    }

    /// Checks that no ledger folder or log is a symbolic link. A link could redirect our writes to
    /// a place outside the repository.
    pub(crate) fn check_links(&self) -> Result<(), LedgerError> {
        let is_link = |place: &RootedPath| other_at(place) == Some(OtherKind::Link);
        let inside = ["mols", "evidence"].map(|name| self.beads().join(name));
        let own = [self.beads(), self.in_beads(), self.tracked()];
        let mut places = own.into_iter().chain(inside).chain(self.copies());
        match places.find(is_link) {
            Some(link) => Err(LedgerError::Link(link.path().to_owned())),
            None => Ok(()),
        }
    }
}
