use std::path::Path;
use std::sync::Arc;

use windlass_base::Cancel;
use windlass_cite::CitationService;
use windlass_context::PackService;
use windlass_find::{FindRequest, Found};
use windlass_formula::FormulaService;
use windlass_impact::ImpactService;
use windlass_ledger::LedgerService;
use windlass_memory::MemoryService;
use windlass_molecule::MoleculeService;
use windlass_notebook::{NotebookService, RunbookShelf};
use windlass_packs::KeptPacks;
use windlass_plugin::PluginService;
use windlass_runs::{RunService, TrustService};
use windlass_site::{Environment, Error, Site};
use windlass_vcontext::DocumentService;

/// A repository, and the data stored about it.
#[derive(Debug, Clone)]
pub struct Workspace {
    site: Site,
}

impl Workspace {
    /// Opens the repository around `start`.
    ///
    /// # Errors
    /// If there is no such folder, or its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::discover(start, environment)?))
    }

    /// Opens the repository with the root `root`.
    ///
    /// # Errors
    /// As [`Workspace::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::open(root, environment)?))
    }

    fn of(site: Site) -> Self {
        Self { site }
    }

    /// Returns the repository's site, through which its files and stored data are accessed.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Changes the site's settings, for example with [`Site::confined`].
    #[must_use]
    pub fn with(self, changed: impl FnOnce(Site) -> Site) -> Self {
        Self::of(changed(self.site))
    }

    /// Returns the shared work log with beads, mail, hooks and agents.
    #[must_use]
    pub fn ledger(&self) -> LedgerService {
        self.molecules().ledger().clone()
    }

    /// Returns the available formulas.
    #[must_use]
    pub fn formulas(&self) -> FormulaService {
        FormulaService::new(&self.site)
    }

    /// Returns the molecules, which are poured formulas in progress.
    #[must_use]
    pub fn molecules(&self) -> MoleculeService {
        MoleculeService::new(&self.site)
    }

    /// Returns the service for vContext documents.
    #[must_use]
    pub fn documents(&self) -> DocumentService {
        DocumentService::new(&self.site)
    }

    /// Returns the service for context packs.
    #[must_use]
    pub fn packs(&self) -> PackService {
        PackService::new(&self.site)
    }

    /// Returns stored packs that were truncated.
    #[must_use]
    pub fn kept_packs(&self) -> KeptPacks {
        KeptPacks::new(&self.site)
    }

    /// Finds the places that best answer a question. See [`windlass_find::find`].
    ///
    /// # Errors
    /// See [`windlass_find::find`].
    pub fn find(&self, request: &FindRequest, cancel: &Cancel) -> Result<Found, Error> {
        windlass_find::find(&self.site, request, cancel)
    }

    /// Returns the notebook, with anchors, suggestions, history, export and import.
    #[must_use]
    pub fn notebook(&self) -> NotebookService {
        NotebookService::new(&self.site, Arc::new(self.trust()))
    }

    /// Returns the runbooks that can be run by name.
    #[must_use]
    pub fn runbooks(&self) -> RunbookShelf {
        RunbookShelf::new(&self.site)
    }

    /// Returns the repository's memory.
    #[must_use]
    pub fn memory(&self) -> MemoryService {
        MemoryService::new(&self.site)
    }

    /// Returns the citations in documents.
    #[must_use]
    pub fn citations(&self) -> CitationService {
        CitationService::new(&self.notebook())
    }

    /// Returns the current change's impact on evidence.
    #[must_use]
    pub fn impact(&self) -> ImpactService {
        ImpactService::new(&self.notebook())
    }

    /// Returns runs of runbooks, and their records.
    #[must_use]
    pub fn runs(&self) -> RunService {
        RunService::new(&self.site)
    }

    /// Returns the user's trust: permissions to start programs, and to make secret paths readable.
    #[must_use]
    pub fn trust(&self) -> TrustService {
        TrustService::new(&self.site)
    }

    /// Returns the plugins available to runbooks.
    #[must_use]
    pub fn plugins(&self) -> PluginService {
        PluginService::new(&self.site)
    }
}
