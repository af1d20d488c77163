use std::path::PathBuf;
use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_ledger::bead::BeadStatus;
use windlass_ledger::event::Outcome;
use windlass_ledger::{Places, Routes, World};
use windlass_repo::Repo;

use crate::{Environment, Workspace};

/// What conditions and gates may look at: the files of the working tree one stands in, and the environment.
#[derive(Debug)]
pub(crate) struct RepoWorld {
    repo: Repo,
    environment: Arc<Environment>,
    places: Places,
}

impl RepoWorld {
    pub(super) fn new(workspace: &Workspace, places: &Places) -> Self {
        Self {
            repo: workspace.repo().clone(),
            environment: Arc::clone(workspace.environment()),
            places: places.clone(),
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

    fn variable(&self, name: &str) -> String {
        let value = self.environment.get(name);
        value.map_or_else(String::new, |value| value.to_string_lossy().into_owned())
    }

    /// As the ledger says that a route leads to; what cannot be read tells nothing.
    fn bead_elsewhere(&self, id: &str) -> Option<(BeadStatus, Option<Outcome>)> {
        let routes = Routes::read(&self.places).ok()?;
        let folder = PathBuf::from(&routes.resolve(id)?.path);
        let root = folder.parent().filter(|_| folder != self.places.beads())?;
        let workspace = Workspace::open(root, Environment::clone(&self.environment)).ok()?;
        let desk = workspace.ledger(None, "a gate").ok()?;
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
