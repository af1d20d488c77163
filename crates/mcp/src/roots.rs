//! Decides which repository a call is about, and which ones it may name.

use std::path::{Path, PathBuf};

use windlass::base::{Caller, Tools};
use windlass::{Environment, Workspace};

use crate::call_translation::{Listener, translate, with_calls};
use crate::tool_failure::Failure;
use crate::tools::callable;

/// The repositories that a server serves.
#[derive(Debug, Clone)]
pub enum Scope {
    /// The repository around this folder, unless a call names another.
    From(PathBuf),
    /// Only the repository around this folder, with its working trees.
    Only(PathBuf),
    /// Only the repositories around these folders, which the client offers. There's at least one.
    Offered(Vec<PathBuf>),
}

impl Scope {
    /// The folder that a relative `root` starts from.
    fn folder(&self) -> &Path {
        match self {
            Self::From(folder) | Self::Only(folder) => folder,
            Self::Offered(folders) => folders.first().map_or(Path::new("."), PathBuf::as_path),
        }
    }

    /// Opens the repository that a call names, or else the one that the server was started in. Its
    /// messages name tool calls, and it doesn't read or write anything outside of the repository.
    ///
    /// # Errors
    /// Returns an error if there's no repository, or if we don't serve it.
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

    fn own(&self, environment: &Environment) -> Result<Workspace, Failure> {
        match self {
            Self::Only(folder) => {
                // Users also start clients in subfolders, and the server starts in the same place.
                let around = Workspace::discover(folder, environment.clone())?;
                let root = around.site().repo().root();
                // If that leads to the home folder (some people have a repository of settings
                // there), the user can't have meant all of it. Serve just the named folder.
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
                // If we can't serve any of the folders, report the error about the first one, since
                // the client prefers it.
                let first = served.next().unwrap_or_else(|| Err(no_project()));
                first.or_else(|fault| served.find_map(Result::ok).ok_or(fault))
            }
        }
    }

    /// Rejects a repository that this server doesn't serve. We serve a folder without git only
    /// where the server was started, since a call could otherwise read any folder by naming it.
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
/// folder isn't one: it may be a repository of settings, but it also has everything else of its
/// user.
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

/// True if `folder` is the user's home folder, whatever links lead there.
fn is_home(folder: &Path, environment: &Environment) -> bool {
    let named = ["HOME", "USERPROFILE"].into_iter();
    let mut homes = named.filter_map(|name| Path::new(environment.get(name)?).canonicalize().ok());
    homes.any(|home| home == folder)
}
