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

/// A repository, and what is kept about it.
#[derive(Debug, Clone)]
pub struct Workspace {
    site: Site,
}

impl Workspace {
    /// Opens the repository that `start` lies in.
    ///
    /// # Errors
    /// When there is no such folder, or its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::discover(start, environment)?))
    }

    /// Opens the repository whose root is `root`.
    ///
    /// # Errors
    /// As [`Workspace::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        Ok(Self::of(Site::open(root, environment)?))
    }

    fn of(site: Site) -> Self {
        Self { site }
    }

    /// The repository at hand.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The same, at a site that is `changed`: see [`Site::confined`] and its kin.
    #[must_use]
    pub fn with(self, changed: impl FnOnce(Site) -> Site) -> Self {
        Self::of(changed(self.site))
    }

    /// The log of work that is shared: beads, mail, hooks, agents.
    #[must_use]
    pub fn ledger(&self) -> LedgerService {
        self.molecules().ledger().clone()
    }

    /// Formulas that are poured as molecules.
    #[must_use]
    pub fn formulas(&self) -> FormulaService {
        FormulaService::new(&self.site)
    }

    /// Molecules: formulas that were poured, and are worked through.
    #[must_use]
    pub fn molecules(&self) -> MoleculeService {
        MoleculeService::new(&self.site)
    }

    /// vContext documents.
    #[must_use]
    pub fn documents(&self) -> DocumentService {
        DocumentService::new(&self.site)
    }

    /// Context packs.
    #[must_use]
    pub fn packs(&self) -> PackService {
        PackService::new(&self.site)
    }

    /// Packs that were cut, kept for a while.
    #[must_use]
    pub fn kept_packs(&self) -> KeptPacks {
        KeptPacks::new(&self.site)
    }

    /// The places that answer a question best; see [`windlass_find::find`].
    ///
    /// # Errors
    /// As that.
    pub fn find(&self, request: &FindRequest, cancel: &Cancel) -> Result<Found, Error> {
        windlass_find::find(&self.site, request, cancel)
    }

    /// The notebook: anchors, suggestions, its changes, and how it is handed over.
    #[must_use]
    pub fn notebook(&self) -> NotebookService {
        NotebookService::new(&self.site, Arc::new(self.trust()))
    }

    /// The runbooks that can be run by name.
    #[must_use]
    pub fn runbooks(&self) -> RunbookShelf {
        RunbookShelf::new(&self.site)
    }

    /// The memory of the repository.
    #[must_use]
    pub fn memory(&self) -> MemoryService {
        MemoryService::new(&self.site)
    }

    /// What documents cite of the repository.
    #[must_use]
    pub fn citations(&self) -> CitationService {
        CitationService::new(&self.notebook())
    }

    /// What the change at hand makes stale.
    #[must_use]
    pub fn impact(&self) -> ImpactService {
        ImpactService::new(&self.notebook())
    }

    /// Runs of runbooks, and what is recorded of them.
    #[must_use]
    pub fn runs(&self) -> RunService {
        RunService::new(&self.site)
    }

    /// What may start programs, and whether secret paths may be made readable.
    #[must_use]
    pub fn trust(&self) -> TrustService {
        TrustService::new(&self.site)
    }

    /// The plugins that runbooks may use.
    #[must_use]
    pub fn plugins(&self) -> PluginService {
        PluginService::new(&self.site)
    }
}
