//! What holds for all commands, written once: `--help`, the reference and the manual pages take it from here.

use crate::completion;
use crate::exit::Exit;

/// A name and what it means, in Markdown with nothing but backticks.
pub(crate) type Entry = (String, &'static str);

/// A list of names and what they mean.
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
        "how long a change of the notebook, of what is trusted or of beads waits for another process to finish its own: `5s`, \
         `500ms`, `0` for not at all; `10s` if not set",
    ),
    (
        "BD_ACTOR",
        "who is at work, for beads, mail and the history of the notebook; the name of the user if not set",
    ),
    (
        "WINDLASS_RUNS",
        "anything but `on`, `1`, `true` or `yes` stops the recording of runs",
    ),
    (
        completion::VARIABLE,
        "set by the scripts of `windlass completions` when they ask for completions; nothing is run then",
    ),
    (
        "XDG_DATA_HOME",
        "where notebooks and trust are kept, below `windlass/`; `~/.local/share` if not set",
    ),
    (
        "XDG_STATE_HOME",
        "where records of runs and packs that were cut are kept, below `windlass/`; `~/.local/state` if not set",
    ),
    (
        "LOCALAPPDATA",
        "on Windows, where both are kept if those are not set",
    ),
    (
        "PATH",
        "where git and the programs of `command` steps are looked for",
    ),
    (
        "NO_COLOR",
        "if set, there are no colours under `--color auto`",
    ),
    (
        "CLICOLOR_FORCE",
        "if set and not `0`, there are colours under `--color auto` also where there is no terminal",
    ),
];

const FILES: [(&str, &str); 11] = [
    (
        "runbooks/NAME.yaml",
        "a runbook, in the repository; `.windlass/` is looked into too, and `.yml` will do",
    ),
    (
        ".windlass/anchors.json",
        "the anchors that are handed over: `notebook export` writes it, `notebook import` reads it",
    ),
    (
        ".windlass/redactions",
        "the repository's own rules for secret values, one on a line: `ticket: ACME-[0-9]{6}`; `!ticket: 000000` leaves values alone",
    ),
    (
        ".gitleaks.toml",
        "rules for secret values in the format of gitleaks, beside those; its allowlists count once `windlass trust .gitleaks.toml` was said",
    ),
    (
        ".windlass/secrets",
        "the repository's own list of secret paths, one glob a line",
    ),
    (
        ".beads/",
        "beads, mail and hooks of the main working tree; with git their log also lies in `.git/windlass/ledger/`",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/notebook.json",
        "the anchors and runbooks saved of a repository, shared by its worktrees",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/history/",
        "what the notebook was before: the newest hundred revisions, for 90 days, 64 MiB in all",
    ),
    (
        "$XDG_DATA_HOME/windlass/repos/ID/trust.json",
        "the runbooks that may start programs",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/runs/",
        "records of runs: about the newest hundred, for 30 days, 256 MiB in all",
    ),
    (
        "$XDG_STATE_HOME/windlass/repos/ID/packs/",
        "packs that were cut, for `--cursor`: the newest hundred",
    ),
];

/// Everything, in the order it is shown.
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

/// The exit codes in one sentence, for `-h`.
pub(crate) fn exit_codes_in_short() -> String {
    let codes = Exit::ALL.map(|exit| format!("{} {}", exit.code(), exit.meaning()));
    format!("Exit codes: {}.", codes.join("; "))
}

/// All sections, for `--help`.
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
