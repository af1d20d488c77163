//! The first hour: status, everyday words, and work without ceremony.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

use support::Sandbox;

/// Repository with an anchor, a runbook, a formula and a memory.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "src/main.rs",
            "fn main() {\n    let idle_sessions = 1;\n}\n",
        )
        .write("README.md", "# Harbour\n\nA harbour.\n")
        .commit("begin");
    for args in [
        &["init"][..],
        &["anchor", "add", "x", "src/main.rs:1-2"],
        &["formula", "new", "x"],
        &["memory", "init"],
    ] {
        sandbox.windlass(args).succeeds();
    }
    sandbox
}

#[test]
fn no_arguments_shows_status() {
    let empty = Sandbox::git();
    let status = empty.windlass(&[]).succeeds();
    assert!(status.stdout.contains("windlass init"), "{}", status.stdout);

    let sandbox = sandbox();
    let status = sandbox.windlass(&[]).succeeds().stdout;
    for line in [
        "runbooks  overview\n",
        "anchors   1 fresh\n",
        "work      none\n",
        "next: ",
    ] {
        assert!(status.contains(line), "{line:?} is not in\n{status}");
    }
    sandbox.edit("src/main.rs", "fn main", "// moved\nfn main");
    let status = sandbox.windlass(&["status"]).succeeds().stdout;
    assert!(
        status.contains("1 moved") && status.contains("next: windlass anchor repair"),
        "{status}"
    );
    let json = sandbox
        .windlass(&["status", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(json["anchors"]["moved"], 1, "{json}");
}

#[test]
fn natural_guesses_lead_to_commands() {
    let guesses = include_str!("guesses.txt").lines().skip(1);
    let mut missed = Vec::new();
    let mut total = 0;
    let sandbox = sandbox();
    for line in guesses.filter(|line| !line.trim().is_empty()) {
        total += 1;
        let (typed, meant) = line.split_once('\t').unwrap();
        let args: Vec<&str> = typed.split(' ').collect();
        let answer = sandbox.windlass(&args);
        let is_command = answer.code == 0 || !answer.stderr.contains("unrecognized subcommand");
        let is_named = answer.stderr.contains("help: run `windlass ")
            || answer.stderr.contains("note: this runs");
        if !(is_command || is_named) {
            missed.push(format!("{typed} (meant: {meant})\n{}", answer.stderr));
        }
    }
    assert!(
        total - missed.len() >= 50,
        "{} of {total} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[test]
fn claimed_step_is_done_without_its_token() {
    let sandbox = sandbox();
    let mol = |args: &[&str]| {
        let args: Vec<&str> = ["mol"]
            .iter()
            .chain(args)
            .chain(&["--actor", "ann"])
            .copied()
            .collect();
        sandbox.windlass(&args)
    };
    mol(&["start", "x"]).succeeds();
    mol(&["claim"]).succeeds();
    let done = mol(&["done"]).succeeds().stdout;
    assert!(done.contains("design"), "{done}");
    let none = mol(&["done"]).exits_with(2).stderr;
    assert!(none.contains("no claimed step"), "{none}");
}

#[test]
fn actor_defaults_to_the_name_of_commits() {
    let sandbox = sandbox();
    sandbox.run_git(&["config", "user.name", "Ann van Dyk"]);
    sandbox.windlass(&["bead", "new", "Tidy up"]).succeeds();
    let events = sandbox.windlass(&["events", "list"]).succeeds().stdout;
    assert!(events.contains("ann-van-dyk"), "{events}");
}

#[test]
fn lists_name_what_is_stored() {
    let sandbox = sandbox();
    for args in [
        &["run", "--list"][..],
        &["memory", "list"],
        &["pack", "list"],
        &["mail", "list"],
        &["trust", "list"],
        &["formula", "list"],
        &["suggest"],
    ] {
        sandbox.windlass(args).succeeds();
    }
    let runbooks = sandbox.windlass(&["run", "--list"]).succeeds().stdout;
    assert_eq!(runbooks, "overview  runbooks/overview.yaml\n");
}
