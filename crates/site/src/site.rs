use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use windlass_base::{Caller, Cancel, Digest};
use windlass_evidence::keep_evidence_in;
use windlass_redact::redact_text;
use windlass_repo::{GitError, Repo, RepoOptions, Snapshot};
use windlass_store::Dirs;

use crate::documents::SiteFiles;
use crate::environment::{DEFAULT_LOCK_TIMEOUT, LOCK_TIMEOUT, actor_name};
use crate::read_log::ReadLog;
use crate::{Environment, Error, SiteError, TrustRecord};

/// A repository, the data stored about it, and the environment of a service.
#[derive(Debug, Clone)]
pub struct Site {
    repo: Repo,
    dirs: Option<Dirs>,
    environment: Arc<Environment>,
    /// The caller that receives the next actions. It determines how their commands are written.
    caller: Option<Arc<Caller>>,
    /// The actor's name, if the caller passed one.
    named_actor: Option<Arc<str>>,
    /// True if documents outside of the repository must be neither read nor written.
    confined: bool,
    /// True if no program of a runbook may start, even if the runbook is trusted.
    starts_nothing: bool,
    /// Raised when the caller no longer needs the answer.
    cancel: Cancel,
    /// Problems that didn't prevent an answer.
    troubles: Arc<Mutex<Vec<String>>>,
    /// Snapshots that record reads.
    pub(crate) reads: ReadLog,
}

