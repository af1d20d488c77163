//! Entry point to the runs of a repository.

use windlass_notebook::{NotebookDesk, RunbookShelf};
use windlass_packs::KeptPacks;
use windlass_plan::Catalog;
use windlass_plugin::PluginService;
use windlass_site::{Error, Site};

use crate::records::{RunRecords, RunSummary};
use crate::run_catalog::step_catalog;
use crate::trust::TrustService;

/// Runs a repository's runbooks, and gives access to their records.
#[derive(Debug, Clone)]
pub struct RunService {
    pub(crate) site: Site,
    pub(crate) desk: NotebookDesk,
    pub(crate) records: RunRecords,
}

impl RunService {
    /// Creates the service. Nothing is read from disk yet.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            desk: NotebookDesk::new(site),
            records: RunRecords::new(site),
        }
    }

    /// Returns the records of this repository's runs.
    #[must_use]
    pub fn records(&self) -> &RunRecords {
        &self.records
    }

    /// Returns the step kinds available to runbooks, see [`step_catalog`].
    #[must_use]
    pub fn step_catalog(&self) -> Catalog {
        step_catalog(&self.site)
    }

    /// Returns a service that resolves all runbooks in the same state of the notebook, which is
    /// read on first use.
    pub(crate) fn with_one_notebook(&self) -> Self {
        Self {
            desk: self.desk.with_one_state(),
            ..self.clone()
        }
    }

    pub(crate) fn shelf(&self) -> RunbookShelf {
        RunbookShelf::at(self.desk.clone())
    }

    pub(crate) fn trust(&self) -> TrustService {
        TrustService::of_shelf(&self.site, self.shelf())
    }

    pub(crate) fn plugins(&self) -> PluginService {
        PluginService::new(&self.site)
    }

    pub(crate) fn packs(&self) -> KeptPacks {
        KeptPacks::new(&self.site)
    }

    /// Lists up to `limit` runs of this working tree, newest first. If `runbook` is given, only its
    /// runs are listed. Unreadable records are skipped.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read, or if neither a run nor a
    /// runbook is called `runbook`.
    pub fn list(&self, runbook: Option<&str>, limit: usize) -> Result<Vec<RunSummary>, Error> {
        let mut heads = self.records.run_heads()?;
        if let Some(name) = runbook {
            heads.retain(|head| head.runbook.is_called(name));
            if heads.is_empty() {
                // A runbook that has never run is fine, but a misspelled name should be an error
                // and not an empty list.
                self.shelf().check_there_is(name)?;
            }
        }
        let records = heads
            .into_iter()
            .filter_map(|head| self.records.run_record(&head.id).ok());
        Ok(records.take(limit).map(|record| record.summary()).collect())
    }
}
