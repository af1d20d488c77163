//! Health checks, as shown by `windlass doctor`.
//!
//! Each service checks its own dependencies. This module has the type of their findings, and the
//! checks of what all services depend on.

use std::path::Path;

use serde::Serialize;
use windlass_repo::{GitError, NarrowingLine, RepoKind};
use windlass_store::{Dirs, RootedPath, check_writable};

use crate::{Error, SECRETS_FILE, Site};

/// The state of something that a service depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// Everything works as expected.
    Good,
    /// It's usable, but something is missing, or some operations will fail.
    Fair,
    /// It doesn't work at all.
    Bad,
}

/// The result of a health check, shown to the user as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthFinding {
    /// Name of what was checked, e.g. `git` or `data folder`.
    pub what: &'static str,
    /// The state. A worse one compares as greater.
    pub health: Health,
    /// Finding, e.g. a path or an error.
    pub found: String,
    /// Advice for the user, or `None` if there's nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl HealthFinding {
    /// Creates a finding without advice, which can be added with [`help`](Self::help()).
    pub fn new(what: &'static str, health: Health, found: impl Into<String>) -> Self {
        Self {
            what,
            health,
            found: found.into(),
            help: None,
        }
    }

    /// Creates a finding for an error, with the advice of that error.
    #[must_use]
    pub fn of_error(what: &'static str, error: &Error) -> Self {
        let finding = Self::new(what, Health::Bad, error.to_string());
        match error.help() {
            Some(help) => finding.help(help),
            None => finding,
        }
    }

    /// Adds or replaces the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reports the root and the kind of the repository. This is just for information, so it's always
/// `Good`.
#[must_use]
pub fn repository_health(site: &Site) -> HealthFinding {
    let repo = site.repo();
    let kind = match repo.identity().kind {
        _ if repo.is_git_folder() => "a folder of git itself, such as a bare repository",
        RepoKind::Git => "a git repository",
        RepoKind::Folder => "a folder without git",
    };
    HealthFinding::new(
        "repository",
        Health::Good,
        format!("{} ({kind})", repo.root().display()),
    )
}

/// Checks that git can be started, and reports the current commit.
#[must_use]
pub fn git_health(site: &Site) -> HealthFinding {
    let head = match site.repo().git() {
        Err(GitError::NotARepository) => {
            let why = match site.repo().is_git_folder() {
                true => "not used: no working tree here",
                false => "not used: this folder is not in a git repository",
            };
            return HealthFinding::new("git", Health::Fair, why)
                .help("steps that ask git fail here; everything else works");
        }
        git => git.and_then(|git| git.revisions().head()),
    };
    match head {
        Ok(head) => {
            let at = head.commit.map_or_else(
                || "no commit yet".to_owned(),
                |commit| commit.chars().take(12).collect(),
            );
            let branch = head
                .branch
                .map(|branch| format!(" on {branch}"))
                .unwrap_or_default();
            HealthFinding::new("git", Health::Good, format!("{at}{branch}"))
        }
        // The message of this error already says how to fix it.
        Err(error) => HealthFinding::new("git", Health::Bad, error.to_string())
            .help("only steps that ask git need it; everything else works"),
    }
}

/// Checks that we can write to the folder for the user's data.
#[must_use]
pub fn data_folder_health(site: &Site) -> HealthFinding {
    folder_health(site, "data folder", |dirs| &dirs.data, "XDG_DATA_HOME")
}

/// Checks that we can write to the folder for state.
#[must_use]
pub fn state_folder_health(site: &Site) -> HealthFinding {
    folder_health(site, "state folder", |dirs| &dirs.state, "XDG_STATE_HOME")
}

fn folder_health(
    site: &Site,
    what: &'static str,
    of: fn(&Dirs) -> &RootedPath,
    variable: &str,
) -> HealthFinding {
    let dirs = match site.dirs() {
        Ok(dirs) => dirs,
        Err(error) => return HealthFinding::new(what, Health::Bad, error.to_string()),
    };
    let folder = of(&dirs);
    match check_writable(folder) {
        Ok(()) => HealthFinding::new(what, Health::Good, folder.display().to_string()),
        Err(error) if error.is_full() => HealthFinding::new(what, Health::Bad, error.to_string()),
        Err(error) => HealthFinding::new(what, Health::Bad, error.to_string()).help(format!(
            "make `{}` writable, or set {variable} to a folder that is",
            existing(folder.path()).display()
        )),
    }
}

/// Returns the nearest folder above `path` that exists. If `path` can't be created, it's because of
/// that folder's permissions.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|ancestor| ancestor.is_dir())
        .unwrap_or(path)
}

/// Reports which paths are secret. `was_trusted` tells if the user has ever trusted a version of
/// the repository's own list.
#[must_use]
pub fn secret_paths_health(site: &Site, was_trusted: impl FnOnce() -> bool) -> HealthFinding {
    const WHAT: &str = "secret paths";
    let policy = site.repo().secrets();
    if policy.digest().is_none() {
        return HealthFinding::new(WHAT, Health::Good, "the built-in list");
    }
    let narrowing = narrowing_lines_listed(policy.narrowing_lines());
    if policy.narrowing_lines().is_empty() || policy.narrows() {
        let readable = if policy.narrows() {
            format!(", whose lines make paths readable: {narrowing}")
        } else {
            String::new()
        };
        let found = format!("the built-in list and {SECRETS_FILE}{readable}");
        return HealthFinding::new(WHAT, Health::Good, found);
    }
    let since = if was_trusted() {
        " changed since it was trusted, and"
    } else {
        ""
    };
    let found = format!("{SECRETS_FILE}{since} would make paths readable: {narrowing}");
    HealthFinding::new(WHAT, Health::Fair, found).help(format!(
        "these lines apply only when trusted: review them with `windlass trust {SECRETS_FILE} --dry-run`"
    ))
}

/// Lists the lines that make paths readable, in a form that can be part of a message.
#[must_use]
pub fn narrowing_lines_listed(narrowing: &[NarrowingLine]) -> String {
    let line = |line: &NarrowingLine| format!("`{}` (line {})", line.text, line.line);
    narrowing.iter().map(line).collect::<Vec<_>>().join(", ")
}
