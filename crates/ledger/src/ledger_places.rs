use std::path::Path;

use windlass_store::{OtherKind, RootedPath, files_in, other_at};

use crate::LedgerError;

/// Paths of a ledger's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The folder containing `.beads`.
    root: RootedPath,
    /// Folder in git's common directory, shared by all working trees. `None` without git.
    shared: Option<RootedPath>,
    /// The caller's working tree, if it isn't `root`.
    linked: Option<RootedPath>,
}

/// Path of the log inside a working tree. If the real log is in git's common directory, this file
/// is a copy.
const LOG_COPY: &str = ".beads/events.jsonl";

/// Files in which other tools store or export beads as JSON Lines.
const RECORD_FILES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// Files that only other tools put into `.beads`. If one is present, the folder isn't ours to
/// write.
const FOREIGN_FILES: [&str; 6] = [
    "metadata.json",
    "config.yaml",
    "dolt",
    "embeddeddolt",
    "issues.jsonl",
    "beads.jsonl",
];

impl Places {
    /// Returns the places of a ledger in the working tree `root`. The log goes into `shared`, since
    /// no checkout touches that folder.
    #[must_use]
    pub fn new(root: &Path, shared: Option<RootedPath>) -> Self {
        Self {
            root: RootedPath::new(root),
            shared,
            linked: None,
        }
    }

    /// Returns the places as seen from the working tree `tree`. Reads then include the log copy in
    /// that tree, and writes update it.
    pub(crate) fn seen_from(mut self, tree: &Path) -> Self {
        let is_linked = tree != self.root.path() && self.shared.is_some();
        self.linked = is_linked.then(|| RootedPath::new(tree));
        self
    }

    /// Returns the folder containing `.beads`.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns the path of the file or folder `name` in the root.
    #[must_use]
    pub fn in_root(&self, name: &str) -> RootedPath {
        self.root.join(name)
    }

    /// Returns the `.beads` folder shared by all working trees.
    #[must_use]
    pub fn beads(&self) -> RootedPath {
        self.root.join(".beads")
    }

    /// Returns the folder for Windlass's own files: locks, checkpoint and notes.
    #[must_use]
    pub(crate) fn home(&self) -> RootedPath {
        let own = || self.beads().join(".windlass");
        self.shared.clone().unwrap_or_else(own)
    }

    /// Returns the path of the log, where events are appended.
    #[must_use]
    pub fn journal(&self) -> RootedPath {
        match &self.shared {
            Some(shared) => shared.join("events.jsonl"),
            None => self.in_beads(),
        }
    }

    /// Returns the log copies in working trees, with the caller's copy last. There are none if the
    /// log itself is in the working tree.
    pub(crate) fn copies(&self) -> Vec<RootedPath> {
        let copies = self.shared.iter().map(|_| self.in_beads());
        let linked = self.linked.iter().map(|tree| tree.join(LOG_COPY));
        copies.chain(linked).collect()
    }

    /// Returns the `.beads` folder in the caller's working tree, with the files tracked by git.
    pub(crate) fn tracked(&self) -> RootedPath {
        let tree = self.linked.as_ref().unwrap_or(&self.root);
        tree.join(".beads")
    }

    /// True if the log is outside the working tree and git carries copies of it.
    #[must_use]
    pub fn has_git(&self) -> bool {
        self.shared.is_some()
    }

    fn in_beads(&self) -> RootedPath {
        self.root.join(LOG_COPY)
    }

    /// Returns the name of a file that gives away `.beads` as another tool's. Returns `None` if the
    /// folder is missing or belongs to Windlass.
    ///
    /// # Errors
    /// Returns an error if the folder can't be listed.
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

    /// Checks that `.beads` doesn't belong to another tool.
    ///
    /// # Errors
    /// Returns [`LedgerError::Foreign`] if it does, or another error if the folder can't be listed.
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

    /// Checks that no ledger folder or log is a symbolic link, since a link could redirect our
    /// writes outside the repository.
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
