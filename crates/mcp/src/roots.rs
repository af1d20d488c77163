//! Repository of a call.

use std::path::{Path, PathBuf};

use windlass::base::{Caller, Tools};
use windlass::{Environment, Workspace};

use crate::call_translation::{Listener, translate, with_calls};
use crate::tool_failure::Failure;
use crate::tools::callable;

/// Repositories that the server serves.
#[derive(Debug, Clone)]
pub enum Scope {
    /// Repository around this folder, unless a call names another.
    From(PathBuf),
    /// Only this repository, and its working trees.
    Only(PathBuf),
}

impl Scope {
    fn folder(&self) -> &Path {
        match self {
            Self::From(folder) | Self::Only(folder) => folder,
        }
    }

    /// Opens the repository named by a call, or the one the server was started in. Its messages name tool calls, and it
    /// reads and writes nothing outside.
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
            Self::From(folder) => Ok(Workspace::discover(folder, environment.clone())?),
            Self::Only(root) => Ok(Workspace::open(root, environment.clone())?),
        }
    }

    /// Rejects a start folder that is no project: clients start servers in arbitrary folders.
    fn check_own(&self, workspace: &Workspace) -> Result<(), Failure> {
        let repo = workspace.site().repo();
        let is_meant = matches!(self, Self::Only(_))
            || repo.git_common_dir().is_some()
            || repo.root().join(".windlass").is_dir();
        match is_meant {
            true => Ok(()),
            false => Err(Failure::NotServed(
                "this server was started outside of any repository: give the root of one as `root`"
                    .to_owned(),
            )),
        }
    }

    /// Rejects a folder without git unless the server was started there: otherwise a call could read any folder by
    /// naming it.
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
                "`{root}` is another repository, and this server serves only its own: omit `root`"
            ))),
            Self::From(_) if workspace.site().repo().git_common_dir().is_none() => {
                Err(Failure::NotServed(format!(
                    "`{root}` is not in a git repository: give the root of one, or omit `root`"
                )))
            }
            Self::From(_) => Ok(()),
        }
    }
}
