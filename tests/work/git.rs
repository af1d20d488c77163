//! The log under git operations on the working tree.

use crate::support::Sandbox;
use crate::{by, create, ids};

fn sync(sandbox: &Sandbox) {
    by(sandbox, "ann", &["events", "sync"]).succeeds();
}

fn commit(sandbox: &Sandbox, message: &str) {
    sync(sandbox);
    sandbox.commit(message);
}

fn status(sandbox: &Sandbox) -> String {
    sandbox.run_git(&["status", "--short"])
}

#[test]
fn branches_and_stashes_keep_the_ledger() {
    let sandbox = Sandbox::git();
    sandbox.write("code.txt", "code\n");
    create(&sandbox, &["One", "--id", "t-1"]);
    assert_eq!(status(&sandbox), "?? code.txt\n");
    commit(&sandbox, "base");
    sandbox.run_git(&["checkout", "--quiet", "-b", "feat"]);
    create(&sandbox, &["Two", "--id", "t-2"]);
    commit(&sandbox, "feat");
    by(&sandbox, "ann", &["bead", "claim", "t-1"]).succeeds();
    by(&sandbox, "ann", &["hook", "set", "ann", "bead:t-1"]).succeeds();
    assert_eq!(status(&sandbox), "");
    for _ in 0..2 {
        sandbox.write("code.txt", "changed\n");
        sandbox.run_git(&["stash", "--quiet"]);
        for branch in ["main", "feat"] {
            sandbox.run_git(&["checkout", "--quiet", branch]);
            for read in [
                &["bead", "list"][..],
                &["bead", "show", "t-1"],
                &["events", "list"],
                &["events", "verify"],
                &["mail", "inbox"],
                &["doctor"],
            ] {
                by(&sandbox, "ann", read);
            }
            let all = ids(&sandbox, &["list"]);
            assert!(all.starts_with(&["t-1".to_owned(), "t-2".to_owned()]));
            assert_eq!(status(&sandbox), "", "reading changed something");
            create(&sandbox, &["More"]);
            by(
                &sandbox,
                "ann",
                &[
                    "bead",
                    "close",
                    "--reason",
                    "x",
                    &create(&sandbox, &["Done"]),
                ],
            )
            .succeeds();
            assert_eq!(status(&sandbox), "", "work changed something");
        }
        sandbox.run_git(&["stash", "pop", "--quiet"]);
        assert_eq!(sandbox.read("code.txt"), "changed\n");
        sandbox.run_git(&["checkout", "--quiet", "code.txt"]);
    }
    // A branch from before the ledger can be checked out and left again.
    sandbox.run_git(&["checkout", "--quiet", "--orphan", "other"]);
    sandbox.run_git(&["rm", "-rfq", "."]);
    sandbox.write("b.txt", "b\n");
    create(&sandbox, &["Elsewhere", "--id", "t-3"]);
    assert_eq!(status(&sandbox), "?? b.txt\n");
    sandbox.commit("other");
    sandbox.run_git(&["checkout", "--quiet", "main"]);
    assert!(ids(&sandbox, &["list"]).contains(&"t-3".to_owned()));
    commit(&sandbox, "all of it");
    assert!(sandbox.read(".beads/events.jsonl").contains("t-3"));
}

#[test]
fn clone_reads_committed_ledger() {
    let one = Sandbox::git();
    create(&one, &["One", "--id", "t-1"]);
    commit(&one, "one");
    let two = one.cloned();
    create(&one, &["Two", "--id", "t-2"]);
    commit(&one, "two");
    assert_eq!(ids(&two, &["list"]), ["t-1"]);
    let from = one.root().to_str().unwrap();
    two.run_git(&["pull", "--quiet", "--ff-only", from, "main"]);
    assert_eq!(ids(&two, &["list"]), ["t-1", "t-2"]);
    // The clone reads the committed copy, and doesn't start a log of its own for that.
    assert!(
        !two.root()
            .join(".git/windlass/ledger/events.jsonl")
            .exists()
    );
    assert_eq!(status(&two), "");
    by(&two, "bob", &["bead", "claim", "t-2"]).succeeds();
    assert_eq!(status(&two), "");
    // An acknowledged change survives a pull of other changes.
    by(&one, "ann", &["bead", "claim", "t-1"]).succeeds();
    commit(&one, "claimed");
    two.run_git(&["pull", "--quiet", "--ff-only", from, "main"]);
    for (bead, who) in [("t-1", "ann"), ("t-2", "bob")] {
        let shown = by(&two, "eve", &["bead", "show", bead, "--format", "json"]);
        assert_eq!(shown.succeeds().json()["assignee"], who);
    }
}

#[test]
fn merged_clones_agree_without_conflict() {
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
        // Reading the merged ledger writes nothing.
        assert_eq!(status(side), "");
        let mail = by(side, "bob", &["mail", "inbox"]).succeeds().stdout;
        assert!(
            mail.contains("your claim of `t-shared` does not count"),
            "{mail}"
        );
        // The first claim counts. The second one is listed as rejected, with the reason.
        let rejected = by(side, "ann", &["events", "list", "--rejected"])
            .succeeds()
            .stdout;
        assert!(
            rejected.contains("bob") && rejected.contains("REJECTED: `t-shared` is claimed by ann"),
            "{rejected}"
        );
        by(side, "ann", &["events", "sync"]).succeeds();
        by(side, "ann", &["events", "verify"]).succeeds();
    }
    for file in ["issues.jsonl", "messages.jsonl"] {
        let name = format!(".beads/{file}");
        assert_eq!(one.read(&name), two.read(&name), "{file}");
    }
}

#[test]
fn reset_checkout_and_clean_lose_nothing() {
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
    // On a branch from before the ledger, reading doesn't recreate its folder.
    assert_eq!(ids(&sandbox, &["list"]), ["t-1", "t-2"]);
    assert!(!sandbox.root().join(".beads").exists());
    sandbox.run_git(&["checkout", "--quiet", "main"]);
    create(&sandbox, &["Three", "--id", "t-3"]);
    sync(&sandbox);
    assert_eq!(sandbox.read(".beads/events.jsonl").lines().count(), 3);
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}

#[test]
fn working_trees_share_one_ledger() {
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
    sync(&sandbox);
    assert_eq!(sandbox.read(".beads/issues.jsonl").lines().count(), 2);
}

#[test]
fn unmerged_log_is_reported_and_read() {
    let sandbox = Sandbox::git();
    create(&sandbox, &["One", "--id", "t-1"]);
    sync(&sandbox);
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
            .contains(".beads/events.jsonl:6: 1 line without an event"),
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
