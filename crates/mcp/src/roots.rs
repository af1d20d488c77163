//! Which repository a call is about.

use std::path::{Path, PathBuf};

use windlass::base::{Caller, Tools};
use windlass::{Environment, Workspace};

use crate::telling::{Listener, told, translate};
use crate::tool_failure::Failure;
use crate::tools::callable;

/// Which repositories are served.
#[derive(Debug, Clone)]
pub enum Scope {
    /// The one that this folder lies in, unless a call names another.
    From(PathBuf),
    /// This one alone, and its working trees.
    Only(PathBuf),
}

impl Scope {
    fn folder(&self) -> &Path {
        match self {
            Self::From(folder) | Self::Only(folder) => folder,
        }
    }

    /// The repository that a call is about: the one that it names, or the one the server was started in. What it
    /// tells is told in calls of tools, and it reads and writes nothing that lies elsewhere.
    ///
    /// # Errors
    /// When there is none, or it is not served.
    pub(crate) fn workspace(
        &self,
        named: Option<&str>,
        only_reading: bool,
        environment: &Environment,
    ) -> Result<Workspace, Failure> {
        let workspace = match named {
            None => {
                let own = self.own(environment)?;
                self.check_own(&own)?;
                own
            }
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
                told: |text, root| told(text, Listener::new(root, None)),
            },
            true => Tools {
                root,
                translate: |command, root| translate(command, Listener::new(root, callable(true))),
                told: |text, root| told(text, Listener::new(root, callable(true))),
            },
        });
        Ok(workspace.with(|site| site.confined().called_by(caller)))
    }

    fn own(&self, environment: &Environment) -> Result<Workspace, Failure> {
        match self {
            Self::From(folder) => Ok(Workspace::discover(folder, environment.clone())?),
            Self::Only(root) => Ok(Workspace::open(root, environment.clone())?),
        }
    }

    /// Clients start servers in all sorts of folders: one that is nobody's project is not served because of that.
    fn check_own(&self, workspace: &Workspace) -> Result<(), Failure> {
        let repo = workspace.site().repo();
        let is_meant = matches!(self, Self::Only(_))
            || repo.git_common_dir().is_some()
            || repo.root().join(".windlass").is_dir();
        match is_meant {
            true => Ok(()),
            false => Err(Failure::NotServed(
                "this server was started outside of any repository: name the root of one as `root`"
                    .to_owned(),
            )),
        }
    }

    /// A folder without git is served where the server was started there, and not because a call names it: anything
    /// could be read otherwise.
    fn check_served(
        &self,
        workspace: &Workspace,
        root: &str,
        environment: &Environment,
    ) -> Result<(), Failure> {
        let own = self.own(environment)?;
        if own.site().repo().identity().repo_id == workspace.site().repo().identity().repo_id {
            return Ok(());
        }
        match self {
            Self::Only(_) => Err(Failure::NotServed(format!(
                "`{root}` is another repository, and this server serves only the one it was started for: leave `root` out"
            ))),
            Self::From(_) if workspace.site().repo().git_common_dir().is_none() => {
                Err(Failure::NotServed(format!(
                    "`{root}` lies in no git repository: name the root of one, or leave `root` out"
                )))
            }
            Self::From(_) => Ok(()),
        }
    }
}
