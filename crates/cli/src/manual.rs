//! Help texts that apply to all commands, shared by `--help`, the reference and the manual pages.

use crate::completion;
use crate::exit::Exit;

/// Name and meaning, in Markdown with only backticks.
pub(crate) type Entry = (String, &'static str);

/// Titled list of names and their meanings.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) entries: Vec<Entry>,
}

const ENVIRONMENT: [(&str, &str); 11] = [
    (
        "WINDLASS_NOTEBOOK",
        "anything but `on`, `1`, `true` or `yes` stops all notebook reading and writing",
    ),
    (
        "WINDLASS_LOCK_TIMEOUT",
        "how long a change of notebook, trust or beads waits for another process to finish: `5s`, `500ms`, `0` for not at all; \
         `10s` if not set",
    ),
    (
        "BD_ACTOR",
        "actor name for beads, mail and the history of the notebook; the user name if not set",
    ),
    (
        "WINDLASS_RUNS",
        "anything but `on`, `1`, `true` or `yes` stops the recording of runs",
    ),
    (
        completion::VARIABLE,
        "set by the scripts of `windlass completions` to ask for completions; no command is run then",
    ),
    (
        "XDG_DATA_HOME",
        "folder of notebooks and trust, below `windlass/`; `~/.local/share` if not set",
    ),
    (
        "XDG_STATE_HOME",
        "folder of run records and cut packs, below `windlass/`; `~/.local/state` if not set",
    ),
    (
        "LOCALAPPDATA",
        "on Windows, the folder of both if those are not set",
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
];

const FILES: [(&str, &str); 11] = [
    (
        "runbooks/NAME.yaml",
        "a runbook of the repository; also found in `.windlass/`, and with `.yml`",
    ),
    (
        ".windlass/anchors.json",
        "shared anchors: written by `notebook export`, read by `notebook import`",
    ),
    (
        ".windlass/redactions",
        "the repository's own rules for secret values, one per line: `ticket: ACME-[0-9]{6}`; `!ticket: 000000` exempts values; \
         each line of a text is matched by itself",
    ),
    (
        ".gitleaks.toml",
        "rules for secret values in gitleaks' format; its allowlists apply after `windlass trust .gitleaks.toml`",
    ),
    (
        ".windlass/secrets",
        "the repository's own list of secret paths, one glob per line",
    ),
    (
        ".beads/",
        "beads, mail and agent hooks of the main working tree; with git, their log is also in `.git/windlass/ledger/`",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/notebook.json",
        "the anchors and runbooks saved for a repository, shared by its worktrees",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/history/",
        "earlier revisions of the notebook: the newest hundred, for 90 days, 64 MiB in all",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/trust.json",
        "the runbooks that may start programs",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/runs/",
        "run records: about the newest hundred, for 30 days, 256 MiB in all",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/packs/",
        "cut packs, for `--cursor`: the newest hundred",
    ),
];

/// Returns all sections in display order.
pub(crate) fn sections() -> Vec<Section> {
    let named = |entries: &[(&str, &'static str)]| {
        let owned = entries
            .iter()
            .map(|(name, words)| ((*name).to_owned(), *words));
        owned.collect()
    };
    let codes = Exit::ALL.map(|exit| (exit.code().to_string(), exit.meaning()));
    vec![
        Section {
            title: "Exit status",
            entries: codes.into(),
        },
        Section {
            title: "Environment",
            entries: named(&ENVIRONMENT),
        },
        Section {
            title: "Files",
            entries: named(&FILES),
        },
    ]
}

/// Returns the exit codes in one sentence, for `-h`.
pub(crate) fn exit_codes_in_short() -> String {
    let codes = Exit::ALL.map(|exit| format!("{} {}", exit.code(), exit.meaning()));
    format!("Exit codes: {}.", codes.join("; "))
}

/// Returns all sections as text, for `--help`.
pub(crate) fn in_full() -> String {
    let mut text = String::new();
    for Section { title, entries } in sections() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{title}:\n"));
        for (name, words) in entries {
            if name.len() < 6 {
                text.push_str(&format!("  {name:<6}  {words}\n"));
            } else {
                text.push_str(&format!("  {name}\n          {words}\n"));
            }
        }
    }
    text
}
