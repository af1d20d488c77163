//! Conveniences for people at a terminal: completion, manual pages, drawings.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

use support::{Answer, Sandbox, answer};

const RUNBOOK: &str = "schema_version: 1\nid: RB\ntitle: A runbook\nsteps:\n  - { id: all, uses: files, with: { globs: ['*.rs'] } }\n\
     outputs:\n  - { id: all, title: All, from: all }\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::folder();
    sandbox.write("runbooks/overview.yaml", runbook("overview"));
    sandbox.write("runbooks/api-contracts.yaml", runbook("api-contracts"));
    sandbox.write(".windlass/private.yml", runbook("private"));
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox
}

/// Requests completions for the last of `words`, like the fish script.
fn fish(sandbox: &Sandbox, words: &[&str]) -> Answer {
    let mut args = vec!["--", "windlass"];
    args.extend(words);
    let mut command = sandbox.command(sandbox.root(), &args);
    answer(command.env("WINDLASS_COMPLETE", "fish"))
}

/// Requests completions for the word at index `at`, like the bash script.
fn bash(sandbox: &Sandbox, words: &[&str], at: usize) -> Vec<String> {
    let mut args = vec!["--", "windlass"];
    args.extend(words);
    let mut command = sandbox.command(sandbox.root(), &args);
    let answer = answer(
        command
            .env("WINDLASS_COMPLETE", "bash")
            .env("_CLAP_IFS", "\n")
            .env("_CLAP_COMPLETE_INDEX", at.to_string()),
    );
    assert_eq!(answer.stderr, "");
    answer.stdout.lines().map(str::to_owned).collect()
}

fn runbook(id: &str) -> String {
    RUNBOOK.replace("id: RB\n", &format!("id: {id}\n"))
}

#[track_caller]
fn names(answer: Answer) -> Vec<String> {
    let answer = answer.succeeds();
    assert_eq!(answer.stderr, "");
    let name = |line: &str| line.split('\t').next().unwrap_or("").to_owned();
    answer.stdout.lines().map(name).collect()
}

#[test]
fn runbook_names_are_completed() {
    let sandbox = sandbox();
    for command in ["run", "plan", "check", "trust"] {
        let found = names(fish(&sandbox, &[command, ""]));
        let runbooks: Vec<_> = found.iter().filter(|name| !name.starts_with('-')).collect();
        assert_eq!(
            runbooks,
            ["api-contracts", "overview", "private"],
            "{command}"
        );
        assert_eq!(names(fish(&sandbox, &[command, "ov"])), ["overview"]);
    }
    let told = fish(&sandbox, &["run", "ov"]).succeeds().stdout;
    assert_eq!(told, "overview\trunbooks/overview.yaml\n");
    assert_eq!(
        names(fish(&sandbox, &["run", "runbooks/o"])),
        ["runbooks/overview.yaml"]
    );
}

#[test]
fn anchor_ids_are_completed_with_labels() {
    let sandbox = sandbox();
    let label = "Where\nit begins, with KEY inside";
    for (id, label) in [("entry", label), ("entry-two", "Two"), ("other", "Three")] {
        sandbox
            .windlass(&["anchor", "add", id, "src/main.rs:1", "--label", label])
            .succeeds();
    }
    // The notebook refuses secrets, but its file may be edited by hand.
    let notebook = sandbox.notebook();
    let text = std::fs::read_to_string(&notebook).unwrap();
    std::fs::write(&notebook, text.replace("KEY", "AKIAIOSFODNN7EXAMPLE")).unwrap();
    for command in ["show", "check", "remove"] {
        assert_eq!(
            names(fish(&sandbox, &["anchor", command, "en"])),
            ["entry", "entry-two"]
        );
    }
    let told = fish(&sandbox, &["anchor", "show", "entry"]).stdout;
    assert!(
        told.starts_with("entry\tWhere it begins, with [redacted"),
        "{told}"
    );
    assert_eq!(
        names(fish(&sandbox, &["anchor", "check", "entry", "o"])),
        ["other"]
    );
}

#[test]
fn known_values_are_completed() {
    let sandbox = sandbox();
    assert_eq!(
        names(fish(&sandbox, &["plan", "overview", "--format", "s"])),
        ["svg"]
    );
    assert_eq!(
        names(fish(&sandbox, &["schema", "step-sea"])),
        ["step-search.input", "step-search.output"]
    );
    assert_eq!(
        names(fish(&sandbox, &["anchor", "list", "--kind", "con"])),
        ["contract"]
    );
}

#[test]
fn completion_uses_the_typed_root() {
    let sandbox = sandbox();
    let elsewhere = sandbox.outside();
    std::fs::create_dir_all(elsewhere.join("runbooks")).unwrap();
    std::fs::write(
        elsewhere.join("runbooks/far-away.yaml"),
        runbook("far-away"),
    )
    .unwrap();
    let root = elsewhere.to_str().unwrap();
    assert_eq!(
        names(fish(&sandbox, &["--root", root, "run", "f"])),
        ["far-away"]
    );
    assert_eq!(
        names(fish(&sandbox, &["run", &format!("--root={root}"), "f"])),
        ["far-away"]
    );
    assert_eq!(
        bash(&sandbox, &["--root", root, "run", "f"], 4),
        ["far-away"]
    );
}

#[test]
fn bash_completes_option_values() {
    let sandbox = sandbox();
    let words = ["plan", "overview", "--format", "js"];
    assert_eq!(bash(&sandbox, &words, 4), ["json"]);
    let words = ["plan", "overview", "--format", ""];
    assert_eq!(bash(&sandbox, &words, 4).len(), 6);
}

