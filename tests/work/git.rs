//! The log and what git does to the working tree.

use crate::support::Sandbox;
use crate::{by, create, ids};

fn commit(sandbox: &Sandbox, message: &str) {
    sandbox.commit(message);
}

#[test]
fn two_clones_are_merged_without_a_conflict_and_agree() {
    let one = Sandbox::git();
    create(&one, &["Shared", "--id", "t-shared"]);
    commit(&one, "ledger");
    let two = one.cloned();
    assert_eq!(ids(&two, &["list"]), ["t-shared"]);
    by(&one, "ann", &["bead", "claim", "t-shared"]).succeeds();
    create(&one, &["Here", "--id", "t-here"]);
    commit(&one, "here");
    by(&two, "bob", &["bead", "claim", "t-shared"]).succeeds();
    create(&two, &["There", "--id", "t-there"]);
    commit(&two, "there");
    two.run_git(&[
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        one.root().to_str().unwrap(),
        "main",
    ]);
    one.run_git(&[
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        two.root().to_str().unwrap(),
        "main",
    ]);
    for side in [&one, &two] {
        let mut all = ids(side, &["list"]);
        all.sort();
        assert_eq!(all, ["t-here", "t-shared", "t-there"]);
        // The one who was first has it, and the other's claim is told, with what won.
        let rejected = by(side, "ann", &["events", "list", "--rejected"])
            .succeeds()
            .stdout;
        assert!(
            rejected.contains("bob") && rejected.contains("DOES NOT COUNT: ann has `t-shared`"),
            "{rejected}"
        );
        by(side, "ann", &["events", "sync"]).succeeds();
        by(side, "ann", &["events", "verify"]).succeeds();
    }
    for file in ["issues.jsonl", "messages.jsonl", "feed.jsonl"] {
        let name = format!(".beads/{file}");
        assert_eq!(one.read(&name), two.read(&name), "{file}");
    }
}

#[test]
fn a_reset_a_checkout_and_a_clean_lose_nothing() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "a\n").commit("first");
    sandbox.run_git(&["branch", "old"]);
    create(&sandbox, &["One", "--id", "t-1"]);
    commit(&sandbox, "one");
    create(&sandbox, &["Two", "--id", "t-2"]);
    sandbox.run_git(&["reset", "--quiet", "--hard"]);
    assert_eq!(ids(&sandbox, &["list"]), ["t-1", "t-2"]);
    sandbox.run_git(&["reset", "--quiet", "--hard"]);
    sandbox.run_git(&["clean", "-fdxq"]);
    sandbox.run_git(&["checkout", "--quiet", "old"]);
    assert!(!sandbox.root().join(".beads").exists());
    // On a branch from before nobody makes the folder again who only looks.
    assert_eq!(ids(&sandbox, &["list"]), ["t-1", "t-2"]);
    assert!(!sandbox.root().join(".beads").exists());
    sandbox.run_git(&["checkout", "--quiet", "main"]);
    create(&sandbox, &["Three", "--id", "t-3"]);
    assert_eq!(sandbox.read(".beads/events.jsonl").lines().count(), 3);
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}

#[test]
fn all_working_trees_share_one_ledger() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.txt", "a\n")
        .write("deep/b.txt", "b\n")
        .commit("first");
    let other = sandbox.outside().join("tree");
    sandbox.run_git(&[
        "worktree",
        "add",
        "--quiet",
        "-b",
        "side",
        other.to_str().unwrap(),
    ]);
    create(&sandbox, &["One", "--id", "t-1"]);
    let args = ["--actor", "bob", "bead", "create", "Two", "--id", "t-2"];
    sandbox.windlass_in(&other.join("deep"), &args).succeeds();
    assert_eq!(ids(&sandbox, &["list"]), ["t-1", "t-2"]);
    assert!(!other.join(".beads").exists());
    assert_eq!(sandbox.read(".beads/issues.jsonl").lines().count(), 2);
}

#[test]
fn what_git_could_not_merge_is_told_and_taken() {
    let sandbox = Sandbox::git();
    create(&sandbox, &["One", "--id", "t-1"]);
    let line = sandbox.read(".beads/events.jsonl");
    let other = |id: &str| {
        line.replace("evt-", &format!("evt-{id}"))
            .replace("t-1", id)
    };
    let text = format!(
        "<<<<<<< HEAD\n{}=======\n{}>>>>>>> x\nrubbish\n",
        other("t-2"),
        other("t-3")
    );
    sandbox.write(".beads/events.jsonl", text);
    let list = by(&sandbox, "ann", &["bead", "list"]).succeeds();
    assert_eq!(list.stdout.lines().count(), 3);
    assert!(
        list.stderr
            .contains(".beads/events.jsonl:1: git left conflict markers"),
        "{}",
        list.stderr
    );
    assert!(
        list.stderr
            .contains(".beads/events.jsonl:6: 1 line there cannot be read"),
        "{}",
        list.stderr
    );
    by(&sandbox, "ann", &["events", "sync", "--clean"]).succeeds();
    let text = sandbox.read(".beads/events.jsonl");
    assert!(
        !text.contains("<<<<") && text.contains("rubbish\n"),
        "{text}"
    );
    assert_eq!(ids(&sandbox, &["list"]).len(), 3);
}
