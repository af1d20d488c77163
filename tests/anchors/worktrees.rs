//! Anchors in worktrees whose files differ.

use super::support::{Sandbox, numbered};

#[test]
fn repair_leaves_other_worktrees_fresh() {
    let sandbox = Sandbox::git();
    sandbox.write("f.rs", numbered(1, 20)).commit("one");
    sandbox
        .windlass(&["anchor", "add", "one", "f.rs:3-6"])
        .succeeds();
    let other = sandbox.outside().join("other");
    let place = other.to_string_lossy().into_owned();
    sandbox.run_git(&["worktree", "add", "-q", &place]);
    std::fs::write(other.join("f.rs"), format!("new\n{}", numbered(1, 20))).unwrap();
    sandbox.run_git(&["-C", &place, "commit", "-qam", "two"]);
    sandbox
        .windlass_in(&other, &["anchor", "repair"])
        .succeeds();
    sandbox.windlass_in(&other, &["anchor", "check"]).succeeds();
    // This worktree's files haven't changed, so there's nothing to repair.
    sandbox.windlass(&["anchor", "check"]).succeeds();
    sandbox.windlass(&["anchor", "repair"]).succeeds();
    sandbox.windlass_in(&other, &["anchor", "check"]).succeeds();
    // After the merge, the new location is valid here too.
    sandbox.run_git(&["merge", "-q", "other"]);
    let checked = sandbox.windlass(&["anchor", "show", "one"]).succeeds();
    assert!(checked.stdout.contains("f.rs:4-7"), "{}", checked.stdout);
}

#[test]
fn repair_names_branches_it_does_not_fit() {
    let sandbox = Sandbox::git();
    sandbox.write("f.rs", numbered(1, 20)).commit("one");
    sandbox
        .windlass(&["anchor", "add", "one", "f.rs:3-6"])
        .succeeds();
    // This branch keeps the former location, `far` has one of its own, and `bare` lacks the file.
    sandbox.run_git(&["branch", "same"]);
    sandbox.run_git(&["checkout", "-qb", "far"]);
    sandbox
        .write("f.rs", format!("a\nb\n{}", numbered(1, 20)))
        .commit("far");
    sandbox.run_git(&["checkout", "-q", "--orphan", "bare"]);
    sandbox.run_git(&["rm", "-qf", "f.rs"]);
    sandbox.write("g.rs", "x\n").commit("bare");
    sandbox.run_git(&["checkout", "-qb", "here", "same"]);
    sandbox
        .write("f.rs", format!("new\n{}", numbered(1, 20)))
        .commit("here");
    let repaired = sandbox.windlass(&["anchor", "repair"]).succeeds().stdout;
    let notes: Vec<&str> = repaired
        .lines()
        .filter(|line| line.starts_with("note:"))
        .collect();
    let wanted = "note: does not fit branch `far`: `one`; run `windlass anchor repair` there";
    assert_eq!(notes, [wanted], "{repaired}");
}
