//! The hook and the workflow that look at changes without anybody asking.

use std::process::Command;

use super::sandbox;
use super::support::Sandbox;

#[cfg(unix)]
#[test]
fn the_hook_keeps_back_a_commit_that_leaves_something_stale() {
    let sandbox = sandbox();
    let said = sandbox.windlass(&["init", "--hook"]).succeeds().stderr;
    assert!(said.contains("wrote .git/hooks/pre-commit"), "{said}");
    sandbox.windlass(&["init", "--hook"]).exits_with(5);
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    assert!(!commit(&sandbox), "the commit should have been kept back");
    sandbox
        .windlass(&["anchor", "repair", "--edited"])
        .succeeds();
    assert!(commit(&sandbox));
}

#[cfg(unix)]
#[test]
fn the_hook_commits_the_ledger_as_it_is() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    let create = |title: &str| {
        let args = ["bead", "create", title, "--actor", "ann"];
        sandbox.windlass(&args).succeeds();
    };
    create("One");
    sandbox
        .windlass(&["events", "sync", "--actor", "ann"])
        .succeeds();
    sandbox.run_git(&["add", ".beads"]);
    assert!(committed(&sandbox, &[]));
    create("Two");
    sandbox.write("other.txt", "other\n");
    sandbox.run_git(&["add", "other.txt"]);
    // What else was changed there is left to who changed it.
    sandbox.write(".beads/.gitattributes", "# being edited\n");
    assert!(committed(&sandbox, &[]));
    assert_eq!(
        sandbox.run_git(&["status", "--short"]),
        " M .beads/.gitattributes\n"
    );
    let shown = sandbox.run_git(&["show", "HEAD:.beads/issues.jsonl"]);
    assert!(shown.contains("Two"), "{shown}");
}

#[cfg(unix)]
#[test]
fn hook_in_a_linked_tree_leaves_the_main_one_alone() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    let create = |title: &str| {
        let args = ["bead", "create", title, "--actor", "ann"];
        sandbox.windlass(&args).succeeds();
    };
    create("One");
    sandbox.windlass(&["events", "sync"]).succeeds();
    sandbox.run_git(&["add", ".beads"]);
    assert!(committed(&sandbox, &[]));
    let linked = sandbox.outside().join("linked");
    let linked = linked.to_str().unwrap();
    sandbox.run_git(&["worktree", "add", "--quiet", "-b", "side", linked]);
    create("Two");
    std::fs::write(format!("{linked}/more.txt"), "more\n").unwrap();
    sandbox.run_git(&["-C", linked, "add", "more.txt"]);
    let (is_done, said) = answered_in(&sandbox, std::path::Path::new(linked), &[]);
    assert!(is_done, "{said}");
    let shown = sandbox.run_git(&["show", "side:.beads/issues.jsonl"]);
    assert!(shown.contains("Two"), "{shown}");
    for tree in [".", linked] {
        let changed = sandbox.run_git(&["-C", tree, "status", "--short"]);
        assert_eq!(changed, "", "{tree}");
    }
}

#[cfg(unix)]
#[test]
fn the_hook_says_that_it_looks_at_the_working_tree() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    sandbox.run_git(&["add", "src/a.rs"]);
    sandbox.edit("src/a.rs", "edited\n", "line number 6\n");
    let (is_done, said) = answered(&sandbox, &[]);
    assert!(is_done && said.contains("is not staged"), "{said}");
    let (is_done, said) = answered(&sandbox, &["--all"]);
    assert!(is_done && !said.contains("is not staged"), "{said}");
}

#[cfg(unix)]
#[test]
fn the_hook_looks_at_what_is_committed_and_says_what_it_does() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    // Work in progress that makes an anchor stale is no part of the commit.
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    sandbox.write("other file.txt", "other\n");
    sandbox.run_git(&["add", "other file.txt"]);
    let (is_done, said) = answered(&sandbox, &[]);
    assert!(is_done && said.contains("is not staged"), "{said}");
    let (is_done, said) = answered(&sandbox, &["src/a.rs"]);
    assert!(!is_done && said.contains("--no-verify"), "{said}");
    let (is_done, said) = answered(&sandbox, &["--allow-empty"]);
    assert!(is_done, "{said}");
}

/// Commits all there is, with the command on the path; whether that was done.
#[cfg(unix)]
fn commit(sandbox: &Sandbox) -> bool {
    committed(sandbox, &["--all"])
}

#[cfg(unix)]
fn committed(sandbox: &Sandbox, how: &[&str]) -> bool {
    answered(sandbox, how).0
}

/// Whether it was committed, and what was said.
#[cfg(unix)]
fn answered(sandbox: &Sandbox, how: &[&str]) -> (bool, String) {
    answered_in(sandbox, sandbox.root(), how)
}

#[cfg(unix)]
fn answered_in(sandbox: &Sandbox, tree: &std::path::Path, how: &[&str]) -> (bool, String) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_windlass"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut git = Command::new("git");
    git.current_dir(tree)
        .env_clear()
        .env("HOME", sandbox.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("PATH", path);
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "Test")
            .env(format!("GIT_{role}_EMAIL"), "test@example.org");
    }
    git.args(["commit", "--quiet", "-m", "x"]).args(how);
    let output = git.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), said)
}

#[test]
fn hooks_that_are_kept_elsewhere_are_left_alone() {
    let sandbox = sandbox();
    sandbox.run_git(&["config", "core.hooksPath", ".githooks"]);
    let refused = sandbox.windlass(&["init", "--hook"]).exits_with(1);
    assert!(
        refused.stderr.contains(".githooks/pre-commit"),
        "{}",
        refused.stderr
    );
    let printed = sandbox
        .windlass(&["init", "--hook", "--dry-run"])
        .succeeds();
    assert!(
        printed.stdout.starts_with("#!/bin/sh\n"),
        "{}",
        printed.stdout
    );
    Sandbox::folder()
        .windlass(&["init", "--hook"])
        .exits_with(1);
}

#[test]
fn the_workflow_looks_at_what_is_proposed() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--ci"]).succeeds();
    let text = sandbox.read(".github/workflows/windlass.yml");
    assert!(
        text.contains("windlass impact --base \"origin/$GITHUB_BASE_REF\""),
        "{text}"
    );
    // It fails with it, and what it says is in the log as well.
    assert!(text.contains("shell: bash\n"), "{text}");
    assert!(text.contains(" | tee -a "), "{text}");
    let printed = sandbox.windlass(&["init", "--ci", "--dry-run"]).succeeds();
    assert_eq!(printed.stdout, text);
}
