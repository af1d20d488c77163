//! Tests of the changes since a recorded commit, commit by commit.

use windlass_repo::{BlobAt, CommitStep, NotInPast, Repo, Snapshot};

use crate::git::git;
use crate::support::{Sandbox, at};

/// Formats each step as one string: `a>a` for a changed file, `->b` for an added one, and `b>-` for
/// a deleted one.
fn formatted(steps: &[std::sync::Arc<CommitStep>]) -> Vec<String> {
    let name = |at: &Option<BlobAt>| at.as_ref().map_or("-".to_owned(), |at| at.path.to_string());
    let changes = |step: &CommitStep| {
        let changes = step.changes.iter();
        let formatted: Vec<String> = changes
            .map(|change| format!("{}>{}", name(&change.from), name(&change.to)))
            .collect();
        formatted.join(" ")
    };
    steps.iter().map(|step| changes(step)).collect()
}

fn since(sandbox: &Sandbox, base: &str) -> Result<Vec<String>, NotInPast> {
    let steps = sandbox.snapshot().history().steps_since(base)?;
    Ok(formatted(&steps))
}

fn head(sandbox: &Sandbox) -> String {
    git(&sandbox.root(), &["rev-parse", "HEAD"])
}

#[test]
fn steps_since_are_oldest_first() {
    let sandbox = Sandbox::committed(&[("a", "one\ntwo\nthree\n"), ("b", "1\n")]);
    let base = head(&sandbox);
    assert_eq!(since(&sandbox, &base).unwrap(), Vec::<String>::new());
    sandbox.write("a", "one\ntwo\nthree\nfour\n");
    sandbox.write("c d", "new\n");
    let second = sandbox.commit("edit and add");
    git(&sandbox.root(), &["mv", "a", "z"]);
    std::fs::remove_file(sandbox.at("b")).unwrap();
    sandbox.commit("rename and delete");
    sandbox.link("link", "z");
    sandbox.commit("a link");
    // Uncommitted changes don't count.
    sandbox.write("z", "other\n");
    let snapshot = sandbox.snapshot();
    let steps = snapshot.history().steps_since(&base).unwrap();
    assert_eq!(formatted(&steps), ["a>a ->c d", "b>- a>z", ""]);
    assert_eq!((&*steps[0].parent, &*steps[0].commit), (&*base, &*second));
    let shorter = snapshot.history().steps_since(&second).unwrap();
    assert_eq!(shorter[..], steps[1..]);
    // Asking for the shorter way first makes no difference, although the longer one can't be cut
    // from it.
    let snapshot = sandbox.snapshot();
    assert_eq!(snapshot.history().steps_since(&second).unwrap(), shorter);
    assert_eq!(snapshot.history().steps_since(&base).unwrap(), steps);
    let parents = snapshot.history().first_parents(2);
    assert_eq!(parents, [&*steps[2].commit, &*steps[1].commit]);
}

/// Adds a commit to `main`, and then merges the branch `side`, which must be checked out.
fn merge_side(sandbox: &Sandbox) {
    git(&sandbox.root(), &["checkout", "-q", "main"]);
    sandbox.write("main", "1\n");
    sandbox.commit("main");
    git(
        &sandbox.root(),
        &["merge", "-q", "--no-ff", "-m", "merge", "side"],
    );
}

#[test]
fn merge_is_one_step() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let base = head(&sandbox);
    git(&sandbox.root(), &["checkout", "-q", "-b", "side"]);
    sandbox.write("side", "1\n");
    let side = sandbox.commit("side");
    sandbox.write("side", "2\n");
    sandbox.commit("side again");
    merge_side(&sandbox);
    sandbox.write("later", "1\n");
    sandbox.commit("later");
    assert_eq!(
        since(&sandbox, &base).unwrap(),
        ["->main", "->side", "->later"]
    );
    // The first step leads from the side branch to the merge, so it includes what happened on
    // `main`.
    let from_side = ["->main side>side", "->later"];
    assert_eq!(since(&sandbox, &side).unwrap(), from_side);
    // A single commit is always compared with its first parent, no matter which ways are cached.
    let merge = git(&sandbox.root(), &["rev-parse", "HEAD~1"]);
    for known in [None, Some(&side), Some(&base)] {
        let snapshot = sandbox.snapshot();
        let way = known.map(|commit| snapshot.history().steps_since(commit).unwrap());
        assert_eq!(
            formatted(&[snapshot.history().step_of(&merge).unwrap()]),
            ["->side"],
            "{way:?}"
        );
    }
    assert_eq!(
        formatted(&[sandbox.snapshot().history().step_of(&base).unwrap()]),
        ["->a"]
    );
    assert!(
        sandbox
            .snapshot()
            .history()
            .step_of(&"1".repeat(40))
            .is_err()
    );
}

