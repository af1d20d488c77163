//! Health checks for everything a service depends on. Each service reports its own dependencies.

use std::path::Path;

use serde::Serialize;
use windlass_repo::{GitError, NarrowingLine, RepoKind};
use windlass_store::{Dirs, RootedPath, check_writable};

use crate::{Error, SECRETS_FILE, Site};

/// The health of one dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It works as expected.
    Good,
    /// It is usable, but incomplete.
    Fair,
    /// It does not work.
    Bad,
}

/// The result of checking one dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthFinding {
    /// The dependency's name.
    pub what: &'static str,
    /// The dependency's health.
    pub health: Health,
    /// A description of what was found.
    pub found: String,
    /// Advice on how to fix the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl HealthFinding {
    /// Creates a finding about `what`.
    pub fn new(what: &'static str, health: Health, found: impl Into<String>) -> Self {
        Self {
            what,
            health,
            found: found.into(),
            help: None,
        }
    }

    /// Creates a finding that `what` doesn't work because of `error`, with the error's advice.
    #[must_use]
    pub fn of_error(what: &'static str, error: &Error) -> Self {
        let finding = Self::new(what, Health::Bad, error.to_string());
        match error.help() {
            Some(help) => finding.help(help),
            None => finding,
        }
    }

    /// Adds advice on how to fix the problem.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reports the repository's root and kind.
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

/// Checks that git can be started and knows the current commit.
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
        // The error's message already contains its advice.
        Err(error) => HealthFinding::new("git", Health::Bad, error.to_string())
            .help("only steps that ask git need it; everything else works"),
    }
}

/// Checks the folder for the user's data.
#[must_use]
pub fn data_folder_health(site: &Site) -> HealthFinding {
    folder_health(site, "data folder", |dirs| &dirs.data, "XDG_DATA_HOME")
}

/// Checks the folder for the user's state.
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

/// Returns the nearest existing folder that contains `path`. Its permissions are the ones that
/// matter.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|ancestor| ancestor.is_dir())
        .unwrap_or(path)
}

/// Checks the list of secret paths. `was_trusted` returns true if any version of the repository's
/// own list has been trusted.
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

/// Formats lines that make paths readable, for a message.
#[must_use]
pub fn narrowing_lines_listed(narrowing: &[NarrowingLine]) -> String {
    let line = |line: &NarrowingLine| format!("`{}` (line {})", line.text, line.line);
    narrowing.iter().map(line).collect::<Vec<_>>().join(", ")
}
