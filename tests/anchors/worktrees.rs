//! Anchors of worktrees whose files are in other states.

use super::support::{Sandbox, numbered};

#[test]
fn a_repair_in_one_worktree_leaves_others_fresh() {
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
    // Here the files are as they were, and nothing is to be repaired.
    sandbox.windlass(&["anchor", "check"]).succeeds();
    sandbox.windlass(&["anchor", "repair"]).succeeds();
    sandbox.windlass_in(&other, &["anchor", "check"]).succeeds();
    // Once the change is here, the new place holds.
    sandbox.run_git(&["merge", "-q", "other"]);
    let checked = sandbox.windlass(&["anchor", "show", "one"]).succeeds();
    assert!(checked.stdout.contains("f.rs:4-7"), "{}", checked.stdout);
}
