//! The repository of a call, and the limits on it.

use std::path::{Path, PathBuf};

use windlass::base::{Caller, Tools};
use windlass::{Environment, Workspace};

use crate::call_translation::{Listener, translate, with_calls};
use crate::tool_failure::Failure;
use crate::tools::callable;

/// Repositories a server serves.
#[derive(Debug, Clone)]
pub enum Scope {
    /// The repository around this folder, unless a call names another.
    From(PathBuf),
    /// Only the repository around this folder, with its working trees.
    Only(PathBuf),
    /// Only the repositories around these folders, as offered by the client. There is at least one.
    Offered(Vec<PathBuf>),
}

impl Scope {
    /// Returns the base of a relative `root`.
    fn folder(&self) -> &Path {
        match self {
            Self::From(folder) | Self::Only(folder) => folder,
            Self::Offered(folders) => folders.first().map_or(Path::new("."), PathBuf::as_path),
        }
    }

    /// Opens the repository named by a call, or the one the server was started in. Its messages
    /// name tool calls, and nothing outside of the repository is read or written.
    ///
    /// # Errors
    /// If there is no repository, or it is not served.
    pub(crate) fn workspace(
        &self,
        named: Option<&str>,
        only_reading: bool,
        environment: &Environment,
    ) -> Result<Workspace, Failure> {
        let workspace = match named {
            None => self.own(environment)?,
            Some(root) => {
                let folder = self.folder().join(root);
                let workspace = Workspace::discover(&folder, environment.clone())?;
                self.check_served(&workspace, root, environment)?;
                workspace
            }
        };
        let root = named.map(str::to_owned);
        let caller = Caller::ByTools(match only_reading {
            false => Tools {
                root,
                translate: |command, root| translate(command, Listener::new(root, None)),
                told: |text, root| with_calls(text, Listener::new(root, None)),
            },
            true => Tools {
                root,
                translate: |command, root| translate(command, Listener::new(root, callable(true))),
                told: |text, root| with_calls(text, Listener::new(root, callable(true))),
            },
        });
        Ok(workspace.with(|site| site.confined().called_by(caller)))
    }

    /// Opens the repository for calls without `root`.
    fn own(&self, environment: &Environment) -> Result<Workspace, Failure> {
        match self {
            Self::Only(folder) => {
                // Users start clients in subfolders too, and the client starts the server there.
                let around = Workspace::discover(folder, environment.clone())?;
                let root = around.site().repo().root();
                let is_meant = folder.canonicalize().is_ok_and(|folder| folder == root);
                match is_meant || !is_home(root, environment) {
                    true => Ok(around),
                    false => Ok(Workspace::open(folder, environment.clone())?),
                }
            }
            Self::From(folder) => {
                let workspace = Workspace::discover(folder, environment.clone())?;
                check_project(&workspace, environment)?;
                Ok(workspace)
            }
            Self::Offered(folders) => {
                let mut served = folders.iter().map(|folder| {
                    let workspace = Workspace::discover(folder, environment.clone())?;
                    check_project(&workspace, environment)?;
                    Ok(workspace)
                });
                // If no folder can be served, report the error about the first: it's the one the
                // client prefers.
                let first = served.next().unwrap_or_else(|| Err(no_project()));
                first.or_else(|fault| served.find_map(Result::ok).ok_or(fault))
            }
        }
    }

    /// Rejects repositories this server doesn't serve. A folder without git is only served where
    /// the server was started. Otherwise a call could read any folder by naming it.
    fn check_served(
        &self,
        workspace: &Workspace,
        root: &str,
        environment: &Environment,
    ) -> Result<(), Failure> {
        let id = |workspace: &Workspace| workspace.site().repo().identity().repo_id.clone();
        let is_around = |folder: &PathBuf| {
            let around = Workspace::discover(folder, environment.clone());
            around.is_ok_and(|around| id(&around) == id(workspace))
        };
        let is_own = match self {
            Self::Offered(folders) => folders.iter().any(is_around),
            Self::From(folder) => is_around(folder),
            Self::Only(_) => id(&self.own(environment)?) == id(workspace),
        };
        if is_own {
            return match self {
                Self::Only(_) => Ok(()),
                Self::From(_) | Self::Offered(_) => check_project(workspace, environment),
            };
        }
        let refused = match self {
            Self::Only(_) => format!(
                "`{root}` is another repository, and this server serves only its own: omit `root`"
            ),
            Self::Offered(_) => format!(
                "`{root}` is not a repository that the client offers: omit `root`, or open that folder in the client"
            ),
            Self::From(_) if workspace.site().repo().git_common_dir().is_none() => {
                format!("`{root}` is not in a git repository: give the root of one, or omit `root`")
            }
            Self::From(_) => return check_project(workspace, environment),
        };
        Err(Failure::NotServed(refused))
    }
}

/// Rejects a folder that isn't a project, since clients start servers in arbitrary folders. A home
/// folder may be a repository of settings, but it also holds everything else of its user.
fn check_project(workspace: &Workspace, environment: &Environment) -> Result<(), Failure> {
    let repo = workspace.site().repo();
    if is_home(repo.root(), environment) {
        return Err(Failure::NotServed(
            "the repository here is the home folder, which is served only by `windlass mcp --root DIR`: start the server in \
             another, or give the root of another as `root`"
                .to_owned(),
        ));
    }
    match repo.git_common_dir().is_some() || repo.root().join(".windlass").is_dir() {
        true => Ok(()),
        false => Err(no_project()),
    }
}

fn no_project() -> Failure {
    Failure::NotServed(
        "this server was started outside of any repository: give the root of one as `root`"
            .to_owned(),
    )
}

/// Returns true if `folder` is the user's home folder.
fn is_home(folder: &Path, environment: &Environment) -> bool {
    let named = ["HOME", "USERPROFILE"].into_iter();
    let mut homes = named.filter_map(|name| Path::new(environment.get(name)?).canonicalize().ok());
    homes.any(|home| home == folder)
}
