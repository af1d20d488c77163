use std::fmt;
use std::path::Path;
use std::sync::Arc;

use windlass_base::Digest;
use windlass_formula::CookedFormula;
use windlass_repo::Repo;
use windlass_site::{Error, Site};
use windlass_store::RootedPath;
use windlass_vcontext::DocumentService;

use super::{LedgerRoutes, LedgerSession};
use crate::journal::Journal;
use crate::{Places, Route, Routes};

/// Who says whether a molecule is trusted.
pub trait MolTrust: fmt::Debug + Send + Sync {
    /// What of a molecule trust is about, whatever the log says of it.
    ///
    /// # Errors
    /// When its formula is none that could be trusted.
    fn digest(&self, molecule: &str, cooked: &CookedFormula) -> Result<Digest, Error>;

    /// Whether that is trusted in `site`.
    ///
    /// # Errors
    /// When it cannot be said.
    fn is_trusted(
        &self,
        site: &Site,
        molecule: &str,
        cooked: &CookedFormula,
    ) -> Result<bool, Error>;
}

/// The ledger of a repository: opens it for somebody, follows routes to others.
#[derive(Debug, Clone)]
pub struct LedgerService {
    site: Site,
    trust: Option<Arc<dyn MolTrust>>,
}

impl LedgerService {
    /// The ledger of `site`, no molecule of which is trusted.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            trust: None,
        }
    }

    /// The same, in which `trust` says which molecules are trusted.
    #[must_use]
    pub fn trusting(self, trust: Arc<dyn MolTrust>) -> Self {
        Self {
            trust: Some(trust),
            ..self
        }
    }

    /// The repository at hand.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The documents beside it.
    pub(super) fn documents(&self) -> DocumentService {
        DocumentService::new(&self.site)
    }

    pub(super) fn trust(&self) -> Option<&dyn MolTrust> {
        self.trust.as_deref()
    }

    /// Where the ledger lies: in the main working tree, and the log itself beside what is git's.
    #[must_use]
    pub fn places(&self) -> Places {
        places_of(self.site.repo())
    }

    /// The routes to the ledgers of other repositories.
    #[must_use]
    pub fn routes(&self) -> LedgerRoutes {
        LedgerRoutes::new(&self.site, self.places())
    }

    /// Opens the ledger for `actor`, who is whoever the environment says if none is named; `job` is what they do.
    ///
    /// # Errors
    /// When the folder belongs to another tool, or something cannot be read.
    pub fn open(&self, actor: Option<&str>, job: &'static str) -> Result<LedgerSession, Error> {
        let journal = Journal::open(self.places())?;
        LedgerSession::of(self.clone(), journal, actor, job)
    }

    /// The same, for who takes over a folder of another tool.
    pub(super) fn adopt(
        &self,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerSession, Error> {
        let journal = Journal::adopt(self.places())?;
        LedgerSession::of(self.clone(), journal, actor, job)
    }

    /// Opens the ledger in which `bead` lies: this one, if it has it, or that of the longest route that fits.
    ///
    /// # Errors
    /// As [`LedgerService::open`]; when the route is not trusted, or leads to nothing.
    pub fn open_with(
        &self,
        bead: &str,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerSession, Error> {
        let here = self.open(actor, job)?;
        if here.state().beads.contains(bead) {
            return Ok(here);
        }
        let routes = Routes::read(here.places())?;
        let own = here.places().beads();
        let route = routes.resolve(bead);
        let Some(route) = route.filter(|route| Path::new(&route.path) != own.path()) else {
            return Ok(here);
        };
        self.open_behind(route, actor, job)
    }

    /// The ledger that `route` leads to.
    ///
    /// # Errors
    /// When the route is not trusted, or the ledger cannot be opened.
    pub(super) fn open_behind(
        &self,
        route: &Route,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerSession, Error> {
        self.routes().check(route)?;
        let folder = Path::new(&route.path);
        let root = folder.parent().unwrap_or(folder);
        let site = Site::open(root, self.site.environment().as_ref().clone())?;
        let there = Self {
            site,
            trust: self.trust.clone(),
        };
        there.open(actor, job)
    }
}

fn places_of(repo: &Repo) -> Places {
    let Some(common) = repo.git_common_dir() else {
        return Places::new(repo.root(), None);
    };
    // Beside the common folder of several working trees lies the main one, unless it is bare or that of a submodule.
    let is_main = |folder: &Path| common == folder.join(".git");
    let main = common
        .parent()
        .filter(|folder| is_main(folder))
        .unwrap_or(repo.root());
    let shared = RootedPath::new(common).join("windlass/ledger");
    Places::new(main, Some(shared)).seen_from(repo.root())
}
