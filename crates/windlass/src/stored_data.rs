use std::path::PathBuf;

use windlass_site::Error;

use crate::Workspace;

/// Kinds of data about a repository that other processes may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoredData {
    /// Records of runs.
    Runs,
    /// The log of beads, mail and molecules.
    Work,
    /// Anchors and saved runbooks.
    Notebook,
    /// The memory.
    Memory,
    /// Runbooks in the repository.
    Runbooks,
    /// Files with evidence in them.
    Evidence,
}

impl StoredData {
    /// Returns the kind's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Work => "work",
            Self::Notebook => "notebook",
            Self::Memory => "memory",
            Self::Runbooks => "runbooks",
            Self::Evidence => "evidence",
        }
    }
}

impl Workspace {
    /// Returns the folders whose files change with each kind of data. They need not exist.
    /// [`StoredData::Evidence`] has no folder: see [`windlass_site::SiteFiles::recorded_reads`].
    ///
    /// # Errors
    /// If the environment names no state folder.
    pub fn stored_data(&self) -> Result<Vec<(StoredData, PathBuf)>, Error> {
        let root = self.site().repo().root();
        let places = self.ledger().places();
        let runs = self.runs().records().runs_folder()?;
        let mut folders = vec![
            (StoredData::Runs, runs.path().to_owned()),
            (StoredData::Memory, root.join("memory")),
            (StoredData::Runbooks, root.join("runbooks")),
        ];
        let log = places.journal();
        let log = log.path();
        folders.extend(
            log.parent()
                .map(|folder| (StoredData::Work, folder.to_owned())),
        );
        let notebook = self.notebook().file();
        let notebook = notebook.path().parent();
        folders.extend(notebook.map(|folder| (StoredData::Notebook, folder.to_owned())));
        Ok(folders)
    }
}
