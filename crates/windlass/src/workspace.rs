use std::path::Path;
use std::sync::Arc;

use windlass_notebook::NotebookFile;
use windlass_repo::{Repo, RepoOptions, Snapshot, redact_text};
use windlass_store::Dirs;

use crate::{Environment, Error};

/// A repository, and what is kept about it.
#[derive(Debug, Clone)]
pub struct Workspace {
    repo: Repo,
    dirs: Option<Dirs>,
    environment: Arc<Environment>,
    /// The root, as the caller named it.
    root: Option<Arc<str>>,
}

impl Workspace {
    /// Opens the repository that `start` lies in.
    ///
    /// # Errors
    /// When there is no such folder, or its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::discover_with(start, options(&environment))?;
        Self::of(repo, environment)
    }

    /// Opens the repository whose root is `root`.
    ///
    /// # Errors
    /// As [`Workspace::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::open_with(root, options(&environment))?;
        Self::of(repo, environment)
    }

    fn of(repo: Repo, environment: Environment) -> Result<Self, Error> {
        // Without a home there is nothing saved; what needs to save says so then.
        let dirs = Dirs::resolve(&|name| environment.get(name).cloned()).ok();
        let mut workspace = Self {
            repo,
            dirs,
            environment: Arc::new(environment),
            root: None,
        };
        if workspace.may_narrow()? {
            let options = RepoOptions {
                allow_narrowing: true,
                ..options(&workspace.environment)
            };
            let digest = workspace.repo.secrets().digest();
            let narrowed = Repo::open_with(workspace.repo.root(), options)?;
            // It may have been changed since it was looked at.
            if narrowed.secrets().digest() == digest {
                workspace.repo = narrowed;
            }
        }
        Ok(workspace)
    }

    /// The same, whose printed calls name its root as `root`: they can be made from where the caller stands.
    #[must_use]
    pub fn called_with_root(mut self, root: &str) -> Self {
        self.root = Some(redact_text(root).0.as_str().into());
        self
    }

    /// The root, as printed calls name it; nothing where the caller did not.
    #[must_use]
    pub fn named_root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Whether the repository's list of secret paths makes some readable, and the user trusts it as it is.
    fn may_narrow(&self) -> Result<bool, Error> {
        let secrets = self.repo.secrets();
        match secrets.digest() {
            Some(digest) if !secrets.narrowing_lines().is_empty() => self.is_trusted(&digest),
            _ => Ok(false),
        }
    }

    /// The repository.
    #[must_use]
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// A view of the files in which every file has one state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.repo.snapshot()
    }

    pub(crate) fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// The folders that things are kept in.
    ///
    /// # Errors
    /// When the environment names neither them nor a home.
    pub fn dirs(&self) -> Result<Dirs, Error> {
        match &self.dirs {
            Some(dirs) => Ok(dirs.clone()),
            None => Ok(Dirs::resolve(&|name| self.environment.get(name).cloned())?),
        }
    }

    /// The notebook of this repository. Where nothing can be kept it is switched off.
    #[must_use]
    pub fn notebook(&self) -> NotebookFile {
        let off = self.environment.switches_off("WINDLASS_NOTEBOOK");
        let repo = Arc::new(self.repo.clone());
        match &self.dirs {
            Some(dirs) => NotebookFile::new(&dirs.data, repo, !off),
            None => NotebookFile::new(Path::new(""), repo, false),
        }
    }
}

fn options(environment: &Environment) -> RepoOptions {
    RepoOptions {
        threads: Some(environment.threads),
        now: Some(environment.now),
        ..RepoOptions::default()
    }
}
