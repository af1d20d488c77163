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

/// A repository, with the data that we have stored about it.
///
/// Services are created whenever they are needed, which is cheap: they do not read anything until
/// they are used.
#[derive(Debug, Clone)]
pub struct Workspace {
    site: Site,
}

impl Workspace {
    /// Opens the repository that `start` is in.
    ///
    /// # Errors
    /// Returns an error if there is no such folder, or if the repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::discover(start, environment)?))
    }

    /// Like [`Workspace::discover`], but `root` has to be the root of the repository.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Workspace::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::open(root, environment)?))
    }

    fn of(site: Site) -> Self {
        Self { site }
    }

    /// Returns the repository's files and the data that we have stored.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Changes settings of the site, for example with [`Site::confined`].
    #[must_use]
    pub fn with(self, changed: impl FnOnce(Site) -> Site) -> Self {
        Self::of(changed(self.site))
    }

    /// Returns the log of shared work: beads, mail, hooks and agents.
    #[must_use]
    pub fn ledger(&self) -> LedgerService {
        self.molecules().ledger().clone()
    }

    /// Returns the formulas, which can be poured.
    #[must_use]
    pub fn formulas(&self) -> FormulaService {
        FormulaService::new(&self.site)
    }

    /// Returns the molecules, which are poured formulas in progress.
    #[must_use]
    pub fn molecules(&self) -> MoleculeService {
        MoleculeService::new(&self.site)
    }

    /// Returns the vContext documents.
    #[must_use]
    pub fn documents(&self) -> DocumentService {
        DocumentService::new(&self.site)
    }

    /// Returns the service that builds context packs.
    #[must_use]
    pub fn packs(&self) -> PackService {
        PackService::new(&self.site)
    }

    /// Returns the packs that were cut when they were printed, so that the rest can be read.
    #[must_use]
    pub fn kept_packs(&self) -> KeptPacks {
        KeptPacks::new(&self.site)
    }

    /// Finds the places that answer a question best. See [`windlass_find::find`].
    ///
    /// # Errors
    /// Returns an error in the same cases as [`windlass_find::find`].
    pub fn find(&self, request: &FindRequest, cancel: &Cancel) -> Result<Found, Error> {
        windlass_find::find(&self.site, request, cancel)
    }

    /// Returns the notebook, with anchors, suggestions and the history, and for export and import.
    #[must_use]
    pub fn notebook(&self) -> NotebookService {
        NotebookService::new(&self.site, Arc::new(self.trust()))
    }

    /// Returns the runbooks that are available by name.
    #[must_use]
    pub fn runbooks(&self) -> RunbookShelf {
        RunbookShelf::new(&self.site)
    }

    /// Returns the memory of the repository.
    #[must_use]
    pub fn memory(&self) -> MemoryService {
        MemoryService::new(&self.site)
    }

    /// Returns the citations of files in Markdown documents.
    #[must_use]
    pub fn citations(&self) -> CitationService {
        CitationService::new(&self.notebook())
    }

    /// Returns the service that finds out what the current change makes stale.
    #[must_use]
    pub fn impact(&self) -> ImpactService {
        ImpactService::new(&self.notebook())
    }

    /// Returns the service that runs runbooks and knows about earlier runs.
    #[must_use]
    pub fn runs(&self) -> RunService {
        RunService::new(&self.site)
    }

    /// Returns what the user trusts, which may start programs or make secret paths readable.
    #[must_use]
    pub fn trust(&self) -> TrustService {
        TrustService::new(&self.site)
    }

    /// Returns the plugins that are available to runbooks.
    #[must_use]
    pub fn plugins(&self) -> PluginService {
        PluginService::new(&self.site)
    }
}
