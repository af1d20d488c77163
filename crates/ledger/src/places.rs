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
}

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
        }
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

    /// Its copy in the working tree, where that is not the log itself.
    pub(crate) fn mirror(&self) -> Option<RootedPath> {
        self.shared.as_ref().map(|_| self.in_beads())
    }

    fn in_beads(&self) -> RootedPath {
        self.beads().join("events.jsonl")
    }

    /// What shows that `.beads` belongs to another tool; nothing where it is ours, or not there.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn foreign_sign(&self) -> Result<Option<String>, LedgerError> {
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
        let own = [self.beads(), self.in_beads()];
        let mut places = own.into_iter().chain(inside);
        match places.find(is_link) {
            Some(link) => Err(LedgerError::Link(link.path().to_owned())),
            None => Ok(()),
        }
    }
}
