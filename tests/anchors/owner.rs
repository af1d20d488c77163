//! Stored data belongs to a repository rather than to a path.

use crate::support::{Sandbox, numbered};

const RUNBOOK: &str = "\
schema_version: 1
id: say
steps:
  - { id: say, uses: command, with: { argv: [echo, said] } }
  - { id: lines, uses: search, with: { pattern: line } }
outputs:
  - { id: say, from: say }
  - { id: lines, from: lines }
";

/// Replaces the repository by a new one with the same files at the same path.
fn recreate_git(sandbox: &Sandbox) {
    std::fs::remove_dir_all(sandbox.root().join(".git")).unwrap();
    sandbox.run_git(&["init", "-q", "-b", "main"]);
    sandbox.commit("a history of its own");
}

#[test]
fn recreated_repo_inherits_nothing() {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 60))
        .write("runbooks/say.yaml", RUNBOOK)
        .commit("x");
    sandbox
        .windlass(&["anchor", "add", "start", "src/a.rs:1-3"])
        .succeeds();
    sandbox.windlass(&["trust", "say"]).succeeds();
    let pack = sandbox
        .windlass(&["run", "say", "--format", "json", "--max-chars", "1500"])
        .succeeds()
        .json();
    let sections = pack["sections"].as_array().unwrap();
    let cursor = sections
        .iter()
        .find_map(|section| section["next_cursor"].as_str())
        .unwrap()
        .to_owned();

    recreate_git(&sandbox);
    let refused = sandbox.windlass(&["anchor", "list"]).exits_with(4);
    assert!(
        refused.stderr.contains("was in this place before"),
        "{}",
        refused.stderr
    );
    let add = ["anchor", "add", "other", "src/a.rs:1"];
    sandbox.windlass(&add).exits_with(4);
    let run = sandbox.windlass(&["run", "say"]).exits_with(4);
    assert!(run.stdout.contains("not trusted"), "{}", run.stdout);
    sandbox
        .windlass(&["run", "--cursor", &cursor])
        .exits_with(3);
    // The new repository can be trusted separately.
    sandbox.windlass(&["trust", "say"]).succeeds();
    sandbox.windlass(&["run", "say"]).succeeds();
}

#[test]
fn unproven_owner_refuses_trust() {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/say.yaml", RUNBOOK);
    sandbox.windlass(&["trust", "say"]).succeeds();
    // Restore a copy from before the first commit.
    let (git, copy) = (sandbox.root().join(".git"), sandbox.outside().join("copy"));
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([&git, &copy])
        .status();
    assert!(copied.unwrap().success());
    std::fs::remove_dir_all(&git).unwrap();
    std::fs::rename(copy, git).unwrap();
    for args in [&["trust", "--list"][..], &["trust", "say"]] {
        let refused = sandbox.windlass(args).exits_with(4);
        assert!(
            refused.stderr.contains("cannot be proven"),
            "{}",
            refused.stderr
        );
    }
    sandbox.windlass(&["run", "say"]).exits_with(4);
}

#[test]
fn restored_repo_keeps_its_anchors() {
    let sandbox = Sandbox::git();
    sandbox.write("src/a.rs", numbered(1, 9)).commit("x");
    sandbox
        .windlass(&["anchor", "add", "start", "src/a.rs:1-3"])
        .succeeds();
    let copy = sandbox.outside().join("copy");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([sandbox.root().join(".git"), copy.clone()])
        .status();
    assert!(copied.unwrap().success());
    std::fs::remove_dir_all(sandbox.root().join(".git")).unwrap();
    std::fs::rename(copy, sandbox.root().join(".git")).unwrap();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds();
    assert!(listed.stdout.contains("start"), "{}", listed.stdout);
}
