use std::path::Path;
use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_ledger::bead::BeadStatus;
use windlass_ledger::event::Outcome;
use windlass_ledger::{Places, Routes, World};
use windlass_plan::formula::CookedFormula;
use windlass_repo::Repo;

use super::machine::runbook_of;
use crate::{Environment, Workspace};

/// What conditions and gates may look at: the files of the working tree one stands in, and the environment.
#[derive(Debug)]
pub(crate) struct RepoWorld {
    workspace: Workspace,
    repo: Repo,
    environment: Arc<Environment>,
    places: Places,
}

impl RepoWorld {
    pub(super) fn new(workspace: Workspace, places: &Places) -> Self {
        Self {
            repo: workspace.repo().clone(),
            environment: Arc::clone(workspace.environment()),
            places: places.clone(),
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

    /// As the programs of the molecule may be started: by digest, whatever it is called.
    fn may_ask(&self, molecule: &str, cooked: &CookedFormula) -> bool {
        let trusted = runbook_of(molecule, cooked)
            .and_then(|runbook| self.workspace.is_runbook_trusted(&runbook));
        trusted.unwrap_or_else(|error| {
            self.workspace.note_trouble(format!(
                "whether `{molecule}` is trusted cannot be said, so it is not: {error}"
            ));
            false
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
