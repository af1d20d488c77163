//! Help texts that apply to all commands. `--help`, the reference and the manual pages share them.

use crate::completion;
use crate::exit::Exit;

/// A name and what it means. Backticks are the only Markdown in there.
pub(crate) type Entry = (String, &'static str);

pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) entries: Vec<Entry>,
}

const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "BD_ACTOR",
        "actor name for beads, molecules, mail and the history of the notebook; `--actor` overrides it. The default is git's \
         `user.name`, then the login",
    ),
    (
        "WINDLASS_NOTEBOOK",
        "`off` neither reads nor writes the notebook; so does any value but `on`, `1`, `true` and `yes`",
    ),
    (
        "WINDLASS_RUNS",
        "`off` records no runs; so does any value but `on`, `1`, `true` and `yes`",
    ),
    (
        "WINDLASS_LOCK_TIMEOUT",
        "maximum wait for the lock of another process: `5s`, `500ms`, or `0` for none; `10s` if not set",
    ),
    (
        "WINDLASS_OFFLINE",
        "if set, commands work without the shared ledger, as with `--offline`",
    ),
    (
        "WINDLASS_LEDGER_PASSWORD_COMMAND",
        "program and arguments, separated by spaces, that print the password of a shared ledger in PostgreSQL",
    ),
    (
        "PGPASSWORD",
        "password of a shared ledger in PostgreSQL; `PGUSER` and `PGPASSFILE` are read as well",
    ),
    (
        "WINDLASS_MCP_TOKEN",
        "token that clients of `mcp --http` send",
    ),
    (
        "WINDLASS_WEB_TOKEN",
        "token that browsers of `web` show; none if not set",
    ),
    (
        completion::VARIABLE,
        "request for completions, set by the scripts of `windlass completions`",
    ),
    ("GT_ROOT", "further folder that is searched for formulas"),
    (
        "RUST_LOG",
        "log level on standard error; `debug` is the same as `-vv`",
    ),
    (
        "XDG_DATA_HOME",
        "folder of notebooks, trust and plugins, below `windlass/`; `~/.local/share` if not set",
    ),
    (
        "XDG_STATE_HOME",
        "folder of run records and stored packs, below `windlass/`; `~/.local/state` if not set",
    ),
    (
        "XDG_CACHE_HOME",
        "folder of caches, below `windlass/`; `~/.cache` if not set",
    ),
    (
        "LOCALAPPDATA",
        "on Windows, the folder of these if they are not set",
    ),
    (
        "PATH",
        "search path for git and the programs of `command` steps",
    ),
    ("NO_COLOR", "if set, `--color auto` means no color"),
    (
        "CLICOLOR_FORCE",
        "if set and not `0`, `--color auto` means color even without a terminal",
    ),
    (
        "WINDLASS_MOLECULE",
        "set for programs of a molecule step, with `WINDLASS_STEP`, `WINDLASS_ATTEMPT` and `WINDLASS_TOKEN`",
    ),
];

const FILES: &[(&str, &str)] = &[
    (
        "runbooks/NAME.yaml",
        "runbook of the repository; also found in `.windlass/`, and with `.yml`",
    ),
    (
        ".windlass/anchors.json",
        "shared anchors: written by `notebook export`, read by `notebook import`",
    ),
    (
        ".windlass/redactions",
        "rules for secret values, one per line: `ticket: ACME-[0-9]{6}`; `!ticket: 000000` exempts values",
    ),
    (
        ".windlass/secrets",
        "secret paths, one glob per line; `!` lines apply after `windlass trust .windlass/secrets`",
    ),
    (
        ".gitleaks.toml",
        "rules for secret values in gitleaks' format; its allowlists apply after `windlass trust .gitleaks.toml`",
    ),
    (
        ".windlass/plugins/",
        "plugins of the repository; those in `plugins/NAME/` are found as well",
    ),
    (
        ".beads/formulas/",
        "formulas; also searched in parent folders, the main worktree, the home folder and `$GT_ROOT`",
    ),
    (
        ".beads/events.jsonl",
        "copy of the ledger's log for git, written by `events sync`; the other files beside it are derived",
    ),
    (
        ".beads/outputs/",
        "outputs of steps above 64 KiB by their digest, written by `events sync`; commit them with the log",
    ),
    ("memory/", "the memory: Markdown records and their index"),
    (
        ".git/windlass/ledger/",
        "log of beads, mail, agent hooks and molecules, in git's common folder; without git it is in `.beads/`",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/notebook.json",
        "anchors and runbooks saved for a repository, shared by its worktrees",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/history/",
        "earlier revisions of the notebook: the newest hundred, for 90 days, 64 MiB in all",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/formula-paths.json",
        "folders outside of the repository that `formula path add` put on the search path of formulas",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/trust.json",
        "digests of the runbooks, plugins and lists that the user trusts",
    ),
    (
        "$XDG_DATA_HOME/windlass/plugins/",
        "plugins of the user, for all repositories",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/runs/",
        "run records: about the newest hundred, for 30 days, 256 MiB in all",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/packs/",
        "cut packs, for `--cursor`: the newest hundred",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/context/",
        "context packs: the newest thousand",
    ),
    (
        "$XDG_CACHE_HOME/windlass/",
        "caches: verdicts, the index of the memory, compiled plugins; may be deleted at any time",
    ),
];

pub(crate) fn sections() -> Vec<Section> {
    let codes = Exit::ALL.map(|exit| (exit.code().to_string(), exit.meaning()));
    let mut sections = vec![Section {
        title: "Exit status",
        entries: codes.into(),
    }];
    sections.extend(settings());
    sections
}

pub(crate) fn settings() -> [Section; 2] {
    [("Environment", ENVIRONMENT), ("Files", FILES)].map(|(title, entries)| Section {
        title,
        entries: entries
            .iter()
            .map(|(name, words)| ((*name).to_owned(), *words))
            .collect(),
    })
}

/// Returns the exit codes in one sentence, for `-h`.
pub(crate) fn exit_codes_in_short() -> String {
    let codes = Exit::ALL.map(|exit| format!("{} {}", exit.code(), exit.meaning()));
    format!("Exit codes: {}.", codes.join("; "))
}

pub(crate) fn in_full() -> String {
    let mut text = String::new();
    for Section { title, entries } in sections() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{title}:\n"));
        for (name, words) in entries {
            // Only short names, such as exit codes, fit in front of their meaning.
            if name.len() < 6 {
                text.push_str(&format!("  {name:<6}  {words}\n"));
            } else {
                text.push_str(&format!("  {name}\n          {words}\n"));
            }
        }
    }
    text
}
