use std::path::Path;

use windlass_store::{OtherKind, RootedPath, files_in, other_at};

use crate::LedgerError;

/// Where a ledger lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The folder that `.beads` lies in.
    root: RootedPath,
    /// The folder beside git's own that all working trees share, if there is one.
    shared: Option<RootedPath>,
    /// Another working tree of the same repository, in which the caller is.
    linked: Option<RootedPath>,
}

/// Path of the log, or of its copy, in a working tree.
const COPY: &str = ".beads/events.jsonl";

/// Where other tools keep their beads as lines, or write them for others.
const RECORDS: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// What only other tools put into `.beads`: databases, and what describes them.
const SIGNS: [&str; 6] = [
    "metadata.json",
    "config.yaml",
    "dolt",
    "embeddeddolt",
    "issues.jsonl",
    "beads.jsonl",
];

impl Places {
    /// The ledger of the working tree `root`, whose log is also kept in `shared`, a folder that no checkout touches.
    #[must_use]
    pub fn new(root: &Path, shared: Option<RootedPath>) -> Self {
        Self {
            root: RootedPath::new(root),
            shared,
            linked: None,
        }
    }

    /// The same ledger for a caller in the working tree `tree`: its copy of the log is read as well, and is the one that
    /// is written.
    pub(crate) fn seen_from(mut self, tree: &Path) -> Self {
        let is_linked = tree != self.root.path() && self.shared.is_some();
        self.linked = is_linked.then(|| RootedPath::new(tree));
        self
    }

    /// The folder that `.beads` lies in.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The file or folder `name` of it.
    #[must_use]
    pub fn in_root(&self, name: &str) -> RootedPath {
        self.root.join(name)
    }

    /// The folder everybody looks into.
    #[must_use]
    pub fn beads(&self) -> RootedPath {
        self.root.join(".beads")
    }

    /// What is ours alone: locks, checkpoint, notes.
    #[must_use]
    pub(crate) fn home(&self) -> RootedPath {
        let own = || self.beads().join(".windlass");
        self.shared.clone().unwrap_or_else(own)
    }

    /// The log that is appended to, and what everything follows from.
    pub(crate) fn journal(&self) -> RootedPath {
        match &self.shared {
            Some(shared) => shared.join("events.jsonl"),
            None => self.in_beads(),
        }
    }

    /// Copies of the log in working trees, that of the caller last; none where the log itself is in the working tree.
    pub(crate) fn copies(&self) -> Vec<RootedPath> {
        let copies = self.shared.iter().map(|_| self.in_beads());
        let linked = self.linked.iter().map(|tree| tree.join(COPY));
        copies.chain(linked).collect()
    }

    /// The `.beads` folder whose files git tracks for the caller.
    pub(crate) fn tracked(&self) -> RootedPath {
        let tree = self.linked.as_ref().unwrap_or(&self.root);
        tree.join(".beads")
    }

    /// True if the log is outside of the working tree, and git carries copies of it.
    #[must_use]
    pub fn has_git(&self) -> bool {
        self.shared.is_some()
    }

    fn in_beads(&self) -> RootedPath {
        self.root.join(COPY)
    }

    /// What shows that `.beads` belongs to another tool; nothing where it is ours, or not there.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub(crate) fn foreign_sign(&self) -> Result<Option<String>, LedgerError> {
        if self.journal().is_there() || self.in_beads().is_there() {
            return Ok(None);
        }
        let beads = self.beads();
        if let Some(sign) = SIGNS.iter().find(|sign| beads.join(sign).is_there()) {
            return Ok(Some((*sign).to_owned()));
        }
        let databases = files_in(&beads, |name| name.ends_with(".db"))?;
        Ok(databases.into_iter().next().map(|file| file.name))
    }

    /// What is told where `.beads` belongs to another tool.
    ///
    /// # Errors
    /// That it does; when the folder cannot be listed.
    pub fn check_own(&self) -> Result<(), LedgerError> {
        let Some(sign) = self.foreign_sign()? else {
            return Ok(());
        };
        let records = RECORDS
            .iter()
            .find(|name| self.beads().join(name).is_file());
        Err(LedgerError::Foreign {
            folder: ".beads".to_owned(),
            sign,
            records: records.map(|name| format!(".beads/{name}")),
        })
    }

    /// That nothing is written through a link.
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