#[test]
fn unsafe_names_are_not_offered() {
    let sandbox = sandbox();
    for name in ["$(touch x)", "a b", "-x", "a;b", "a*"] {
        sandbox.write(
            &format!("runbooks/{name}.yaml"),
            runbook(&format!("'{name}'")),
        );
    }
    let found = bash(&sandbox, &["run", ""], 2);
    assert!(found.contains(&"overview".to_owned()), "{found:?}");
    let odd = |name: &&String| name.contains(['$', ' ', ';', '*']) || name.as_str() == "-x";
    assert_eq!(found.iter().find(odd), None);
    let files = bash(&sandbox, &["run", "runbooks/"], 2);
    assert_eq!(
        files,
        [
            // A path can't be mistaken for an option.
            "runbooks/-x.yaml",
            "runbooks/api-contracts.yaml",
            "runbooks/overview.yaml"
        ]
    );
}

#[test]
fn completion_errors_are_silent() {
    let sandbox = sandbox();
    sandbox
        .windlass(&["anchor", "add", "entry", "src/main.rs:1"])
        .succeeds();
    let notebooks = sandbox.home().join(".local/share/windlass/repos");
    let notebook = std::fs::read_dir(notebooks)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    std::fs::write(notebook.path().join("notebook.json"), "{ damaged").unwrap();
    assert_eq!(names(fish(&sandbox, &["anchor", "show", "e"])), [""; 0]);
    assert_eq!(
        names(fish(&sandbox, &["--root", "/nowhere/at/all", "run", "o"])),
        [""; 0]
    );
    let mut unknown = sandbox.command(sandbox.root(), &["--", "windlass", "run", ""]);
    let unknown = answer(unknown.env("WINDLASS_COMPLETE", "no-shell"));
    assert_eq!((unknown.stdout.as_str(), unknown.stderr.as_str()), ("", ""));
}

#[test]
fn completion_scripts_call_the_command() {
    let sandbox = Sandbox::folder();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.windlass(&["completions", shell]).succeeds().stdout;
        assert!(script.contains("WINDLASS_COMPLETE"), "{shell}: {script}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::folder();
    sandbox.windlass(&["man", "--out", "man"]).succeeds();
    let mut pages: Vec<_> = std::fs::read_dir(sandbox.root().join("man"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    for page in ["windlass.1", "windlass-run.1", "windlass-anchor-add.1"] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    for page in &pages {
        let text = sandbox.read(&format!("man/{page}"));
        for section in [
            "NAME",
            "SYNOPSIS",
            "\"EXIT STATUS\"",
            "ENVIRONMENT",
            "FILES",
        ] {
            assert!(
                text.contains(&format!(".SH {section}\n")),
                "{page}: {section}"
            );
        }
    }
    let one = sandbox.windlass(&["man", "anchor", "add"]).succeeds();
    assert_eq!(one.stdout, sandbox.read("man/windlass-anchor-add.1"));
    let main = sandbox.windlass(&["man"]).succeeds();
    assert_eq!(main.stdout, sandbox.read("man/windlass.1"));
    let none = sandbox.windlass(&["man", "rum"]).exits_with(3);
    assert!(
        none.stderr.contains("did you mean `run`?"),
        "{}",
        none.stderr
    );
}

#[test]
fn drawing_is_redacted_and_well_formed() {
    let sandbox = sandbox();
    let title = "token ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let secret = runbook("titles").replace("title: All", &format!("title: '{title}'"));
    sandbox.write("runbooks/titles.yaml", secret);
    let drawing = sandbox
        .windlass(&["plan", "titles", "--format", "svg"])
        .succeeds()
        .stdout;
    assert!(!drawing.contains("ghp_"), "{drawing}");
    assert!(drawing.contains("[redacted"), "{drawing}");
    assert!(drawing.ends_with("</svg>\n"));
}

#[test]
fn oversized_drawing_names_the_remedy() {
    let sandbox = Sandbox::folder();
    let steps: String = (0..501)
        .map(|at| format!("  - {{ id: s{at}, uses: files, with: {{ globs: ['*.rs'] }} }}\n"))
        .collect();
    let runbook = format!(
        "schema_version: 1\nid: big\ntitle: Big\nsteps:\n{steps}outputs:\n  - {{ id: o, title: O, from: s0 }}\n"
    );
    sandbox.write("runbooks/big.yaml", runbook);
    let answer = sandbox
        .windlass(&["plan", "big", "--format", "svg", "-q"])
        .exits_with(1);
    assert_eq!(answer.stdout, "");
    assert!(answer.stderr.contains("501 steps"), "{}", answer.stderr);
    assert!(answer.stderr.contains("--format dot"), "{}", answer.stderr);
}

#[test]
fn argument_errors_are_redacted() {
    let sandbox = sandbox();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let option = format!("--{token}");
    for arguments in [
        &["run", "r", token][..],
        &["run", &option],
        &[&option],
        &[token],
        &["run", "r", "--format", token],
        &["run", "r", "--max-chars", token],
        &["trust", "r", "--digest", token],
        &["--color", "always", "anchor", token],
    ] {
        let answer = sandbox.windlass(arguments).exits_with(2);
        let said = answer.stdout + &answer.stderr;
        assert!(!said.contains("ghp_"), "{arguments:?}: {said}");
        assert!(said.contains("[redacted:github-token]"), "{said}");
        assert!(said.contains("--help"), "{said}");
    }
    let help = sandbox.windlass(&["--help"]).succeeds();
    assert!(help.stdout.contains("Usage:"), "{}", help.stdout);
    let wrong = sandbox.windlass(&["run", "--nonsense"]).exits_with(2);
    assert!(wrong.stderr.contains("--nonsense"), "{}", wrong.stderr);
}
