use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use windlass_base::{Caller, Cancel};
use windlass_evidence::keep_evidence_in;
use windlass_redact::redact_text;
use windlass_repo::{GitError, Repo, RepoOptions, Snapshot};
use windlass_store::Dirs;

use crate::documents::SiteFiles;
use crate::environment::{LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT};
use crate::{Environment, Error, SiteError, TrustRecord};

/// A repository, and what is kept about it.
#[derive(Debug, Clone)]
pub struct Site {
    repo: Repo,
    dirs: Option<Dirs>,
    environment: Arc<Environment>,
    /// How printed calls name the root.
    caller: Option<Arc<Caller>>,
    /// Whether documents outside of the repository are neither read nor written.
    confined: bool,
    /// Whether no program of a runbook is started, trusted or not.
    starts_nothing: bool,
    /// Raised when nobody waits for the answer any more.
    cancel: Cancel,
    /// Problems that an answer was given in spite of.
    troubles: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Opens the repository that `start` lies in.
    ///
    /// # Errors
    /// When there is no such folder, or its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::discover(start, options(&environment))?;
        let way_up = way_up(start, repo.root());
        Ok(Self {
            caller: way_up.map(|up| Arc::new(Caller::FromBelow(up))),
            ..Self::of(repo, environment)?
        })
    }

    /// Opens the repository whose root is `root`.
    ///
    /// # Errors
    /// As [`Site::discover`].
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
            caller: None,
            confined: false,
            starts_nothing: false,
            cancel: Cancel::default(),
            troubles: Arc::default(),
        };
        if let Err(error @ GitError::NotItsWorktree) = workspace.repo.git() {
            workspace.note_trouble(error.to_string());
        }
        let (narrows, allows) = (workspace.may_narrow()?, workspace.may_allow()?);
        if narrows || allows {
            let options = RepoOptions {
                allow_narrowing: narrows,
                allow_allowlists: allows,
                ..options(&workspace.environment)
            };
            let digests = |repo: &Repo| (repo.secrets().digest(), repo.own_rules().allowlists());
            let trusted = Repo::open_with(workspace.repo.root(), options)?;
            // It may have been changed since it was looked at.
            if digests(&trusted) == digests(&workspace.repo) {
                workspace.repo = trusted;
            } else {
                workspace.repo.install_rules();
            }
        }
        Ok(workspace)
    }

    /// The same, whose printed calls name its root as `root`: they can be made from where the caller stands.
    #[must_use]
    pub fn called_with_root(self, root: &str) -> Self {
        let root = redact_text(root).0.as_str().to_owned();
        self.called_by(Caller::FromElsewhere(root))
    }

    /// The same, whose printed calls are to be made at its root, wherever this one stands.
    #[must_use]
    pub fn called_at_the_root(mut self) -> Self {
        self.caller = None;
        self
    }

    /// The same, whose printed calls are such as `caller` makes.
    #[must_use]
    pub fn called_by(mut self, caller: Caller) -> Self {
        self.caller = Some(Arc::new(caller));
        self
    }

    /// The same, which neither reads nor writes documents outside of the repository, whatever they are named by: for
    /// callers who are not trusted with more.
    #[must_use]
    pub fn confined(mut self) -> Self {
        self.confined = true;
        self
    }

    /// The same, which starts no program of a runbook, trusted or not: for who wants nothing to be changed.
    #[must_use]
    pub fn starting_nothing(mut self) -> Self {
        self.starts_nothing = true;
        self
    }

    /// The same, whose long looks end with [`SiteError::Interrupted`] once `cancel` is raised, with nothing written.
    #[must_use]
    pub fn stopped_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Raised when nobody waits for the answer any more.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// That somebody waits for the answer still.
    ///
    /// # Errors
    /// [`SiteError::Interrupted`] when nobody waits for the answer any more.
    pub fn go_on(&self) -> Result<(), Error> {
        match self.cancel.is_cancelled() {
            true => Err(SiteError::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// True if no program of a runbook is started, trusted or not.
    #[must_use]
    pub fn starts_nothing(&self) -> bool {
        self.starts_nothing
    }

    /// True if documents outside of the repository are neither read nor written.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        self.confined
    }

    /// The one who makes the calls that are printed, where that matters.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_deref()
    }

    /// Whether the repository's list of secret paths makes some readable, and the user trusts it as it is.
    fn may_narrow(&self) -> Result<bool, Error> {
        let secrets = self.repo.secrets();
        match secrets.digest() {
            Some(digest) if !secrets.narrowing_lines().is_empty() => {
                TrustRecord::covers(self, &digest)
            }
            _ => Ok(false),
        }
    }

    /// True if the repository's configuration of gitleaks has allowlists, and the user trusts it as it is.
    fn may_allow(&self) -> Result<bool, Error> {
        match self.repo.own_rules().allowlists() {
            Some(digest) => TrustRecord::covers(self, &digest),
            None => Ok(false),
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
        let snapshot = self.repo.snapshot();
        // Where nothing can be kept, each judgement begins anew.
        if let Ok(dirs) = self.dirs() {
            keep_evidence_in(&snapshot, &dirs.cache);
        }
        snapshot
    }

    /// The facts that are known of the world outside.
    #[must_use]
    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// Documents that a user names.
    #[must_use]
    pub fn files(&self) -> SiteFiles<'_> {
        SiteFiles(self)
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

    /// The time that a change waits for another process to finish its own. What is no duration is noted, and not followed.
    #[must_use]
    pub fn lock_timeout(&self) -> Duration {
        self.environment.lock_timeout().unwrap_or_else(|wrong| {
            self.note_trouble(format!(
                "{LOCK_TIMEOUT}: {wrong}; write `5s`, `500ms`, or `0` to wait for nobody; {} s count",
                USUAL_LOCK_TIMEOUT.as_secs()
            ));
            USUAL_LOCK_TIMEOUT
        })
    }

    /// Problems since the last call of this that an answer was given in spite of, each a text of one or more lines: damage to the
    /// notebook, and the first call of git that failed.
    #[must_use]
    pub fn take_troubles(&self) -> Vec<String> {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = std::mem::take(&mut *troubles);
        let of_git = self.repo.take_git_failures().into_iter().next();
        taken.extend(
            of_git.map(|failure| format!("{failure}; answers that need history may be incomplete")),
        );
        taken
    }

    /// Notes a problem that an answer is given in spite of.
    pub fn note_trouble(&self, trouble: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if !troubles.contains(&trouble) {
            troubles.push(trouble);
        }
    }
}

/// The way from `start` up to `root`; nothing where that is the same folder.
fn way_up(start: &Path, root: &Path) -> Option<String> {
    let start = start.canonicalize().ok()?;
    let depth = start.strip_prefix(root).ok()?.components().count();
    (depth > 0).then(|| vec![".."; depth].join("/"))
}

fn options(environment: &Environment) -> RepoOptions {
    RepoOptions {
        threads: Some(environment.threads),
        now: Some(environment.now()),
        environment: Some(environment.variables.clone()),
        ..RepoOptions::default()
    }
}
