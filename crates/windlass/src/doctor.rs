use std::path::Path;

use serde::Serialize;
use windlass_base::counted;
use windlass_repo::{GitError, NarrowingLine, RepoKind};
use windlass_runs::{Asked, Standing, TrustState};
use windlass_site::{Error, SECRETS_FILE, Site};
use windlass_store::{Dirs, RootedPath};

use crate::Workspace;

/// How well a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Good,
    /// Works, but something is missing.
    Fair,
    /// Does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub what: &'static str,
    /// How well it is.
    pub health: Health,
    /// What was found.
    pub found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Finding {
    fn new(what: &'static str, health: Health, found: impl Into<String>) -> Self {
        Self {
            what,
            health,
            found: found.into(),
            help: None,
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Looks at everything that windlass depends on, and says what to do where something is amiss.
#[must_use]
pub fn doctor(workspace: &Workspace) -> Vec<Finding> {
    vec![
        repository(workspace.site()),
        git(workspace.site()),
        runbooks(workspace),
        notebook(workspace),
        folder(
            workspace.site(),
            "data folder",
            |dirs| &dirs.data,
            "XDG_DATA_HOME",
        ),
        state(workspace),
        trust(workspace),
        secrets(workspace),
    ]
}

fn repository(site: &Site) -> Finding {
    let repo = site.repo();
    let kind = match repo.identity().kind {
        _ if repo.is_git_folder() => "a folder of git itself, such as a bare repository",
        RepoKind::Git => "a git repository",
        RepoKind::Folder => "a folder without git",
    };
    Finding::new(
        "repository",
        Health::Good,
        format!("{} ({kind})", repo.root().display()),
    )
}

fn git(site: &Site) -> Finding {
    let head = match site.repo().git() {
        Err(GitError::NotARepository) => {
            let why = match site.repo().is_git_folder() {
                true => "not used: there is no working tree here",
                false => "not used: this folder is not in a git repository",
            };
            return Finding::new("git", Health::Fair, why)
                .help("steps that ask git fail here; everything else works");
        }
        git => git.and_then(|git| git.head()),
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
            Finding::new("git", Health::Good, format!("{at}{branch}"))
        }
        // The error itself says what to do.
        Err(error) => Finding::new("git", Health::Bad, error.to_string())
            .help("only steps that ask git need it; everything else works"),
    }
}

fn runbooks(workspace: &Workspace) -> Finding {
    let (site, shelf) = (workspace.site(), workspace.runbooks());
    let (snapshot, catalog) = (site.snapshot(), workspace.runs().step_catalog());
    let entries = shelf.all(&snapshot);
    if entries.is_empty() && site.repo().is_git_folder() {
        return Finding::new("runbooks", Health::Fair, "none")
            .help("windlass works in a working tree; `git worktree add` makes one");
    }
    if entries.is_empty() {
        return Finding::new("runbooks", Health::Fair, "none")
            .help("`windlass init` writes one that fits");
    }
    let root = site.repo().root();
    let names = entries.iter().map(|entry| entry.place.to_string());
    let broken: Vec<String> = names
        .filter(|name| {
            shelf
                .find(name, root, &snapshot, &catalog)
                .and_then(|runbook| shelf.check_name(runbook, &entries, &snapshot))
                .is_err()
        })
        .collect();
    if broken.is_empty() {
        return Finding::new("runbooks", Health::Good, format!("{} valid", entries.len()));
    }
    Finding::new(
        "runbooks",
        Health::Bad,
        format!("not valid: {}", broken.join(", ")),
    )
    .help(format!(
        "`windlass check {}` says what is wrong",
        broken.join(" ")
    ))
}

fn notebook(workspace: &Workspace) -> Finding {
    let file = workspace.notebook().file();
    if !file.is_enabled() {
        return Finding::new("notebook", Health::Fair, "switched off")
            .help("unset WINDLASS_NOTEBOOK, and set HOME, to save anchors and runbooks");
    }
    match file.read() {
        Ok(notebook) => {
            let found = format!(
                "{} and {} in {}",
                counted(notebook.anchors().len(), "anchor"),
                counted(notebook.runbooks().len(), "runbook"),
                file.path().display()
            );
            match notebook.damage() {
                [] => Finding::new("notebook", Health::Good, found),
                damage => {
                    let told: Vec<String> = damage.iter().map(ToString::to_string).collect();
                    Finding::new(
                        "notebook",
                        Health::Bad,
                        format!("{found}; {}", told.join("; ")),
                    )
                }
            }
        }
        Err(error) => Finding::new("notebook", Health::Bad, error.to_string()),
    }
}

fn folder(
    site: &Site,
    what: &'static str,
    of: fn(&Dirs) -> &RootedPath,
    variable: &str,
) -> Finding {
    let dirs = match site.dirs() {
        Ok(dirs) => dirs,
        Err(error) => return Finding::new(what, Health::Bad, error.to_string()),
    };
    let folder = of(&dirs);
    match windlass_store::check_writable(folder) {
        Ok(()) => Finding::new(what, Health::Good, folder.display().to_string()),
        Err(error) if error.is_full() => Finding::new(what, Health::Bad, error.to_string()),
        Err(error) => Finding::new(what, Health::Bad, error.to_string()).help(format!(
            "make `{}` writable, or set {variable} to a folder that is",
            existing(folder.path()).display()
        )),
    }
}

/// The state folder, and where in it the packs of runs that were cut are kept.
fn state(workspace: &Workspace) -> Finding {
    const WHAT: &str = "state folder";
    let found = folder(workspace.site(), WHAT, |dirs| &dirs.state, "XDG_STATE_HOME");
    let packs = workspace
        .kept_packs()
        .folder()
        .filter(windlass_store::RootedPath::is_there);
    match packs.map(|packs| (windlass_store::check_writable(&packs), packs)) {
        Some((Err(error), packs)) if found.health == Health::Good => {
            let help = format!(
                "make `{}` writable; what is cut from a pack cannot be kept until then",
                packs.display()
            );
            Finding::new(WHAT, Health::Bad, error.to_string()).help(help)
        }
        _ => found,
    }
}

/// The nearest folder upwards that is there.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|ancestor| ancestor.is_dir())
        .unwrap_or(path)
}

fn trust(workspace: &Workspace) -> Finding {
    let trusted = match trusted(workspace) {
        Ok(trusted) => trusted,
        Err(error) => return Finding::new("trust", Health::Bad, error.to_string()),
    };
    let runbooks: Vec<&TrustState> = trusted
        .iter()
        .filter(|state| !state.is_of_secrets())
        .collect();
    let current = runbooks
        .iter()
        .filter(|state| state.standing == Standing::Current);
    let mut found = vec![match current.count() {
        0 => "no runbook may start programs without being asked".to_owned(),
        count => format!("{} may start programs", counted(count, "runbook")),
    }];
    let mut help = None;
    for state in runbooks {
        let name = &state.record.name;
        match &state.standing {
            Standing::Current | Standing::Earlier => {}
            Standing::Changed { now } => {
                found.push(format!(
                    "`{name}` changed since it was trusted; it asks for {}",
                    asks_for(now)
                ));
                help = help.or_else(|| {
                    let file = state.record.file.as_deref().unwrap_or(name);
                    Some(format!("look at it with `windlass trust {file} --dry-run`; without the option it is trusted anew, with `--revoke` no longer"))
                });
            }
            Standing::Unusable { why } => {
                found.push(format!(
                    "`{name}`, which was trusted, cannot be used: {why}"
                ));
            }
        }
    }
    let health = if found.len() == 1 {
        Health::Good
    } else {
        Health::Fair
    };
    let finding = Finding::new("trust", health, found.join("; "));
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// What is trusted, and what became of it.
fn trusted(workspace: &Workspace) -> Result<Vec<TrustState>, Error> {
    let made = |name: &str| workspace.molecules().runbook_called(name);
    workspace
        .trust()
        .trusted(&workspace.runs().step_catalog(), &made)
}

/// How many programs of a runbook are named.
const PROGRAMS: usize = 3;

fn asks_for(now: &Asked) -> String {
    match now {
        Asked::Secrets(report) => lines(&report.readable),
        Asked::Runbook(report) if report.commands.is_empty() => "no programs".to_owned(),
        Asked::Runbook(report) => {
            let programs = report.commands.iter();
            let mut named: Vec<String> = programs
                .take(PROGRAMS)
                .map(|program| format!("{} ({}/{})", program.argv, program.runbook, program.step))
                .collect();
            if let Some(more) = report
                .commands
                .len()
                .checked_sub(PROGRAMS)
                .filter(|more| *more > 0)
            {
                named.push(format!("{more} more programs"));
            }
            named.join(", ")
        }
    }
}

fn secrets(workspace: &Workspace) -> Finding {
    const WHAT: &str = "secret paths";
    let policy = workspace.site().repo().secrets();
    if policy.digest().is_none() {
        return Finding::new(WHAT, Health::Good, "the built-in list");
    }
    let narrowing = lines(policy.narrowing_lines());
    if policy.narrowing_lines().is_empty() || policy.narrows() {
        let readable = if policy.narrows() {
            format!(", whose lines make paths readable: {narrowing}")
        } else {
            String::new()
        };
        let found = format!("the built-in list and {SECRETS_FILE}{readable}");
        return Finding::new(WHAT, Health::Good, found);
    }
    let changed =
        trusted(workspace).is_ok_and(|trusted| trusted.iter().any(TrustState::is_of_secrets));
    let since = if changed {
        " changed since it was trusted, and"
    } else {
        ""
    };
    let found = format!("{SECRETS_FILE}{since} would make paths readable: {narrowing}");
    Finding::new(WHAT, Health::Fair, found).help(format!(
        "those lines count only once they are trusted: `windlass trust {SECRETS_FILE} --dry-run` shows them"
    ))
}

fn lines(narrowing: &[NarrowingLine]) -> String {
    let line = |line: &NarrowingLine| format!("`{}` (line {})", line.text, line.line);
    narrowing.iter().map(line).collect::<Vec<_>>().join(", ")
}
