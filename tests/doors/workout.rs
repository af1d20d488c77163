//! A broad run of the commands, and the files they leave.

use std::path::{Path, PathBuf};

use crate::run;
use crate::support::Sandbox;

const RUNBOOK: &str = "schema_version: 1\nid: check\ntitle: Check\npurpose: Something to run.\nsteps:\n  - id: found\n    uses: search\n    with: { pattern: number }\noutputs:\n  - { id: found, title: Found, from: found, select: '$.matches[*]' }\n";

const FORMULA: &str = "formula = \"work\"\nversion = 1\n\n[[steps]]\nid = \"one\"\ntitle = \"One\"\n\n[[steps]]\nid = \"two\"\ntitle = \"Two\"\nneeds = [\"one\"]\n";

const BEAD: &str = "{\"id\":\"t-1\",\"title\":\"Look at it\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\"}\n";

/// Commands that each write files, or read files written by the others.
pub(crate) const COMMANDS: [&[&str]; 35] = [
    &["bead", "create", "Fix the door"],
    &["bead", "list"],
    &["bead", "import", "beads.jsonl"],
    &["bead", "claim", "t-1"],
    &["bead", "export"],
    &[
        "mail",
        "send",
        "bob",
        "--subject",
        "hello",
        "--body",
        "there",
    ],
    &["mail", "inbox"],
    &["agent", "start"],
    &["hook", "set", "ann", "bead:t-1"],
    &["hook", "show"],
    &["events", "list"],
    &["events", "verify"],
    &["events", "sync"],
    &["mol", "pour", "work"],
    &["mol", "list"],
    &["mol", "ready"],
    &["route", "add", "zz", "."],
    &["route", "list"],
    &["bead", "show", "zz-1"],
    &["anchor", "add", "canon", "src/a.rs:1-3"],
    &["anchor", "check"],
    &["notebook", "history"],
    &["memory", "init"],
    &["memory", "remember", "decision", "Doors open outwards"],
    &["memory", "recall", "which way do doors open"],
    &["memory", "check"],
    &["run", "check"],
    &["runs", "list"],
    &["runs", "show", "last"],
    &["pack", "build", "see to the doors"],
    &["pack", "show", "last"],
    &["trust", "--list"],
    &["doc", "item", "add", "list.json", "Paint it"],
    &["find", "number"],
    &["doctor"],
];

/// Creates a repository in which each command has run once.
pub(crate) fn worked_repository(git: bool) -> Sandbox {
    let sandbox = match git {
        true => Sandbox::git(),
        false => Sandbox::folder(),
    };
    let list = r#"{"vContextInfo":{"version":"0.4"},"todoList":{"items":[]}}"#;
    sandbox.write("src/a.rs", crate::support::numbered(1, 40));
    sandbox.write(".windlass/secrets", "# none\n");
    sandbox.write("runbooks/check.yaml", RUNBOOK);
    sandbox.write(".beads/formulas/work.formula.toml", FORMULA);
    sandbox.write("list.json", list);
    sandbox.write("beads.jsonl", BEAD);
    if git {
        sandbox.commit("first");
    }
    for command in COMMANDS {
        check_ends(&sandbox, command);
    }
    sandbox
}

/// Runs a command and checks that it neither crashes nor hangs.
#[track_caller]
pub(crate) fn check_ends(sandbox: &Sandbox, command: &[&str]) {
    let answer = run(sandbox, command);
    assert!(
        (0..=6).contains(&answer.code),
        "`windlass {}` exits with {}\n{}\n{}",
        command.join(" "),
        answer.code,
        answer.stdout,
        answer.stderr
    );
}

#[derive(Debug, Default)]
pub(crate) struct Own {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) folders: Vec<PathBuf>,
}

/// Files that exist only for a moment, or only after a failure.
const PASSING: [&str; 4] = [
    "memory/.journal.json",
    ".beads/.windlass/append.lock",
    ".beads/.windlass/checkpoint",
    ".beads/mols/mol-x.json",
];

pub(crate) fn own(sandbox: &Sandbox) -> Own {
    let mut own = Own::default();
    let roots = [
        sandbox.root().join(".beads"),
        sandbox.root().join("memory"),
        sandbox.root().join(".git/windlass"),
        sandbox.home(),
    ];
    for root in roots.into_iter().filter(|root| root.is_dir()) {
        // The user's folders may be links themselves.
        let is_home = root == sandbox.home();
        list(&root, is_home, &mut own);
    }
    let passing = PASSING.map(|name| sandbox.root().join(name));
    let is_possible = |file: &PathBuf| file.parent().is_some_and(Path::is_dir);
    own.files.extend(passing.into_iter().filter(is_possible));
    // If one of these is a pipe, git itself waits for a writer.
    let is_of_git =
        |file: &PathBuf| file.ends_with(".gitignore") || file.ends_with(".gitattributes");
    own.files.retain(|file| !is_of_git(file));
    own.files.sort();
    own.files.dedup();
    own.folders.sort();
    own
}

fn list(folder: &Path, is_above: bool, own: &mut Own) {
    let is_above = is_above && folder.file_name().is_none_or(|name| name != "windlass");
    if !is_above && folder.file_name().is_none_or(|name| name != "windlass") {
        own.folders.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => list(&path, is_above, own),
            false => own.files.push(path),
        }
    }
}
