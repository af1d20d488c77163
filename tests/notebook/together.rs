//! Concurrent and killed writers.

#[cfg(unix)]
use crate::support::kill_lock_holder;
use crate::{anchor, anchors, edit, file, repository};

const PROCESSES: usize = 8;
const EDITS: usize = 8;

#[test]
fn concurrent_edits_lose_nothing() {
    let sandbox = repository();
    let sandbox = &sandbox;
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            scope.spawn(move || {
                for at in 0..EDITS {
                    let one = anchor(&format!("p{process}-{at}"), "src/a.rs:1-3");
                    edit(sandbox, &format!("[{one}]"), &[]).succeeds();
                }
            });
        }
    });
    let list = sandbox.windlass(&[
        "notebook",
        "show",
        "--format",
        "json",
        "--max-chars",
        "100000",
    ]);
    let list = list.succeeds().json();
    assert_eq!(list["total"], PROCESSES * EDITS);
    assert_eq!(list["revision"], PROCESSES * EDITS);
}

#[test]
fn concurrent_exports_lose_nothing() {
    let sandbox = repository();
    let name = |at: usize| format!("a{at}");
    let all: Vec<String> = (0..PROCESSES).map(name).collect();
    let added = all.iter().map(|id| anchor(id, "src/a.rs:1-3"));
    let added: Vec<String> = added.collect();
    edit(&sandbox, &format!("[{}]", added.join(",")), &[]).succeeds();
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for id in &all {
                let sandbox = &sandbox;
                scope.spawn(move || {
                    let args = ["notebook", "export", "--replace", id];
                    sandbox.windlass(&args).succeeds();
                });
            }
        });
        let shared: serde_json::Value =
            serde_json::from_str(&sandbox.read(".windlass/anchors.json")).unwrap();
        let shared = shared["anchors"].as_array().unwrap().iter();
        let shared: Vec<&str> = shared.map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(shared, all);
        sandbox.remove(".windlass/anchors.json");
    }
}

#[cfg(unix)]
#[test]
fn killed_writer_leaves_whole_notebook() {
    let sandbox = repository();
    edit(
        &sandbox,
        &format!("[{}]", anchor("first", "src/a.rs:1")),
        &[],
    )
    .succeeds();
    let many: Vec<String> = (0..300)
        .map(|at| anchor(&format!("n{at}"), "src/a.rs:1-9"))
        .collect();
    sandbox.write("edit.json", format!("[{}]", many.join(",")));
    let lock = file(&sandbox).with_extension("lock");
    let mut killed = 0;
    for round in 0..12 {
        // The lock file still contains the text of a killed holder.
        std::fs::write(&lock, "").unwrap();
        let mut child = sandbox
            .command(sandbox.root(), &["notebook", "edit", "edit.json"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Kill the writer at a different moment in each round.
        killed += usize::from(kill_lock_holder(&mut child, &lock, round * 200));
        let total = sandbox
            .windlass(&["notebook", "show", "--format", "json"])
            .succeeds();
        assert!(!total.stderr.contains("warning"), "{}", total.stderr);
        let total = total.json()["total"].as_u64().unwrap();
        assert!(total == 1 || total == 301, "{total}");
    }
    assert!(killed > 0, "nobody was killed at work");
    sandbox
        .windlass(&["notebook", "edit", "edit.json"])
        .succeeds();
    assert_eq!(anchors(&sandbox).len(), 301);
}

#[cfg(unix)]
#[test]
fn held_lock_does_not_block_readers() {
    let sandbox = repository();
    edit(&sandbox, &format!("[{}]", anchor("a", "src/a.rs:1")), &[]).succeeds();
    let lock = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(file(&sandbox).with_extension("lock"))
        .unwrap();
    lock.lock().unwrap();
    // Readers don't wait for the lock.
    sandbox.windlass(&["notebook", "show"]).succeeds();
    let dry = edit(
        &sandbox,
        &format!("[{}]", anchor("b", "src/a.rs:1")),
        &["--dry-run"],
    );
    assert_eq!(dry.succeeds().stdout, "+ anchor b\n");
}

#[cfg(unix)]
#[test]
fn lock_timeout_names_the_holder() {
    use std::io::Write as _;
    let sandbox = repository();
    edit(&sandbox, &format!("[{}]", anchor("a", "src/a.rs:1")), &[]).succeeds();
    let before = std::fs::read(file(&sandbox)).unwrap();
    let mut lock = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(file(&sandbox).with_extension("lock"))
        .unwrap();
    lock.lock().unwrap();
    // Every holder writes this line.
    lock.write_all(b"windlass notebook edit on host ann (process 4711)\n")
        .unwrap();
    let waiting = |limit: &str, args: &[&str]| {
        let mut command = sandbox.command(sandbox.root(), args);
        crate::support::answer(command.env("WINDLASS_LOCK_TIMEOUT", limit))
    };
    for (limit, waited) in [("0", "0 ms"), ("20ms", "20 ms")] {
        for args in [
            &["anchor", "add", "b", "src/a.rs:2"][..],
            &["notebook", "apply"],
            &["notebook", "export"],
            &["notebook", "rollback", "0"],
            &["notebook", "gc"],
        ] {
            let refused = waiting(limit, args).exits_with(5);
            for said in [
                "windlass notebook edit on host ann (process 4711) has held the lock",
                &format!("for more than {waited}"),
                "wait for it, or end it, and try again",
            ] {
                assert!(
                    refused.stderr.contains(said),
                    "{args:?}: {said}: {}",
                    refused.stderr
                );
            }
        }
    }
    assert_eq!(std::fs::read(file(&sandbox)).unwrap(), before);
    lock.unlock().unwrap();
    // An invalid duration is reported, but doesn't block the edit.
    let warned = waiting("soon", &["anchor", "add", "b", "src/a.rs:2"]).succeeds();
    assert!(
        warned.stderr.contains("`soon` is not a duration"),
        "{}",
        warned.stderr
    );
}
