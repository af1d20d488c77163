//! One repository, and what is known of it as long as it is open.

mod identity;
mod owner;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use windlass_redact::OwnRules;

use crate::file_role::MEMORY_IMPRESSIONS;
use crate::git::{Git, GitError, GitLayout, GitPlace};
use crate::guard::Guard;
use crate::platform::Signature;
use crate::repo_error::{RepoError, canonical};
use crate::secret::{SecretPolicy, load_redactions};

pub use identity::{Identity, RepoKind};
pub use owner::{Foreign, Owner};

/// One repository: a working tree of git, or a plain folder. Cloning is cheap and shares everything.
#[derive(Debug, Clone)]
pub struct Repo(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    guard: Guard,
    /// True if a `.git` names a folder of git.
    has_git_folder: bool,
    /// Where that folder names this working tree as well.
    git: Option<Arc<GitPlace>>,
    identity: Identity,
    own_rules: Arc<OwnRules>,
    options: RepoOptions,
}

/// The decisions of the program about a repository, as opposed to what the repository says itself.
#[derive(Debug, Clone, Default)]
pub struct RepoOptions {
    /// Threads that walking and searching may use; `None` asks the machine. Results never depend on it.
    pub threads: Option<NonZero<usize>>,
    /// True if `!` lines of the repository's `.windlass/secrets` may make secret paths readable. Only for
    /// a file the user has said to trust.
    pub allow_narrowing: bool,
    /// True if the allowlists of the repository's `.gitleaks.toml` may leave values as they are. Only for a file the user has
    /// said to trust.
    pub allow_allowlists: bool,
    /// The time now. With it, files that were last changed well before it are not hashed a second time by
    /// [`crate::Snapshot::changed_since`]; without it, everything that was read is.
    pub now: Option<SystemTime>,
    /// Variables that lead git to settings of the user and the machine. Without them no such setting counts, and
    /// git knows the repository's own alone.
    pub environment: Option<Arc<BTreeMap<String, OsString>>>,
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
    pub fn discover(start: &Path, options: RepoOptions) -> Result<Self, RepoError> {
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
        let identity = Identity::of(&root, own.map(|own| own.common_dir.as_path()));
        let secrets = SecretPolicy::load(&root, options.allow_narrowing)?;
        let own_rules = Arc::new(load_redactions(&root, options.allow_allowlists)?);
        let environment = options.environment.clone();
        let git = own.map(|own| Arc::new(GitPlace::new(root.clone(), own, environment)));
        let has_git_folder = layout.is_some();
        let git_folders = layout.map(|layout| vec![layout.git_dir, layout.common_dir]);
        let repo = Self(Arc::new(Inner {
            guard: Guard::new(root, git_folders.unwrap_or_default(), secrets),
            has_git_folder,
            git,
            identity,
            own_rules,
            options,
        }));
        repo.install_rules();
        Ok(repo)
    }

    /// Makes the rules of this repository count, in place of those that another reading of its files had.
    pub fn install_rules(&self) {
        self.0.own_rules.install(self.root().as_os_str());
    }

    /// The root, canonical. Never to be shown in a result.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.0.guard.root()
    }

    /// The identity of the repository.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// The rules of which paths are secret.
    #[must_use]
    pub fn secrets(&self) -> &SecretPolicy {
        self.0.guard.secrets()
    }

    /// The rules of which values are secret here, beside those that are everywhere.
    #[must_use]
    pub fn own_rules(&self) -> &OwnRules {
        &self.0.own_rules
    }

    /// Git's common folder, which all working trees share; `None` in a plain folder.
    #[must_use]
    pub fn git_common_dir(&self) -> Option<&Path> {
        Some(&self.0.git.as_ref()?.common_dir)
    }

    /// Git's command line, hardened.
    ///
    /// # Errors
    /// [`GitError::NotARepository`] in a plain folder, [`GitError::NotItsWorktree`] where `.git` names a folder that
    /// does not name this working tree.
    pub fn git(&self) -> Result<Git, GitError> {
        match &self.0.git {
            Some(place) => Ok(Git::new(Arc::clone(place))),
            None if self.0.has_git_folder => Err(GitError::NotItsWorktree),
            None => Err(GitError::NotARepository),
        }
    }

    /// Messages of the calls of git that failed since the last call of this, sorted. Answers that need history may be
    /// incomplete because of them.
    #[must_use]
    pub fn take_git_failures(&self) -> BTreeSet<String> {
        let git = self.0.git.as_ref();
        git.map(|git| git.failures.take()).unwrap_or_default()
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// Whether a file with this signature cannot change without the signature changing as well.
    pub(crate) fn is_settled(&self, signature: &Signature) -> bool {
        let now = self.0.options.now;
        now.is_some_and(|now| !signature.is_younger_than(now))
    }

    /// True if the root is where git keeps its own files, such as a bare repository or a folder in one.
    #[must_use]
    pub fn is_git_folder(&self) -> bool {
        let keeps = |folder: &Path| {
            folder.join("HEAD").is_file()
                && folder.join("objects").is_dir()
                && folder.join("refs").is_dir()
        };
        !self.0.has_git_folder && self.root().ancestors().any(keeps)
    }

    /// The number of threads that may work at the same time; at least 1.
    #[must_use]
    pub fn threads(&self) -> usize {
        let threads = self.0.options.threads;
        threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, NonZero::get),
            NonZero::get,
        )
    }
}

/// The root of the repository that `start` lies in; see [`Repo::discover`].
fn find_root(start: &Path) -> Result<PathBuf, RepoError> {
    let start = canonical(start)?;
    let start = if start.is_dir() {
        start.as_path()
    } else {
        start.parent().unwrap_or(&start)
    };
    for folder in start.ancestors() {
        if GitLayout::of(folder)?.is_some() {
            return Ok(folder.to_owned());
        }
    }
    // Folders called `runbooks` and `memory` may lie anywhere, in a home for one; these are ours.
    let ours = |folder: &&Path| folder.join(".windlass").is_dir();
    let remembers = |folder: &&Path| folder.join(MEMORY_IMPRESSIONS).is_file();
    let marked = start.ancestors().find(ours);
    let root = marked.or_else(|| start.ancestors().find(remembers));
    Ok(root.unwrap_or(start).to_owned())
}