impl Site {
    /// Opens the repository that contains `start`.
    ///
    /// # Errors
    ///
    /// Returns an error if `start` is not a folder, or if its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::discover(start, options(&environment))?;
        let way_up = way_up(start, repo.root());
        Ok(Self {
            caller: way_up.map(|up| Arc::new(Caller::FromBelow(up))),
            ..Self::of(repo, environment)?
        })
    }

    /// Opens the repository with the root `root`.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Site::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::open_with(root, options(&environment))?;
        Self::of(repo, environment)
    }

    fn of(repo: Repo, environment: Environment) -> Result<Self, Error> {
        // Without a home folder we can't store anything. Operations that have to will report the
        // error.
        let dirs = Dirs::resolve(&|name| environment.get(name).cloned()).ok();
        let mut workspace = Self {
            repo,
            dirs,
            environment: Arc::new(environment),
            caller: None,
            named_actor: None,
            confined: false,
            starts_nothing: false,
            cancel: Cancel::default(),
            troubles: Arc::default(),
            reads: ReadLog::default(),
        };
        if let Err(error @ GitError::NotItsWorktree) = workspace.repo.git() {
            workspace.note_trouble(error.to_string());
        }
        let (narrows, allows) = workspace.trusted_allowances()?;
        if narrows || allows {
            let options = RepoOptions {
                allow_narrowing: narrows,
                allow_allowlists: allows,
                ..options(&workspace.environment)
            };
            let digests = |repo: &Repo| (repo.secrets().digest(), repo.own_rules().allowlists());
            let trusted = Repo::open_with(workspace.repo.root(), options)?;
            // The file may have changed between the check and the second read, so we don't know
            // whether the new version is trusted.
            if digests(&trusted) == digests(&workspace.repo) {
                workspace.repo = trusted;
            } else {
                workspace.repo.install_rules();
            }
        }
        Ok(workspace)
    }

    /// Sets the root named by next actions, so that their commands work in the caller's folder.
    #[must_use]
    pub fn called_with_root(self, root: &str) -> Self {
        let root = redact_text(root).0.as_str().to_owned();
        self.called_by(Caller::FromElsewhere(root))
    }

    /// Writes next actions for a caller at the root, whatever the folder of this process.
    #[must_use]
    pub fn called_at_the_root(mut self) -> Self {
        self.caller = None;
        self
    }

    /// Writes next actions in the form used by `caller`.
    #[must_use]
    pub fn called_by(mut self, caller: Caller) -> Self {
        self.caller = Some(Arc::new(caller));
        self
    }

    /// Attributes changes to `actor`. This is for servers, which know the name of their client.
    #[must_use]
    pub fn acting_as(mut self, actor: Option<&str>) -> Self {
        self.named_actor = actor.map(Arc::from);
        self
    }

    /// Returns the name of the current person or agent. We try the name passed by the caller,
    /// `BD_ACTOR`, the author name in git's configuration, the login name and the user id, in this
    /// order.
    #[must_use]
    pub fn actor(&self) -> Option<String> {
        let of_environment = || {
            let name = self.environment.get("BD_ACTOR")?;
            actor_name(&name.to_string_lossy())
        };
        let of_git = || {
            let name = self.repo.git().ok()?.user_name().ok().flatten()?;
            actor_name(&name.to_lowercase())
        };
        let named = self.named_actor.as_deref().and_then(actor_name);
        named
            .or_else(of_environment)
            .or_else(of_git)
            .or_else(|| self.environment.login())
    }

    /// Forbids reading and writing documents outside of the repository. Use this for callers with
    /// limited trust.
    #[must_use]
    pub fn confined(mut self) -> Self {
        self.confined = true;
        self
    }

    /// Forbids starting a runbook's programs, even if the runbook is trusted. Use this for callers
    /// that must not change anything.
    #[must_use]
    pub fn starting_nothing(mut self) -> Self {
        self.starts_nothing = true;
        self
    }

    /// Ends long operations with [`SiteError::Interrupted`] when `cancel` is raised. An interrupted
    /// operation writes nothing.
    #[must_use]
    pub fn stopped_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Returns the signal by which the caller stops an operation.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Checks that the caller hasn't stopped the operation. Long operations call this repeatedly.
    ///
    /// # Errors
    /// Returns [`SiteError::Interrupted`] if the caller has stopped the operation.
    pub fn go_on(&self) -> Result<(), Error> {
        match self.cancel.is_cancelled() {
            true => Err(SiteError::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// Returns true if no program of a runbook may start, even if the runbook is trusted.
    #[must_use]
    pub fn starts_nothing(&self) -> bool {
        self.starts_nothing
    }

    /// Returns true if documents outside of the repository must be neither read nor written.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        self.confined
    }

    /// Returns the caller that receives the next actions, or `None` for a shell at the root.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_deref()
    }

    /// Returns two flags about the user's trust, one for the current list of secret paths and one
    /// for the allowlists of the current gitleaks configuration. Both files can make secret text
    /// readable, so neither applies without trust.
    fn trusted_allowances(&self) -> Result<(bool, bool), Error> {
        let covers = |digest: Option<Digest>| {
            digest.map_or(Ok(false), |digest| TrustRecord::covers(self, &digest))
        };
        let secrets = self.repo.secrets();
        let narrows = !secrets.narrowing_lines().is_empty();
        let narrowing = secrets.digest().filter(|_| narrows);
        let allowlists = self.repo.own_rules().allowlists();
        Ok((covers(narrowing)?, covers(allowlists)?))
    }

    /// Returns the site's repository.
    #[must_use]
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Returns a snapshot of the repository. Within a snapshot, every read of a file returns the
    /// same contents.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let snapshot = self.repo.snapshot();
        // Without a cache folder we can't use the results of earlier verifications. That costs
        // time, but the answers are the same.
        if let Ok(dirs) = self.dirs() {
            keep_evidence_in(&snapshot, &dirs.cache);
        }
        self.reads.add(&snapshot);
        snapshot
    }

    /// Returns the environment.
    #[must_use]
    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// Returns access to documents named by the user.
    #[must_use]
    pub fn files(&self) -> SiteFiles<'_> {
        SiteFiles(self)
    }

    /// Returns the folders for stored data.
    ///
    /// # Errors
    /// Returns an error if the environment names neither these folders nor a home folder.
    pub fn dirs(&self) -> Result<Dirs, Error> {
        match &self.dirs {
            Some(dirs) => Ok(dirs.clone()),
            None => Ok(Dirs::resolve(&|name| self.environment.get(name).cloned())?),
        }
    }

    /// Returns the time that a change waits for another process. An invalid setting is recorded as
    /// a problem and otherwise ignored.
    #[must_use]
    pub fn lock_timeout(&self) -> Duration {
        self.environment.lock_timeout().unwrap_or_else(|wrong| {
            self.note_trouble(format!(
                "{LOCK_TIMEOUT}: {wrong}; use `5s`, `500ms`, or `0` for no waiting; using {} s",
                DEFAULT_LOCK_TIMEOUT.as_secs()
            ));
            DEFAULT_LOCK_TIMEOUT
        })
    }

    /// Returns the recorded problems and clears the list. They didn't prevent an answer, like a
    /// damaged notebook or a failed call of git. Each problem has one or more lines.
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

    /// Records a problem that doesn't prevent an answer, unless it's already recorded.
    pub fn note_trouble(&self, trouble: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if !troubles.contains(&trouble) {
            troubles.push(trouble);
        }
    }
}

/// Returns the relative path from `start` up to `root`, or `None` if `start` isn't below `root`.
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
