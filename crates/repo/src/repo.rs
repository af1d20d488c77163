use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use windlass_redact::OwnRules;

use crate::layout::{GitLayout, canonical, find_root};
use crate::secret::load_redactions;
use crate::{Git, GitError, Identity, OwnRulesError, SecretPolicy, SecretPolicyError, Snapshot};

/// One repository: a working tree of git, or a plain folder. Cloning is cheap and shares everything.
#[derive(Debug, Clone)]
pub struct Repo(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    layout: Option<GitLayout>,
    identity: Identity,
    secrets: SecretPolicy,
    own_rules: Arc<OwnRules>,
    options: RepoOptions,
    /// Messages of calls of git that failed, until they are taken.
    git_failures: Mutex<BTreeSet<String>>,
}

/// What the program decides about a repository, as opposed to what the repository says itself.
#[derive(Debug, Clone, Default)]
pub struct RepoOptions {
    /// Threads that walking and searching may use; `None` asks the machine. Results never depend on it.
    pub threads: Option<NonZero<usize>>,
    /// Whether `!` lines of the repository's `.windlass/secrets` may make secret paths readable. Only for
    /// a file the user has said to trust.
    pub allow_narrowing: bool,
    /// The time now. With it, files that were last changed well before it are not hashed a second time by
    /// [`Snapshot::changed_since`]; without it, everything that was read is.
    pub now: Option<SystemTime>,
    /// Variables that lead git to settings of the user and the machine. Without them no such setting counts, and
    /// git knows the repository's own alone.
    pub environment: Option<Arc<BTreeMap<String, OsString>>>,
}

/// Why a repository cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// A path cannot be used.
    #[error("cannot open the repository: `{}`: {cause}; give a folder that exists and may be read", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        cause: std::io::Error,
    },
    /// Not a folder.
    #[error("cannot open the repository: `{}` is not a folder; give its root", .0.display())]
    NotAFolder(PathBuf),
    /// A working tree whose repository was moved or deleted.
    #[error(
        "`{}` points to `{}`, which is not a git folder: was the main working tree moved? `git worktree repair` there mends it",
        file.display(),
        git_dir.display()
    )]
    LostGitDir {
        /// The `.git` file.
        file: PathBuf,
        /// What it names.
        git_dir: PathBuf,
    },
    /// The repository's own list of secret paths cannot be used; opening it without would show them.
    #[error(transparent)]
    Secrets(#[from] SecretPolicyError),
    /// The repository's own rules for secret values cannot be used; without them they would be shown.
    #[error(transparent)]
    Rules(#[from] OwnRulesError),
}

impl Repo {
    /// Opens the repository that `start`, a folder or file, lies in: the nearest folder upwards with a
    /// `.git` folder or file; else the nearest with a `.windlass` folder; else the nearest with a memory
    /// (`memory/impressions.jsonl`); else `start`.
    ///
    /// No process is started.
    ///
    /// # Errors
    /// When `start` does not exist, a `.git` file leads nowhere, or `.windlass/secrets` is unusable.
    pub fn discover(start: &Path) -> Result<Self, RepoError> {
        Self::discover_with(start, RepoOptions::default())
    }

    /// As [`Repo::discover`], with options.
    ///
    /// # Errors
    /// As [`Repo::discover`].
    pub fn discover_with(start: &Path, options: RepoOptions) -> Result<Self, RepoError> {
        Self::open_with(&find_root(start)?, options)
    }

    /// Opens the repository whose root is exactly `root`.
    ///
    /// # Errors
    /// As [`Repo::discover`], and when `root` is not a folder.
    pub fn open(root: &Path) -> Result<Self, RepoError> {
        Self::open_with(root, RepoOptions::default())
    }

    /// As [`Repo::open`], with options.
    ///
    /// # Errors
    /// As [`Repo::open`].
    pub fn open_with(root: &Path, options: RepoOptions) -> Result<Self, RepoError> {
        let root = canonical(root)?;
        if !root.is_dir() {
            return Err(RepoError::NotAFolder(root));
        }
        let layout = GitLayout::of(&root)?;
        let own = layout.as_ref().filter(|layout| layout.is_mutual);
        let identity = Identity::of(&root, own);
        let secrets = SecretPolicy::load(&root, options.allow_narrowing)?;
        let own_rules = Arc::new(load_redactions(&root)?);
        own_rules.install(root.as_os_str());
        Ok(Self(Arc::new(Inner {
            root,
            layout,
            identity,
            secrets,
            own_rules,
            options,
            git_failures: Mutex::default(),
        })))
    }

    /// The root, canonical. Never to be shown in a result.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Who it is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Which of its paths are secret.
    #[must_use]
    pub fn secrets(&self) -> &SecretPolicy {
        &self.0.secrets
    }

    /// Which values are secret here, beside those that are everywhere.
    #[must_use]
    pub fn own_rules(&self) -> &OwnRules {
        &self.0.own_rules
    }

    /// Git's common folder, which all working trees share; `None` in a plain folder.
    #[must_use]
    pub fn git_common_dir(&self) -> Option<&Path> {
        Some(&self.layout()?.common_dir)
    }

    /// Git's command line, hardened.
    ///
    /// # Errors
    /// [`GitError::NotARepository`] in a plain folder, [`GitError::NotItsWorktree`] where `.git` names a folder that
    /// does not name this working tree.
    pub fn git(&self) -> Result<Git, GitError> {
        match &self.0.layout {
            None => Err(GitError::NotARepository),
            Some(layout) if !layout.is_mutual => Err(GitError::NotItsWorktree),
            Some(_) => Ok(Git::new(self.clone())),
        }
    }

    /// Notes that git failed, for [`Repo::take_git_failures`] and the log.
    pub(crate) fn note_git_failure(&self, error: &GitError) {
        tracing::debug!(%error, "git failed");
        if matches!(error, GitError::Cancelled { .. }) || error.is_about_a_revision() {
            return;
        }
        let mut failures = self
            .0
            .git_failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        failures.insert(error.to_string());
    }

    /// Messages of the calls of git that failed since the last call of this, sorted. Answers that need history may be
    /// incomplete because of them.
    #[must_use]
    pub fn take_git_failures(&self) -> BTreeSet<String> {
        let mut failures = self
            .0
            .git_failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *failures)
    }

    /// Starts a view of the files in which every file has one state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.clone())
    }

    fn layout(&self) -> Option<&GitLayout> {
        self.0.layout.as_ref().filter(|layout| layout.is_mutual)
    }

    /// The folders of git that nothing is read from, wherever they are: also those that are another's.
    pub(crate) fn git_folders(&self) -> impl Iterator<Item = &Path> {
        let layout = self.0.layout.iter();
        layout.flat_map(|layout| [layout.git_dir.as_path(), layout.common_dir.as_path()])
    }

    pub(crate) fn options(&self) -> &RepoOptions {
        &self.0.options
    }

    /// Whether the root is where git keeps its own files, such as a bare repository or a folder in one.
    #[must_use]
    pub fn is_git_folder(&self) -> bool {
        let keeps = |folder: &Path| {
            folder.join("HEAD").is_file()
                && folder.join("objects").is_dir()
                && folder.join("refs").is_dir()
        };
        self.0.layout.is_none() && self.root().ancestors().any(keeps)
    }

    /// How many threads may work at the same time; at least 1.
    #[must_use]
    pub fn threads(&self) -> usize {
        let threads = self.0.options.threads;
        threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, NonZero::get),
            NonZero::get,
        )
    }
}
