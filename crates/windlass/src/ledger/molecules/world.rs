use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::{Digest, RepoPath};
use windlass_formula::CookedFormula;
use windlass_ledger::bead::BeadStatus;
use windlass_ledger::event::Outcome;
use windlass_ledger::{Places, Routes, World};
use windlass_repo::Repo;

use super::machine::runbook_of;
use crate::{Environment, Error, Workspace};

/// What conditions and gates may look at: the files of the working tree one stands in, and the environment.
#[derive(Debug)]
pub(crate) struct RepoWorld {
    workspace: Workspace,
    repo: Repo,
    environment: Arc<Environment>,
    places: Places,
    /// Permissions of molecules to read the environment, by molecule, formula and digest of its programs and variables.
    trusted: Mutex<BTreeMap<(String, String, Digest), bool>>,
}

impl RepoWorld {
    pub(super) fn new(workspace: Workspace, places: &Places) -> Self {
        Self {
            repo: workspace.repo().clone(),
            environment: Arc::clone(workspace.environment()),
            places: places.clone(),
            trusted: Mutex::default(),
            workspace,
        }
    }
}

impl World for RepoWorld {
    /// Secret files are not there, whoever asks.
    fn file_exists(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        let path = RepoPath::parse(path.trim_end_matches('/'));
        path.is_ok_and(|path| exists(&self.repo, &path))
    }

    /// As the programs of the molecule may be started: by digest, whatever it is called. Files are reviewed once: every
    /// condition asks, while the log is locked.
    fn may_ask(&self, molecule: &str, cooked: &CookedFormula) -> bool {
        let denied = |error: Error| {
            self.workspace.note_trouble(format!(
                "whether `{molecule}` is trusted cannot be said, so it is not: {error}"
            ));
            false
        };
        let runbook = match runbook_of(molecule, cooked) {
            Ok(runbook) => runbook,
            Err(error) => return denied(error),
        };
        // The digest in `cooked` is only what the log says.
        let key = (molecule.to_owned(), cooked.formula.clone(), runbook.digest);
        let mut trusted = self.trusted.lock().unwrap_or_else(PoisonError::into_inner);
        *trusted.entry(key).or_insert_with(|| {
            let trusted = self.workspace.is_runbook_trusted(&runbook);
            trusted.unwrap_or_else(denied)
        })
    }

    fn variable(&self, name: &str) -> String {
        let value = self.environment.get(name);
        value.map_or_else(String::new, |value| value.to_string_lossy().into_owned())
    }

    /// As the ledger says that a route leads to; what cannot be read tells nothing.
    fn bead_elsewhere(&self, id: &str) -> Option<(BeadStatus, Option<Outcome>)> {
        let routes = Routes::read(&self.places).ok()?;
        let route = routes.resolve(id)?;
        if Path::new(&route.path) == self.places.beads().path() {
            return None;
        }
        let desk = self.workspace.ledger_behind(route, None, "a gate");
        let desk = desk
            .inspect_err(|error| self.workspace.note_trouble(error.to_string()))
            .ok()?;
        let bead = desk.ledger().state().beads.get(id)?;
        Some((bead.status, bead.ending()))
    }
}

pub(super) fn exists(repo: &Repo, path: &RepoPath) -> bool {
    use windlass_repo::Refusal as R;
    let found = repo.snapshot().read(path);
    matches!(
        found,
        Ok(_) | Err(R::Directory | R::TooLarge { .. } | R::NotRegular { .. })
    )
}
