//! Notebooks damaged by hand, by a full disk, or by another program.

use crate::{anchor, anchors, edit, file, repository, runbook};

#[test]
fn intact_part_is_used_damage_reported() {
    let sandbox = repository();
    let saved = [
        anchor("a", "src/a.rs:1"),
        anchor("b", "src/a.rs:2"),
        runbook("look", "a"),
    ];
    edit(&sandbox, &format!("[{}]", saved.join(",")), &[]).succeeds();
    let path = file(&sandbox);
    let whole = std::fs::read(&path).unwrap();
    let broken = &whole[..whole.len() - 20];
    std::fs::write(&path, broken).unwrap();

    // Every command that uses the notebook reports the damage.
    for args in [
        &["notebook", "show"][..],
        &["anchor", "list"],
        &["anchor", "show", "a"],
        &["run", "look"],
    ] {
        let answer = sandbox.windlass(args).succeeds();
        for said in ["notebook.json", "`b`", "rollback"] {
            assert!(answer.stderr.contains(said), "{args:?}: {}", answer.stderr);
        }
    }
    sandbox.windlass(&["anchor", "check"]).exits_with(1);
    assert_eq!(
        std::fs::read(&path).unwrap(),
        broken,
        "reading changes nothing"
    );

    let added = sandbox
        .windlass(&["anchor", "add", "c", "src/a.rs:3"])
        .succeeds();
    let aside = path.with_file_name("notebook.damaged-1.json");
    assert!(
        added.stderr.contains("notebook.damaged-1.json"),
        "{}",
        added.stderr
    );
    assert_eq!(std::fs::read(&aside).unwrap(), broken);
    assert_eq!(anchors(&sandbox), ["a", "c"]);
    for args in [&["notebook", "show"][..], &["run", "look"]] {
        let answer = sandbox.windlass(args).succeeds().stderr;
        assert!(
            answer.contains("notebook.damaged-1.json") && answer.contains("remove that file"),
            "{answer}"
        );
    }
    std::fs::remove_file(aside).unwrap();
    assert_eq!(
        sandbox.windlass(&["notebook", "show"]).succeeds().stderr,
        ""
    );
}

#[test]
fn unreadable_notebook_needs_rollback() {
    let sandbox = repository();
    for id in ["a", "b"] {
        edit(&sandbox, &format!("[{}]", anchor(id, "src/a.rs:1")), &[]).succeeds();
    }
    std::fs::write(file(&sandbox), "").unwrap();
    let refused = sandbox
        .windlass(&["anchor", "add", "c", "src/a.rs:1"])
        .exits_with(1)
        .stderr;
    assert!(refused.contains("windlass notebook rollback"), "{refused}");
    sandbox.windlass(&["notebook", "rollback", "1"]).succeeds();
    assert_eq!(anchors(&sandbox), ["a"]);
}

#[test]
fn unusable_notebook_stops_only_its_users() {
    let sandbox = repository();
    sandbox.write(
        "runbooks/list.yaml",
        "schema_version: 1\nid: list\nsteps:\n  - { id: s, uses: files }\noutputs: [{ id: s, from: s }]\n",
    );
    edit(&sandbox, &format!("[{}]", anchor("a", "src/a.rs:1")), &[]).succeeds();
    let newer = std::fs::read_to_string(file(&sandbox))
        .unwrap()
        .replace("\"schema_version\":1", "\"schema_version\":9");
    std::fs::write(file(&sandbox), &newer).unwrap();
    let run = sandbox.windlass(&["run", "list"]).succeeds();
    assert!(run.stdout.contains("src/a.rs"), "{}", run.stdout);
    assert!(
        run.stderr
            .contains("no runbook of the notebook can be used")
            && run.stderr.contains("version 9"),
        "{}",
        run.stderr
    );
    assert_eq!(
        sandbox
            .windlass(&["run", "runbooks/list.yaml"])
            .succeeds()
            .stderr,
        ""
    );
    sandbox.windlass(&["anchor", "list"]).exits_with(1);
    sandbox
        .windlass(&["notebook", "rollback", "0"])
        .exits_with(3);
    assert_eq!(std::fs::read_to_string(file(&sandbox)).unwrap(), newer);
}

#[cfg(unix)]
#[test]
fn full_disk_leaves_notebook_unchanged() {
    let sandbox = repository();
    edit(&sandbox, &format!("[{}]", anchor("a", "src/a.rs:1")), &[]).succeeds();
    let before = std::fs::read(file(&sandbox)).unwrap();
    let many: Vec<String> = (0..200)
        .map(|at| anchor(&format!("n{at}"), "src/a.rs:1-60"))
        .collect();
    sandbox.write("edit.json", format!("[{}]", many.join(",")));
    let script = "ulimit -f 40; exec \"$0\" notebook edit edit.json";
    let mut shell = sandbox.shell(sandbox.root(), script);
    let answer = crate::support::answer(&mut shell).exits_with(1);
    assert!(answer.stderr.contains("ulimit -f"), "{}", answer.stderr);
    assert_eq!(std::fs::read(file(&sandbox)).unwrap(), before);
    sandbox
        .windlass(&["notebook", "edit", "edit.json"])
        .succeeds();
    assert_eq!(anchors(&sandbox).len(), 201);
}
