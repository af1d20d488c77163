use std::path::PathBuf;

use windlass_site::Error;

use crate::Workspace;

windlass_base::word_enum! {
    /// Kinds of data about a repository. Other processes may change them while a page shows them, so
    /// the web server watches their files.
    StoredData, "kind of data" {
        /// Records of runs.
        Runs = "runs",
        /// The log of beads, mail and molecules.
        Work = "work",
        /// Anchors and saved runbooks.
        Notebook = "notebook",
        /// The memory.
        Memory = "memory",
        /// Runbooks in the repository.
        Runbooks = "runbooks",
        /// Files that some evidence is about.
        Evidence = "evidence",
    }
}

impl Workspace {
    /// Returns the folder of each kind of data, whether or not it exists. When data changes, so do
    /// the files in its folder.
    ///
    /// [`StoredData::Evidence`] can be in any folder, see
    /// [`windlass_site::SiteFiles::recorded_reads`].
    ///
    /// # Errors
    /// Returns an error if the environment has no folder for state.
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
