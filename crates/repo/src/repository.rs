//! An open repository.
//!
//! [`Repo`] is the entry point of this crate. Opening one finds the root, reads the rules for
//! secrets and locates git, once and for all; everything else (snapshots, git calls, the path
//! guard) is based on it.

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

/// A git working tree or a plain folder. Clones are cheap and share all state.
#[derive(Debug, Clone)]
pub struct Repo(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    guard: Guard,
    /// True if `.git` leads to a git folder, even if that folder belongs to another working tree.
    has_git_folder: bool,
    /// Only set if the git folder also names this working tree. We must not run git otherwise.
    git: Option<Arc<GitPlace>>,
    identity: Identity,
    own_rules: Arc<OwnRules>,
    options: RepoOptions,
}

/// Options chosen by the caller, as opposed to settings stored in the repository.
#[derive(Debug, Clone, Default)]
pub struct RepoOptions {
    /// Number of threads for walking and searching, or `None` for one per processor. The results
    /// do not depend on this.
    pub threads: Option<NonZero<usize>>,
    /// True to let `!` lines in the repository's `.windlass/secrets` make secret paths readable.
    /// Only set this if the user trusts the file: otherwise, any cloned repository could open up
    /// the user's secrets.
    pub allow_narrowing: bool,
    /// True to let allowlists in the repository's `.gitleaks.toml` exempt values. As with
    /// `allow_narrowing`, only set this if the user trusts the file.
    pub allow_allowlists: bool,
    /// The current time. For files that were changed well before it,
    /// [`crate::Snapshot::changed_since`] relies on their metadata. With `None`, it reads every
    /// file again.
    pub now: Option<SystemTime>,
    /// Environment variables for locating the git settings of the user and the machine. With
    /// `None`, only the repository's own settings apply.
    pub environment: Option<Arc<BTreeMap<String, OsString>>>,
}

impl Repo {
    /// Opens the repository of the file or folder `start`. The root is the first of these that
    /// exists:
    ///
    /// 1. the nearest folder upwards with a `.git` folder or file;
    /// 2. the nearest folder upwards with a `.windlass` folder;
    /// 3. the nearest folder upwards with a memory (`memory/impressions.jsonl`);
    /// 4. `start` itself.
    ///
    /// No process is started, since the folder may be anything that the user has downloaded.
    ///
    /// # Errors
    /// Returns an error for a missing `start`, a `.git` file that names a missing folder, or an
    /// invalid `.windlass/secrets`.
    pub fn discover(start: &Path, options: RepoOptions) -> Result<Self, RepoError> {
        Self::open_with(&find_root(start)?, options)
    }

    /// Opens the repository at `root` itself, with default options. The folders above do not
    /// matter.
    ///
    /// # Errors
    /// Returns the same errors as [`Repo::discover`], and an error if `root` is not a folder.
    pub fn open(root: &Path) -> Result<Self, RepoError> {
        Self::open_with(root, RepoOptions::default())
    }

    /// Like [`Repo::open`], but with options.
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

    /// Installs this repository's rules for secret values, replacing those of another `Repo` with
    /// the same root. [`Repo::open`] does this as well, so it is only necessary if another `Repo`
    /// has been opened since.
    pub fn install_rules(&self) {
        self.0.own_rules.install(self.root().as_os_str());
    }

    /// Returns the canonical root. Keep this path out of results, since it tells readers about the
    /// user's machine.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.0.guard.root()
    }

    /// Returns the key for data stored about this repository.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Returns the rules for secret paths, i.e. the built-in ones and the repository's own.
    #[must_use]
    pub fn secrets(&self) -> &SecretPolicy {
        self.0.guard.secrets()
    }

    /// Returns the repository's own rules for secret values, which supplement the built-in ones.
    #[must_use]
    pub fn own_rules(&self) -> &OwnRules {
        &self.0.own_rules
    }

    /// Returns the git folder shared by all working trees, or `None` if we cannot run git here.
    #[must_use]
    pub fn git_common_dir(&self) -> Option<&Path> {
        Some(&self.0.git.as_ref()?.common_dir)
    }

    /// Returns access to git. We run it in a way that never executes anything configured by the
    /// repository.
    ///
    /// # Errors
    /// Returns [`GitError::NotARepository`] in a plain folder, and [`GitError::NotItsWorktree`] if
    /// `.git` names a folder that does not name this working tree.
    pub fn git(&self) -> Result<Git, GitError> {
        match &self.0.git {
            Some(place) => Ok(Git::new(Arc::clone(place))),
            None if self.0.has_git_folder => Err(GitError::NotItsWorktree),
            None => Err(GitError::NotARepository),
        }
    }

    /// Returns the messages of the git calls that have failed since the last call of this function,
    /// sorted. Callers show them to explain why answers about the history are incomplete.
    #[must_use]
    pub fn take_git_failures(&self) -> BTreeSet<String> {
        let git = self.0.git.as_ref();
        git.map(|git| git.failures.take()).unwrap_or_default()
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// True if any later change of the file is certain to change its signature. Without a clock
    /// ([`RepoOptions::now`]), we can never be certain.
    pub(crate) fn is_settled(&self, signature: &Signature) -> bool {
        let now = self.0.options.now;
        now.is_some_and(|now| !signature.is_younger_than(now))
    }

    /// Returns true if the root is a git folder itself, e.g. a bare repository, or inside of one.
    #[must_use]
    pub fn is_git_folder(&self) -> bool {
        let keeps = |folder: &Path| {
            folder.join("HEAD").is_file()
                && folder.join("objects").is_dir()
                && folder.join("refs").is_dir()
        };
        !self.0.has_git_folder && self.root().ancestors().any(keeps)
    }

    /// Returns the number of threads for walking and searching.
    #[must_use]
    pub fn threads(&self) -> usize {
        let threads = self.0.options.threads;
        threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, NonZero::get),
            NonZero::get,
        )
    }
}

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
    // Only this program creates these. A folder called just `runbooks` or `memory` doesn't qualify:
    // a home folder may contain one, and must not become the root.
    let ours = |folder: &&Path| folder.join(".windlass").is_dir();
    let remembers = |folder: &&Path| folder.join(MEMORY_IMPRESSIONS).is_file();
    let marked = start.ancestors().find(ours);
    let root = marked.or_else(|| start.ancestors().find(remembers));
    Ok(root.unwrap_or(start).to_owned())
}
