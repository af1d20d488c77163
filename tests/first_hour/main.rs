//! A user's first hour: status, everyday words, and work without ceremony.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod samples;
#[path = "../support/mod.rs"]
mod support;

use samples::SAMPLES;
use support::Sandbox;

/// Creates a repository with an anchor, a runbook, a formula and a memory.
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
        // If a command refuses `x`, which doesn't exist, it's still the right one.
        let misread = ["unrecognized subcommand", "unexpected argument", "\nUsage:"];
        let is_command = !misread.iter().any(|what| answer.stderr.contains(what));
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

#[test]
fn two_commands_lead_to_a_useful_pack() {
    for sample in SAMPLES {
        let sandbox = sample.sandbox();
        let start = sandbox.windlass(&[]).succeeds().stdout;
        assert!(start.contains("windlass init"), "{start}");
        let init = sandbox.windlass(&["init", "--yes"]).succeeds().stderr;
        assert!(init.contains("windlass run"), "{init}");
        let pack = sandbox.windlass(&["run"]).succeeds().stdout;
        for line in sample.expected {
            assert!(
                pack.contains(line),
                "{}: {line:?} is not in\n{pack}",
                sample.name
            );
        }
        let json = sandbox
            .windlass(&["run", "--format", "json"])
            .succeeds()
            .json();
        let sections = json["sections"].as_array().unwrap().iter();
        let states: Vec<&str> = sections
            .filter_map(|section| section["status"].as_str())
            .collect();
        let is_good = |state: &&str| ["fresh", "observed", "empty"].contains(state);
        assert!(
            states.iter().all(is_good) && states.contains(&"fresh"),
            "{}: {states:?}",
            sample.name
        );
    }
}

#[test]
fn six_commands_finish_a_step_by_each_of_two_agents() {
    let sandbox = SAMPLES[0].sandbox();
    let told = |args: &[&str]| {
        let answer = sandbox.windlass(args).succeeds();
        answer.stdout + &answer.stderr
    };
    let written = told(&["formula", "new", "release"]);
    assert!(written.contains("`windlass mol pour release`"), "{written}");
    let poured = told(&["mol", "pour", "release"]);
    assert!(poured.contains("windlass mol claim"), "{poured}");
    told(&["mol", "claim", "--actor", "ann"]);
    told(&["mol", "done", "--actor", "ann"]);
    told(&["mol", "claim", "--actor", "ben"]);
    told(&["mol", "done", "--actor", "ben"]);

    let progress = told(&["mol", "progress"]);
    assert!(progress.contains("2 of 3 steps"), "{progress}");
    let events = told(&["events", "list"]);
    for actor in ["ann", "ben"] {
        let is_done = |line: &&str| line.contains(actor) && line.contains("completed");
        assert!(
            events.lines().any(|line| is_done(&line)),
            "{actor}: {events}"
        );
    }
}

#[test]
fn paths_start_at_the_current_folder() {
    let sandbox = sandbox();
    sandbox.write("src/notes.md", "See `main.rs:1`.\n");
    let src = sandbox.root().join("src");
    let here = |args: &[&str]| sandbox.windlass_in(&src, args).succeeds().stdout;
    assert!(here(&["find", "idle", "--in", "main.rs"]).contains("src/main.rs"));
    assert!(here(&["find", "idle", "--in", "."]).contains("src/main.rs"));
    assert!(here(&["notebook", "list", "--zone", "."]).contains("src/main.rs"));
    assert!(here(&["notebook", "list", "--zone", "*.rs"]).contains("src/main.rs"));
    let scanned = |args: &[&str]| sandbox.windlass_in(&src, args).stdout;
    for documents in [".", "../src", "notes.md", ".."] {
        let scan = scanned(&["anchor", "scan", documents]);
        assert!(scan.contains("src/notes.md"), "{documents}: {scan}");
    }
    let root = sandbox.root().to_str().unwrap().to_owned();
    let named = here(&["--root", &root, "find", "idle", "--in", "src"]);
    assert!(named.contains("src/main.rs"), "{named}");
}

#[test]
fn route_is_removed_with_its_trust() {
    let sandbox = sandbox();
    let other = Sandbox::git();
    let folder = other.root().to_str().unwrap();
    sandbox.windlass(&["route", "add", "zq", folder]).succeeds();
    sandbox.windlass(&["route", "rm", "zq"]).succeeds();
    let routes = sandbox.windlass(&["route", "list"]).succeeds().stdout;
    assert!(!routes.contains("zq"), "{routes}");
    let trusted = sandbox.windlass(&["trust", "list"]).succeeds().stdout;
    assert!(!trusted.contains("zq"), "{trusted}");
    sandbox.windlass(&["route", "rm", "zq"]).exits_with(3);
}

#[test]
fn formulas_start_from_examples() {
    let sandbox = Sandbox::git();
    for example in ["feature", "release", "review"] {
        let name = format!("my-{example}");
        sandbox
            .windlass(&["formula", "new", &name, "--example", example])
            .succeeds();
        sandbox.windlass(&["formula", "lint", &name]).succeeds();
    }
    let unknown = sandbox
        .windlass(&["formula", "new", "x", "--example", "nothing"])
        .exits_with(2);
    assert!(unknown.stderr.contains("release"), "{}", unknown.stderr);
}
