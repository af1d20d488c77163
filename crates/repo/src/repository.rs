//! An open repository and its cached properties.

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

/// A git working tree or a plain folder. Cloning is cheap, and clones share all state.
#[derive(Debug, Clone)]
pub struct Repo(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    guard: Guard,
    /// True if a `.git` names a git folder.
    has_git_folder: bool,
    /// Present if that folder also names this working tree. We don't run git otherwise.
    git: Option<Arc<GitPlace>>,
    identity: Identity,
    own_rules: Arc<OwnRules>,
    options: RepoOptions,
}

/// Options set by this program, as opposed to the repository's own settings.
#[derive(Debug, Clone, Default)]
pub struct RepoOptions {
    /// Number of threads for walking and searching, or `None` for the number of processors. Results
    /// never depend on it.
    pub threads: Option<NonZero<usize>>,
    /// True if `!` lines in the repository's `.windlass/secrets` may make secret paths readable.
    /// Set it only for a file trusted by the user.
    pub allow_narrowing: bool,
    /// True if the allowlists in the repository's `.gitleaks.toml` may exempt values. Set it only
    /// for a file trusted by the user.
    pub allow_allowlists: bool,
    /// The current time. If it's set, [`crate::Snapshot::changed_since`] skips files that last
    /// changed well before this time. Otherwise it hashes every file it has read once more.
    pub now: Option<SystemTime>,
    /// Variables with the location of the user's and the machine's git settings. Without them, only
    /// the repository's own settings apply.
    pub environment: Option<Arc<BTreeMap<String, OsString>>>,
}

impl Repo {
    /// Opens the repository of the folder or file `start`. The root is the first of these that
    /// exists:
    ///
    /// 1. the nearest folder upwards with a `.git` folder or file;
    /// 2. the nearest folder upwards with a `.windlass` folder;
    /// 3. the nearest folder upwards with a memory (`memory/impressions.jsonl`);
    /// 4. `start` itself.
    ///
    /// No process is started.
    ///
    /// # Errors
    /// Returns an error if `start` does not exist, if a `.git` file names a missing folder, or if `.windlass/secrets`
    /// is invalid.
    pub fn discover(start: &Path, options: RepoOptions) -> Result<Self, RepoError> {
        Self::open_with(&find_root(start)?, options)
    }

    /// Opens the repository whose root is exactly `root`.
    ///
    /// # Errors
    /// Returns the same errors as [`Repo::discover`], and an error if `root` is not a folder.
    pub fn open(root: &Path) -> Result<Self, RepoError> {
        Self::open_with(root, RepoOptions::default())
    }

    /// Opens a repository with options, like [`Repo::open`].
    ///
    /// # Errors
    /// Returns the same errors as [`Repo::open`].
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

    /// Installs this repository's rules for secret values. They replace the rules installed by
    /// another `Repo` with this root.
    pub fn install_rules(&self) {
        self.0.own_rules.install(self.root().as_os_str());
    }

    /// Returns the canonical root. It describes the machine, so it must not appear in results.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.0.guard.root()
    }

    /// Returns the identity of the repository.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Returns the rules for secret paths.
    #[must_use]
    pub fn secrets(&self) -> &SecretPolicy {
        self.0.guard.secrets()
    }

    /// Returns the repository's own rules for secret values. They apply in addition to the built-in
    /// ones.
    #[must_use]
    pub fn own_rules(&self) -> &OwnRules {
        &self.0.own_rules
    }

    /// Returns git's common folder, shared by all working trees, or `None` in a plain folder.
    #[must_use]
    pub fn git_common_dir(&self) -> Option<&Path> {
        Some(&self.0.git.as_ref()?.common_dir)
    }

    /// Returns access to git, which runs without executing anything configured by the repository.
    ///
    /// # Errors
    /// Returns [`GitError::NotARepository`] in a plain folder, and [`GitError::NotItsWorktree`] if `.git` names a
    /// folder that does not name this working tree.
    pub fn git(&self) -> Result<Git, GitError> {
        match &self.0.git {
            Some(place) => Ok(Git::new(Arc::clone(place))),
            None if self.0.has_git_folder => Err(GitError::NotItsWorktree),
            None => Err(GitError::NotARepository),
        }
    }

    /// Returns the messages of git calls that have failed since the last call of this function,
    /// sorted. They explain why answers that need history may be incomplete.
    #[must_use]
    pub fn take_git_failures(&self) -> BTreeSet<String> {
        let git = self.0.git.as_ref();
        git.map(|git| git.failures.take()).unwrap_or_default()
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// True if any later change of the file will change its signature.
    pub(crate) fn is_settled(&self, signature: &Signature) -> bool {
        let now = self.0.options.now;
        now.is_some_and(|now| !signature.is_younger_than(now))
    }

    /// True if the root is a git folder, such as a bare repository or a folder inside one.
    #[must_use]
    pub fn is_git_folder(&self) -> bool {
        let keeps = |folder: &Path| {
            folder.join("HEAD").is_file()
                && folder.join("objects").is_dir()
                && folder.join("refs").is_dir()
        };
        !self.0.has_git_folder && self.root().ancestors().any(keeps)
    }

    /// Returns the number of threads to use, at least 1.
    #[must_use]
    pub fn threads(&self) -> usize {
        let threads = self.0.options.threads;
        threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, NonZero::get),
            NonZero::get,
        )
    }
}

/// Returns the root of the repository that contains `start`, as described for [`Repo::discover`].
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
    // Only these two are specific to this program. A `runbooks` or `memory` folder alone may be in
    // a home folder, which must not become the root.
    let ours = |folder: &&Path| folder.join(".windlass").is_dir();
    let remembers = |folder: &&Path| folder.join(MEMORY_IMPRESSIONS).is_file();
    let marked = start.ancestors().find(ours);
    let root = marked.or_else(|| start.ancestors().find(remembers));
    Ok(root.unwrap_or(start).to_owned())
}
