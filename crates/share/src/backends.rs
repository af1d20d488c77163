//! Picks the backend for the location of a shared log.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_ledger::{OpenShared, Opening, SharedConfig, SharedError, SharedLog};
use windlass_repo::Repo;
use windlass_site::Site;
use windlass_store::LockRequest;

use crate::file_log::FileLog;
use crate::git_log::GitLog;
use crate::git_program::GitProgram;
use crate::location::Location;

const MAX_NAME: usize = 100;

/// Opens shared logs with any of the backends that this program was built with.
#[derive(Clone)]
pub struct Backends {
    root: PathBuf,
    git_dir: Option<PathBuf>,
    variables: Arc<BTreeMap<String, OsString>>,
    /// Terms of the wait for the lock of a log in a folder.
    lock: LockRequest,
    #[cfg_attr(
        not(feature = "postgres"),
        expect(dead_code, reason = "only PostgreSQL has passwords")
    )]
    password: Option<String>,
}

impl std::fmt::Debug for Backends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Leave the password out of debug output.
        f.debug_struct("Backends")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Backends {
    /// Creates the backends for the repository of `site`, without a password.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            root: site.repo().root().to_owned(),
            git_dir: site.repo().git_common_dir().map(ToOwned::to_owned),
            variables: Arc::clone(&site.environment().variables),
            lock: site.lock_request(),
            password: None,
        }
    }

    /// Sets a password, which takes precedence over any from the environment.
    #[must_use]
    pub fn with_password(self, password: Option<String>) -> Self {
        Self { password, ..self }
    }
}

impl OpenShared for Backends {
    fn at(&self, site: &Site) -> Arc<dyn OpenShared> {
        Arc::new(Self::new(site))
    }

    fn open(
        &self,
        config: &SharedConfig,
        opening: Opening,
    ) -> Result<Box<dyn SharedLog>, SharedError> {
        check_name(&config.name)?;
        let given = Location::parse(&config.location, &self.root)?;
        match given.location {
            Location::File(folder) => {
                let log = FileLog::open(&folder, &config.name, opening, &self.lock)?;
                Ok(Box::new(log))
            }
            Location::Git(remote) => {
                let git_dir = self.git_dir.as_ref().ok_or_else(|| {
                    SharedError::Refused("this folder is not a git repository".to_owned())
                })?;
                let git = GitProgram::new(git_dir, Arc::clone(&self.variables), opening);
                Ok(Box::new(GitLog::open(git, &remote, &config.name, opening)?))
            }
            #[cfg(feature = "postgres")]
            Location::Postgres(url) => {
                let password = self.password.as_deref();
                let log =
                    crate::postgres::open(&url, &config.name, &self.variables, password, opening)?;
                Ok(Box::new(log))
            }
            #[cfg(not(feature = "postgres"))]
            Location::Postgres(_) => Err(SharedError::Refused(
                windlass_site::MissingFeature("postgres").to_string(),
            )),
        }
    }
}

/// Checks the name of a ledger. The name becomes part of file names and refs, and comes from a
/// configuration file or a user.
fn check_name(name: &str) -> Result<(), SharedError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(SharedError::Refused(format!(
            "`{name}` is not a name of a ledger: use letters, digits, `-` and `_`"
        ))),
    }
}

/// Returns the name under which `repo` is shared at `location` by default.
///
/// All clones of a repository have the same first commit, so we derive the name from that. Without
/// any commits, nothing distinguishes the repository from others, and the user has to choose a
/// name. At a git remote, the repository is clear anyway.
#[must_use]
pub fn default_name(repo: &Repo, location: &Location) -> Option<String> {
    if matches!(location, Location::Git(_)) {
        return Some("ledger".to_owned());
    }
    let roots = repo.git().ok()?.commits().root_commits().ok()?;
    roots
        .first()
        .map(|root| format!("repo-{}", &root[..root.len().min(16)]))
}
