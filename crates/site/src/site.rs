use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::{Caller, Cancel, Digest};
use windlass_evidence::keep_evidence_in;
use windlass_redact::redact_text;
use windlass_repo::{GitError, Repo, RepoOptions, Snapshot};
use windlass_store::{Dirs, Disk, LockRequest};

use crate::documents::SiteFiles;
use crate::environment::{DEFAULT_LOCK_TIMEOUT, LOCK_TIMEOUT, actor_name};
use crate::read_log::ReadLog;
use crate::{Environment, Error, SiteError, TrustRecord};

/// A repository with the data stored about it, as one caller sees it. Clones share their problems.
#[derive(Debug, Clone)]
pub struct Site {
    repo: Repo,
    dirs: Option<Dirs>,
    /// The disk that services write to. Tests use a simulated one.
    disk: Disk,
    environment: Arc<Environment>,
    /// Commands in next actions are written for this caller. `None` is a shell at the root.
    caller: Option<Arc<Caller>>,
    /// The actor's name, if the caller has passed one.
    named_actor: Option<Arc<str>>,
    /// True if we can neither read nor write documents outside of the repository.
    confined: bool,
    /// True if we do not start the programs of a runbook, even if the user trusts it.
    starts_nothing: bool,
    /// The caller raises this when it no longer needs the answer.
    cancel: Cancel,
    /// Problems that have not prevented an answer.
    troubles: Arc<Mutex<Vec<String>>>,
    pub(crate) reads: ReadLog,
}

impl Site {
    /// Opens the repository that `start` is in, see [`Repo::discover`].
    ///
    /// # Errors
    /// Returns an error if `start` is not a folder, or if its repository cannot be read.
    pub fn discover(start: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::discover(start, options(&environment))?;
        let way_up = way_up(start, repo.root());
        Ok(Self {
            caller: way_up.map(|up| Arc::new(Caller::FromBelow(up))),
            ..site_of(repo, environment)?
        })
    }

    /// Opens the repository at `root` itself. Does not look at the folders above.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Site::discover`].
    pub fn open(root: &Path, environment: Environment) -> Result<Self, Error> {
        let repo = Repo::open_with(root, options(&environment))?;
        site_of(repo, environment)
    }

    /// Writes all files to `disk`. This is for tests.
    #[must_use]
    pub fn on(mut self, disk: &Disk) -> Self {
        self.dirs = self.dirs.map(|dirs| dirs.on(disk));
        self.disk = disk.clone();
        self
    }

    /// The disk that services write to.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Adds this root to the commands in next actions, so that they work in the caller's folder.
    #[must_use]
    pub fn called_with_root(self, root: &str) -> Self {
        let root = redact_text(root).0.as_str().to_owned();
        self.called_by(Caller::FromElsewhere(root))
    }

    /// Writes next actions for a caller that is at the root, wherever this process is running.
    #[must_use]
    pub fn called_at_the_root(mut self) -> Self {
        self.caller = None;
        self
    }

    /// Writes next actions for `caller`, whatever [`discover`](Self::discover) has found out.
    #[must_use]
    pub fn called_by(mut self, caller: Caller) -> Self {
        self.caller = Some(Arc::new(caller));
        self
    }

    /// Records changes under the name `actor`. This is for servers, because they know the name of
    /// their client.
    #[must_use]
    pub fn acting_as(mut self, actor: Option<&str>) -> Self {
        self.named_actor = actor.map(Arc::from);
        self
    }

    /// Returns the name of the person or agent at work. We take the first of these that there is:
    /// the name that the caller has passed, `BD_ACTOR`, the author name in git's configuration, the
    /// login name, the user ID.
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

    /// Forbids access to documents outside of the repository. This is for callers that we do not
    /// fully trust.
    #[must_use]
    pub fn confined(mut self) -> Self {
        self.confined = true;
        self
    }

    /// Forbids starting the programs of a runbook, even if the user trusts it. This is for callers
    /// that must not change anything.
    #[must_use]
    pub fn starting_nothing(mut self) -> Self {
        self.starts_nothing = true;
        self
    }

