//! The real [`World`] of a repository.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bead::BeadStatus;
use crate::event::Outcome;
use crate::shared::Replica;
use crate::{LedgerError, Places, Routes, StoredOutput, World, output_store};
use serde_json::Value;
use windlass_base::{Digest, RepoPath};
use windlass_formula::CookedFormula;
use windlass_repo::Repo;

use windlass_site::{Environment, Error};

use super::LedgerService;

/// The environment that conditions and gates may ask about: files in the caller's working tree,
/// environment variables, and the beads of other ledgers.
#[derive(Debug)]
pub struct RepoWorld {
    service: LedgerService,
    repo: Repo,
    environment: Arc<Environment>,
    places: Places,
    /// Cached trust decisions, by molecule, formula and the digest of what trust covers.
    trusted: Mutex<BTreeMap<(String, String, Digest), bool>>,
}

impl RepoWorld {
    pub(super) fn new(service: LedgerService, places: &Places) -> Self {
        Self {
            repo: service.site().repo().clone(),
            environment: Arc::clone(service.site().environment()),
            places: places.clone(),
            trusted: Mutex::default(),
            service,
        }
    }
}

impl World for RepoWorld {
    /// Secret files count as missing, so that no condition can reveal whether they exist.
    fn file_exists(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        let path = RepoPath::parse(path.trim_end_matches('/'));
        path.is_ok_and(|path| exists(&self.repo, &path))
    }

    /// This uses the same digest as the trust for running the molecule's programs. We cache the
    /// answer, since every condition asks, and does so while we hold the log's lock.
    fn may_ask(&self, molecule: &str, cooked: &CookedFormula) -> bool {
        let denied = |error: Error| {
            self.service.site().note_trouble(format!(
                "cannot determine trust in `{molecule}`, so it is not trusted: {error}"
            ));
            false
        };
        let Some(trust) = self.service.trust() else {
            return false;
        };
        // Anyone who can write to the log could have chosen `cooked`, so compute the digest here.
        let digest = match trust.digest(molecule, cooked) {
            Ok(digest) => digest,
            Err(error) => return denied(error),
        };
        let key = (molecule.to_owned(), cooked.formula.clone(), digest);
        let mut trusted = self.trusted.lock().unwrap_or_else(PoisonError::into_inner);
        *trusted.entry(key).or_insert_with(|| {
            let trusted = trust.is_trusted(self.service.site(), molecule, cooked);
            trusted.unwrap_or_else(denied)
        })
    }

    fn variable(&self, name: &str) -> String {
        let value = self.environment.get(name);
        value.map_or_else(String::new, |value| value.to_string_lossy().into_owned())
    }

    fn output(&self, stored: &StoredOutput) -> Result<Value, LedgerError> {
        let (backends, is_offline) = (self.service.backends(), self.service.is_offline());
        let mut replica = Replica::of(&self.places, backends, is_offline)?;
        let json = output_store::read(&self.places, replica.as_mut(), stored)?;
        Ok(serde_json::from_slice(&json)?)
    }

    /// This follows routes. If we cannot read the other ledger, the bead counts as missing.
    fn bead_elsewhere(&self, id: &str) -> Option<(BeadStatus, Option<Outcome>)> {
        let routes = Routes::read(&self.places).ok()?;
        let route = routes.resolve(id)?;
        if Path::new(&route.path) == self.places.beads().path() {
            return None;
        }
        let there = self.service.open_behind(route, None, "a gate");
        let there = there
            .inspect_err(|error| self.service.site().note_trouble(error.to_string()))
            .ok()?;
        let bead = there.state().beads.get(id)?;
        Some((bead.status, bead.ending()))
    }
}

/// True if there is a readable file (of any size) or folder at `path`.
#[must_use]
pub fn exists(repo: &Repo, path: &RepoPath) -> bool {
    use windlass_repo::Refusal as R;
    let found = repo.snapshot().read(path);
    matches!(
        found,
        Ok(_) | Err(R::Directory | R::TooLarge { .. } | R::NotRegular { .. })
    )
}
