use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_ledger::World;
use windlass_repo::Repo;

use crate::Environment;

/// What conditions and gates may look at: the files of the working tree one stands in, and the environment.
#[derive(Debug)]
pub(crate) struct RepoWorld {
    repo: Repo,
    environment: Arc<Environment>,
}

impl RepoWorld {
    pub(super) fn new(repo: Repo, environment: Arc<Environment>) -> Self {
        Self { repo, environment }
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
}

pub(super) fn exists(repo: &Repo, path: &RepoPath) -> bool {
    use windlass_repo::Refusal as R;
    let found = repo.snapshot().read(path);
    matches!(
        found,
        Ok(_) | Err(R::Directory | R::TooLarge { .. } | R::NotRegular { .. })
    )
}
