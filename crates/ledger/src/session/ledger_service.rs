//! Opens the ledger of a repository, and those that its routes lead to.

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
use crate::journal::{Journal, sharing};
use crate::{OpenShared, Places, Route, Routes};

/// Environment variable that keeps us from contacting the shared log.
const OFFLINE: &str = "WINDLASS_OFFLINE";

/// Decides which molecules the user trusts.
pub trait MolTrust: fmt::Debug + Send + Sync {
    /// Computes a digest of everything in a molecule that trust covers. The log may have a digest
    /// as well, but don't use that one, since it could be forged.
    ///
    /// # Errors
    /// Returns an error if the formula can't be trusted at all.
    fn digest(&self, molecule: &str, cooked: &CookedFormula) -> Result<Digest, Error>;

    /// True if the user trusts the molecule in `site`.
    ///
    /// # Errors
    /// Returns an error if the trust list can't be read.
    fn is_trusted(
        &self,
        site: &Site,
        molecule: &str,
        cooked: &CookedFormula,
    ) -> Result<bool, Error>;
}

/// The ledger of a repository. This opens sessions for actors, and follows routes to other ledgers.
#[derive(Debug, Clone)]
pub struct LedgerService {
    site: Site,
    trust: Option<Arc<dyn MolTrust>>,
    backends: Option<Arc<dyn OpenShared>>,
}

impl LedgerService {
    /// The service for `site`. Until [`Self::trusting`] is called, no molecule is trusted.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            trust: None,
            backends: None,
        }
    }

    /// Sets the backends. Without any, the shared log counts as unreachable.
    #[must_use]
    pub fn sharing(self, backends: Arc<dyn OpenShared>) -> Self {
        Self {
            backends: Some(backends),
            ..self
        }
    }

    pub(super) fn backends(&self) -> Option<Arc<dyn OpenShared>> {
        self.backends.clone()
    }

    /// Sets the policy for trusting molecules.
    #[must_use]
    pub fn trusting(self, trust: Arc<dyn MolTrust>) -> Self {
        Self {
            trust: Some(trust),
            ..self
        }
    }

    /// The site whose ledger this is.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    pub(super) fn documents(&self) -> DocumentService {
        DocumentService::new(&self.site)
    }

    pub(super) fn trust(&self) -> Option<&dyn MolTrust> {
        self.trust.as_deref()
    }

    /// Paths of the ledger's files. With git, `.beads` is in the main working tree and the log is
    /// in git's common folder.
    #[must_use]
    pub fn places(&self) -> Places {
        places_of(self.site.repo()).on(self.site.disk())
    }

    /// Routes to the ledgers of other repositories.
    #[must_use]
    pub fn routes(&self) -> LedgerRoutes {
        LedgerRoutes::new(&self.site, self.places())
    }

    /// Opens the ledger for `actor`, or for the actor that the environment names. `job` is the
    /// command's name, which other processes show while they wait for us.
    ///
    /// # Errors
    /// Returns an error if the folder belongs to another tool, or a file can't be read.
    pub fn open(&self, actor: Option<&str>, job: &'static str) -> Result<LedgerSession, Error> {
        let journal = Journal::open(self.places())?;
        self.session(journal, actor, job)
    }

    /// Like [`LedgerService::open`], but only for the duration of `read`. Commands that print what
    /// they read should use this, since it also notices a damaged checkpoint.
    ///
    /// # Errors
    /// Returns an error if the ledger can't be opened or `read` fails. A failed read of the
    /// checkpoint is an error too, since the result may then be incomplete.
    pub fn read<T>(
        &self,
        actor: Option<&str>,
        job: &'static str,
        read: impl FnOnce(&mut LedgerSession) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut session = self.open(actor, job)?;
        let done = read(&mut session);
        session.journal.check_sound()?;
        done
    }

    /// Like [`LedgerService::open`], but also opens a folder that belongs to another tool.
    pub(super) fn adopt(
        &self,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerSession, Error> {
        let journal = Journal::adopt(self.places())?;
        self.session(journal, actor, job)
    }

    pub(super) fn is_offline(&self) -> bool {
        self.site.environment().get(OFFLINE).is_some()
    }

    fn session(
        &self,
        mut journal: Journal,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerSession, Error> {
        sharing::connect(&mut journal, self.backends(), self.is_offline())?;
        LedgerSession::of(self.clone(), journal, actor, job)
    }

    /// Opens the ledger that has `bead`: this one if the bead is here, or else the one behind the
    /// route with the longest matching prefix.
    ///
    /// # Errors
    /// Returns an error if [`LedgerService::open`] fails, the route isn't trusted, or the route's
    /// target doesn't exist.
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
        // The bead isn't here, and a route may lead back to this very ledger. The caller will
        // report the missing bead.
        let Some(route) = route.filter(|route| Path::new(&route.path) != own.path()) else {
            return Ok(here);
        };
        self.open_behind(route, actor, job)
    }

    /// Opens the ledger that `route` leads to.
    ///
    /// # Errors
    /// Returns an error if the route isn't trusted, or the ledger can't be opened.
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
            backends: self.backends.as_ref().map(|backends| backends.at(&site)),
            trust: self.trust.clone(),
            site,
        };
        there.open(actor, job)
    }
}

fn places_of(repo: &Repo) -> Places {
    let Some(common) = repo.git_common_dir() else {
        return Places::new(repo.root(), None);
    };
    // The main working tree is the parent of git's common folder, unless this is a bare repository
    // or a submodule.
    let is_main = |folder: &Path| common == folder.join(".git");
    let main = common
        .parent()
        .filter(|folder| is_main(folder))
        .unwrap_or(repo.root());
    let shared = RootedPath::new(common).join("windlass/ledger");
    Places::new(main, Some(shared)).seen_from(repo.root())
}
