//! Earlier revisions and rollback.

use crate::{anchor, anchors, edit, repository, runbook};

#[test]
fn rollback_is_undoable_change() {
    let sandbox = repository();
    for id in ["a", "b", "c"] {
        edit(&sandbox, &format!("[{}]", anchor(id, "src/a.rs:1")), &[]).succeeds();
    }
    let dry = sandbox
        .windlass(&["notebook", "rollback", "1", "--dry-run"])
        .succeeds();
    assert_eq!(dry.stdout, "- anchor b\n- anchor c\n");
    assert_eq!(anchors(&sandbox).len(), 3);
    sandbox.windlass(&["notebook", "rollback", "1"]).succeeds();
    assert_eq!(anchors(&sandbox), ["a"]);
    let history = sandbox.windlass(&["notebook", "history"]).succeeds().stdout;
    let lines: Vec<&str> = history.lines().collect();
    assert_eq!(lines.len(), 4, "{history}");
    assert!(
        lines[0].trim_start().starts_with("4*") && lines[0].contains("back to revision 1"),
        "{history}"
    );
    assert!(lines[3].contains("anchor added: `a`"), "{history}");
    let json = sandbox
        .windlass(&["notebook", "history", "--format", "json", "--limit", "1"])
        .succeeds()
        .json();
    assert_eq!(
        (&json["total"], &json["revisions"][0]["revision"]),
        (&4.into(), &4.into())
    );
    sandbox.windlass(&["notebook", "rollback", "3"]).succeeds();
    assert_eq!(anchors(&sandbox), ["a", "b", "c"]);
    let missing = sandbox
        .windlass(&["notebook", "rollback", "77"])
        .exits_with(3)
        .stderr;
    assert!(
        missing.contains("stored revisions: 1 to 4") && missing.contains("notebook history"),
        "{missing}"
    );
}

#[test]
fn gc_removes_old_revisions() {
    let sandbox = repository();
    for id in ["a", "b", "c", "d"] {
        edit(&sandbox, &format!("[{}]", anchor(id, "src/a.rs:1")), &[]).succeeds();
    }
    let dry = sandbox
        .windlass(&["notebook", "gc", "--keep", "1", "--dry-run"])
        .succeeds()
        .stdout;
    assert_eq!(dry, "- revision 1\n- revision 2\n");
    let done = sandbox
        .windlass(&["notebook", "gc", "--keep", "1", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(done["removed"], serde_json::json!([1, 2]));
    sandbox
        .windlass(&["notebook", "rollback", "1"])
        .exits_with(3);
    sandbox.windlass(&["notebook", "rollback", "3"]).succeeds();
    assert_eq!(anchors(&sandbox), ["a", "b", "c"]);
}

#[test]
fn rollback_names_missing_dependencies() {
    let sandbox = repository();
    let save = |operation: &str| edit(&sandbox, &format!("[{operation}]"), &[]).succeeds();
    save(&anchor("a", "src/a.rs:1"));
    save(&anchor("b", "src/a.rs:2"));
    save(&runbook("look", "b"));
    sandbox.write(
        "runbooks/shared.yaml",
        "schema_version: 1\nid: shared\nsteps:\n  - { id: s, uses: anchors, with: { ids: [b] } }\noutputs:\n  - { id: s, from: s }\n",
    );
    for options in [&["--dry-run"][..], &[]] {
        let args = [&["notebook", "rollback", "1"], options].concat();
        let back = sandbox.windlass(&args).succeeds();
        assert!(
            back.stderr.contains("anchor `b`")
                && back.stderr.contains("used by `runbooks/shared.yaml`"),
            "{}",
            back.stderr
        );
        assert!(!back.stderr.contains("anchor `a`"), "{}", back.stderr);
    }
    // An anchor that isn't used by anything isn't named.
    let back = sandbox.windlass(&["notebook", "rollback", "3"]).succeeds();
    assert!(!back.stderr.contains("used by"), "{}", back.stderr);
}

#[test]
fn history_names_the_actor_of_the_ledger() {
    let sandbox = repository();
    sandbox.run_git(&["config", "user.name", "Ann Lee"]);
    edit(&sandbox, &format!("[{}]", anchor("a", "src/a.rs:1")), &[]).succeeds();
    let history = sandbox.windlass(&["notebook", "history"]).succeeds().stdout;
    assert!(history.contains("ann-lee"), "{history}");
}

#[test]
fn actor_option_names_the_author() {
    let sandbox = repository();
    sandbox
        .windlass(&["--actor", "crew/ann", "anchor", "add", "a", "src/a.rs:1"])
        .succeeds();
    let history = sandbox.windlass(&["notebook", "history", "--format", "json"]);
    let newest = &history.succeeds().json()["revisions"][0];
    assert_eq!(newest["written"]["by"], "crew/ann", "{newest}");
}