#[test]
fn first_parent_way_is_recognised() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let base = head(&sandbox);
    git(&sandbox.root(), &["checkout", "-q", "-b", "side"]);
    sandbox.write("side", "1\n");
    let side = sandbox.commit("side");
    merge_side(&sandbox);
    let straight = |from: &str, limit| {
        let snapshot = sandbox.snapshot();
        let steps = snapshot
            .history()
            .first_parent_steps_since(from, limit)
            .unwrap();
        steps.map(|steps| formatted(&steps))
    };
    let way = ["->main".to_owned(), "->side".to_owned()];
    assert_eq!(straight(&base, 2).as_deref(), Some(&way[..]));
    assert_eq!(straight(&base, 1), None);
    assert_eq!(straight(&side, 2), None);
    let here = head(&sandbox);
    assert_eq!(straight(&here, 2), None);
    // The answer is the same if it comes from cached steps.
    for (from, limit) in [(&base, 2), (&base, 1), (&side, 2), (&here, 2)] {
        let snapshot = sandbox.snapshot();
        snapshot.history().steps_since(from).unwrap();
        let steps = snapshot
            .history()
            .first_parent_steps_since(from, limit)
            .unwrap();
        assert_eq!(steps.map(|steps| formatted(&steps)), straight(from, limit));
    }
}

#[test]
fn commit_outside_history_is_an_error() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let first = head(&sandbox);
    sandbox.write("a", "2\n");
    let second = sandbox.commit("second");
    git(&sandbox.root(), &["checkout", "-q", &first]);
    let why = since(&sandbox, &second).unwrap_err().to_string();
    assert!(why.contains("does not descend from"), "{why}");
    sandbox.write("a", "3\n");
    sandbox.commit("rewritten");
    assert!(since(&sandbox, &second).is_err());
    for id in ["0".repeat(40).as_str(), "HEAD", "", "--all", &first[..12]] {
        assert!(since(&sandbox, id).is_err(), "{id}");
    }
    let folder = Sandbox::with(&[("a", "1\n")]);
    assert!(since(&folder, &first).is_err());
}

#[test]
fn shallow_clone_has_partial_steps() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let first = head(&sandbox);
    sandbox.write("a", "2\n");
    let second = sandbox.commit("second");
    sandbox.write("a", "3\n");
    sandbox.commit("third");
    let from = format!("file://{}", sandbox.root().display());
    let depth = ["clone", "-q", "--depth=2", &from, "clone"];
    git(&sandbox.outside(), &depth);
    let repo = Repo::open(&sandbox.outside().join("clone")).unwrap();
    let steps = |base: &str| {
        repo.snapshot()
            .history()
            .steps_since(base)
            .map(|steps| formatted(&steps))
    };
    assert_eq!(steps(&second).unwrap(), ["a>a"]);
    assert!(steps(&first).is_err());
}

fn contents(snapshot: &Snapshot, id: &str, path: &str) -> Result<Vec<u8>, String> {
    let file = snapshot.history().contents(id, &at(path));
    file.map(|file| file.bytes().to_vec())
        .map_err(|why| why.to_string())
}

#[test]
fn contents_pass_the_guard() {
    let sandbox = Sandbox::committed(&[
        ("a", "line\nwithout an end"),
        ("empty", ""),
        (".env", "A=1\n"),
        ("k.json", r#"{"type":"service_account","private_key":"x"}"#),
    ]);
    let id = |path: &str| git(&sandbox.root(), &["rev-parse", &format!("HEAD:{path}")]);
    let snapshot = sandbox.snapshot();
    let get = |path: &str| contents(&snapshot, &id(path), path);
    assert_eq!(get("a").unwrap(), b"line\nwithout an end");
    assert_eq!(get("empty").unwrap(), b"");
    assert!(get(".env").is_err() && get("k.json").is_err());
    // After each of these, the process still has to give the right answer to the next question.
    let tree = git(&sandbox.root(), &["rev-parse", "HEAD^{tree}"]);
    for no_file in [&tree, &head(&sandbox), &"1".repeat(40), "HEAD:a", "x\ny"] {
        assert!(contents(&snapshot, no_file, "a").is_err(), "{no_file}");
        assert_eq!(get("a").unwrap(), b"line\nwithout an end");
    }
}

#[test]
fn damaged_object_is_an_error() {
    let sandbox = Sandbox::committed(&[("a", "1\n"), ("b", "2\n")]);
    let id = |path: &str| git(&sandbox.root(), &["rev-parse", &format!("HEAD:{path}")]);
    let (a, b) = (id("a"), id("b"));
    let object = sandbox.at(&format!(".git/objects/{}/{}", &a[..2], &a[2..]));
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, b"no object").unwrap();
    let snapshot = sandbox.snapshot();
    for _ in 0..2 {
        assert!(contents(&snapshot, &a, "a").is_err());
        assert_eq!(contents(&snapshot, &b, "b").unwrap(), b"2\n");
    }
}