    /// Makes long operations return [`SiteError::Interrupted`] once `cancel` is raised. In that
    /// case, they write nothing.
    #[must_use]
    pub fn stopped_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// The signal that stops an operation, see [`stopped_by`](Self::stopped_by).
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Long operations call this now and then.
    ///
    /// # Errors
    /// Returns [`SiteError::Interrupted`] if the caller wants the operation to stop.
    pub fn go_on(&self) -> Result<(), Error> {
        match self.cancel.is_cancelled() {
            true => Err(SiteError::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// See [`starting_nothing`](Self::starting_nothing).
    #[must_use]
    pub fn starts_nothing(&self) -> bool {
        self.starts_nothing
    }

    /// See [`confined`](Self::confined()).
    #[must_use]
    pub fn is_confined(&self) -> bool {
        self.confined
    }

    /// The caller that next actions are written for. `None` is a shell at the root.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_deref()
    }

    /// The repository itself, for reading files and asking git.
    #[must_use]
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Takes a snapshot of the repository. Within the snapshot, all reads of a file return the same
    /// contents.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let snapshot = self.repo.snapshot();
        // Without a cache folder, we can't reuse earlier verifications. That's slower, but gives
        // the same answers.
        if let Ok(dirs) = self.dirs() {
            keep_evidence_in(&snapshot, &dirs.cache);
        }
        self.reads.add(&snapshot);
        snapshot
    }

    /// Everything we know about the process, e.g. its variables and its clock.
    #[must_use]
    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// Gives access to documents that the user names.
    #[must_use]
    pub fn files(&self) -> SiteFiles<'_> {
        SiteFiles(self)
    }

    /// The folders in which we store data.
    ///
    /// # Errors
    /// Returns an error if the environment has neither these folders nor a home folder.
    pub fn dirs(&self) -> Result<Dirs, Error> {
        match &self.dirs {
            Some(dirs) => Ok(dirs.clone()),
            None => Ok(Dirs::resolve(&|name| self.environment.get(name).cloned())?),
        }
    }

    /// Returns the terms on which a change waits for another process. If the setting is invalid,
    /// that is recorded as a problem and the default is used.
    #[must_use]
    pub fn lock_request(&self) -> LockRequest {
        let timeout = self.environment.lock_timeout().unwrap_or_else(|wrong| {
            self.note_trouble(format!(
                "{LOCK_TIMEOUT}: {wrong}; use `5s`, `500ms`, or `0` for no waiting; using {} s",
                DEFAULT_LOCK_TIMEOUT.as_secs()
            ));
            DEFAULT_LOCK_TIMEOUT
        });
        self.environment.lock_request(timeout)
    }

    /// Returns all problems so far, and clears the list. These are problems that have not prevented
    /// an answer, e.g. a damaged notebook or a failed call of git. Each is one line or more.
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

    /// Records a problem that does not prevent an answer. If it is there already, does nothing.
    pub fn note_trouble(&self, trouble: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if !troubles.contains(&trouble) {
            troubles.push(trouble);
        }
    }
}

fn site_of(repo: Repo, environment: Environment) -> Result<Site, Error> {
    // Without a home folder, there's nowhere to store anything. Not every operation has to, so
    // leave it to the ones that do to report the error.
    let dirs = Dirs::resolve(&|name| environment.get(name).cloned()).ok();
    let mut workspace = Site {
        repo,
        dirs,
        disk: Disk::default(),
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
    let (narrows, allows) = trusted_allowances(&workspace)?;
    if narrows || allows {
        let options = RepoOptions {
            allow_narrowing: narrows,
            allow_allowlists: allows,
            ..options(&workspace.environment)
        };
        let digests = |repo: &Repo| (repo.secrets().digest(), repo.own_rules().allowlists());
        let trusted = Repo::open_with(workspace.repo.root(), options)?;
        // If the file has changed between the check and this second read, we don't know if the user
        // trusts the new version, so stay with the first one.
        if digests(&trusted) == digests(&workspace.repo) {
            workspace.repo = trusted;
        } else {
            workspace.repo.install_rules();
        }
    }
    Ok(workspace)
}

/// Returns two flags: if the user trusts the current list of secret paths, and if the user trusts
/// the allowlists of the current gitleaks configuration. Both can reveal secrets, so neither
/// applies without trust. A list that makes no paths readable needs none.
fn trusted_allowances(site: &Site) -> Result<(bool, bool), Error> {
    let covers = |digest: Option<Digest>| {
        digest.map_or(Ok(false), |digest| TrustRecord::covers(site, &digest))
    };
    let secrets = site.repo.secrets();
    let narrows = !secrets.narrowing_lines().is_empty();
    let narrowing = secrets.digest().filter(|_| narrows);
    let allowlists = site.repo.own_rules().allowlists();
    Ok((covers(narrowing)?, covers(allowlists)?))
}

/// If `start` is below `root`, returns the relative path up to it, e.g. `../..`.
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
