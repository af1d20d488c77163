//! Transactions apply all or nothing, and report all mistakes at once.

use crate::{anchor, anchors, edit, repository, runbook};

#[test]
fn transaction_saves_and_reports() {
    let sandbox = repository();
    let transaction = format!(
        "[{},{}]",
        anchor("core", "src/a.rs:3-5"),
        runbook("look", "core")
    );
    let dry = edit(&sandbox, &transaction, &["--dry-run"]).succeeds();
    assert_eq!(dry.stdout, "+ runbook look\n+ anchor core\n");
    assert!(anchors(&sandbox).is_empty());
    let done = edit(&sandbox, &transaction, &["--format", "json"])
        .succeeds()
        .json();
    assert_eq!((&done["before"], &done["revision"]), (&0.into(), &1.into()));
    assert_eq!(done["anchors"]["core"], "added");
    let run = sandbox.windlass(&["run", "look"]).succeeds();
    assert!(run.stdout.contains("line number 4"), "{}", run.stdout);
    // Repeating it changes nothing.
    let again = edit(&sandbox, &format!("[{}]", runbook("look", "core")), &[]).succeeds();
    assert!(again.stderr.contains("nothing changes"), "{}", again.stderr);
}

#[test]
fn transaction_file_may_be_yaml() {
    let sandbox = repository();
    sandbox
        .write(
            "edit.yaml",
            "operations:\n- op: upsert_anchor\n  anchor:\n    id: core\n    at: 'src/a.rs:3'\n- { op: upsert_runbook, file: drafts/look.yaml }\n",
        )
        .write(
            "drafts/look.yaml",
            "# the author's words\nschema_version: 1\nid: look\nsteps:\n  - { id: s, uses: anchors }\noutputs: [{ id: s, from: s }]\n",
        );
    sandbox
        .windlass(&["notebook", "edit", "edit.yaml"])
        .succeeds();
    assert_eq!(anchors(&sandbox), ["core"]);
    let kept = std::fs::read_to_string(crate::file(&sandbox)).unwrap();
    assert!(kept.contains("# the author's words\\n"), "{kept}");
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let sandbox = repository();
    sandbox.write(".env", "KEY=x\n");
    let transaction = r#"[
{"op":"upsert_anchor","anchor":{"id":"good","at":["src/a.rs:1"]}},
{"op":"upsert_anchor","anchor":{"id":"long","at":["src/a.rs:99", "src/a.rs#nothing", "src/a.rs"]}},
{"op":"upsert_anchor","anchor":{"id":"secret","at":[".env:1"]}},
{"op":"upsert_anchor","anchor":{"id":"nowhere"}},
{"op":"delete_anchor","id":"godo"},
{"op":"upsert_runbook","runbook":"schema_version: 1\nid: bad\nsteps:\n  - { id: s, uses: ancors }\n"}
]"#;
    let answer = edit(&sandbox, transaction, &[]).exits_with(2);
    for said in [
        "standard input:3:51",
        "standard input:3:66",
        "standard input:3:86",
        "standard input:4:53",
        "secret",
        "standard input:5:1",
        "needs a place",
        "standard input:6:1",
        "no anchor `godo`; did you mean `good`?",
        "runbook in `standard input`:4:20",
        "did you mean `anchors`?",
    ] {
        assert!(answer.stderr.contains(said), "{said}: {}", answer.stderr);
    }
    assert!(anchors(&sandbox).is_empty());
    // Malformed operations don't hide errors in others.
    let mixed = r#"[{"op":"upsert_anker"},{"id":"x"},
{"op":"upsert_anchor","anchor":{"id":"long","at":["src/a.rs:99"]}},
{"op":"delete_anchor","id":"nothing"},
{"op":"upsert_runbook","runbook":"schema_version: 1\nid: bad\nsteps: 7\n"}]"#;
    let form = edit(&sandbox, mixed, &[]).exits_with(2);
    for said in [
        "upsert_anchor",
        "`op` is missing",
        "standard input:2:51",
        "no anchor `nothing`",
        "runbook in `standard input`:3:8",
    ] {
        assert!(form.stderr.contains(said), "{said}: {}", form.stderr);
    }
    assert!(anchors(&sandbox).is_empty());
    // In a newer version, operations may mean something else, so we don't look for mistakes in
    // them.
    let newer = r#"{"schema_version":2,"operations":[{"op":"delete_anchor","id":"nothing"}]}"#;
    let newer = edit(&sandbox, newer, &[]).exits_with(2);
    assert!(newer.stderr.contains("update windlass"), "{}", newer.stderr);
    assert!(!newer.stderr.contains("no anchor"), "{}", newer.stderr);
}

#[test]
fn single_mistake_keeps_its_exit_code() {
    let sandbox = repository();
    sandbox.write(".env", "KEY=x\n");
    for (operation, code) in [
        (r#"{"op":"delete_anchor","id":"x"}"#, 3),
        (r#"{"op":"delete_runbook","id":"x"}"#, 3),
        (anchor("a", ".env:1").as_str(), 4),
        (anchor("a", "missing.rs:1").as_str(), 3),
        (anchor("a", "src/a.rs:61").as_str(), 2),
    ] {
        edit(&sandbox, &format!("[{operation}]"), &[]).exits_with(code);
    }
}

#[test]
fn used_entry_is_deleted_only_with_user() {
    let sandbox = repository();
    let saved = [
        anchor("a", "src/a.rs:1"),
        anchor("b", "src/a.rs:2"),
        runbook("look", "a"),
    ];
    edit(&sandbox, &format!("[{}]", saved.join(",")), &[]).succeeds();
    sandbox.write(
        "runbooks/outer.yaml",
        "schema_version: 1\nid: outer\nsteps:\n  - { id: s, uses: runbook, with: { name: look } }\n  - { id: t, uses: anchors, with: { ids: [b] } }\noutputs: [{ id: s, from: s }]\n",
    );
    let refused = sandbox.windlass(&["anchor", "remove", "a"]).exits_with(4);
    assert!(
        refused
            .stderr
            .contains("anchor `a` cannot be deleted: it is used by `notebook:look`"),
        "{}",
        refused.stderr
    );
    let refused = edit(
        &sandbox,
        r#"[{"op":"delete_anchor","id":"b"},{"op":"delete_runbook","id":"look"}]"#,
        &[],
    )
    .exits_with(4);
    for user in [
        "anchor `b`",
        "runbook `look`",
        "`runbooks/outer.yaml`",
        "standard input:1:2",
        "standard input:1:34",
    ] {
        assert!(refused.stderr.contains(user), "{user}: {}", refused.stderr);
    }
    sandbox.remove("runbooks/outer.yaml");
    edit(
        &sandbox,
        r#"[{"op":"delete_anchor","id":"a"},{"op":"delete_runbook","id":"look"}]"#,
        &[],
    )
    .succeeds();
    assert_eq!(anchors(&sandbox), ["b"]);
}

#[test]
fn concurrent_revision_is_a_conflict() {
    let sandbox = repository();
    edit(
        &sandbox,
        &format!("[{}]", anchor("a", "src/a.rs:1")),
        &["--if-revision", "0"],
    )
    .succeeds();
    let mut other = sandbox.command(sandbox.root(), &["anchor", "add", "b", "src/a.rs:2"]);
    crate::support::answer(other.env("BD_ACTOR", "polecat-7")).succeeds();
    let late = format!(
        r#"{{"if_revision":1,"operations":[{}]}}"#,
        anchor("c", "src/a.rs:3")
    );
    let refused = edit(&sandbox, &late, &[]).exits_with(5);
    for said in [
        "at revision 2, not at 1",
        "by polecat-7",
        "anchor added: `b`",
    ] {
        assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
    }
    // The option contradicts the file.
    edit(&sandbox, &late, &["--if-revision", "2"]).exits_with(2);
    edit(&sandbox, &late.replace(":1,", ":2,"), &[]).succeeds();
    assert_eq!(anchors(&sandbox), ["a", "b", "c"]);
}

#[test]
fn upsert_keeps_omitted_fields() {
    let sandbox = repository();
    let first = r#"[{"op":"upsert_anchor","anchor":{"id":"a","at":["src/a.rs:1-2"],"kind":"ci","tags":["t"],"label":"The first"}}]"#;
    edit(&sandbox, first, &[]).succeeds();
    edit(
        &sandbox,
        r#"[{"op":"upsert_anchor","anchor":{"id":"a","label":"Another"}}]"#,
        &[],
    )
    .succeeds();
    let shown = sandbox
        .windlass(&["anchor", "show", "a", "--format", "json"])
        .succeeds()
        .json();
    let saved = &shown["anchors"][0]["anchor"];
    assert_eq!(
        (&saved["label"], &saved["kind"], &saved["tags"][0]),
        (&"Another".into(), &"ci".into(), &"t".into())
    );
    // A saved anchor can be passed back unchanged.
    let evidence = &saved["evidence"];
    let back = |evidence: &serde_json::Value| {
        let anchor = serde_json::json!({ "id": "b", "evidence": evidence });
        serde_json::json!([{ "op": "upsert_anchor", "anchor": anchor }]).to_string()
    };
    edit(&sandbox, &back(evidence), &[]).succeeds();
    // The lines aren't what they were when the anchor was saved.
    sandbox.edit("src/a.rs", "line number 1\n", "another line\n");
    let refused = edit(&sandbox, &back(evidence), &[]).exits_with(2);
    assert!(
        refused.stderr.contains("do not have the given hash"),
        "{}",
        refused.stderr
    );
}

#[test]
fn disabled_notebook_is_not_read_or_written() {
    let sandbox = repository();
    let saved = [anchor("a", "src/a.rs:1"), runbook("look", "a")];
    edit(&sandbox, &format!("[{}]", saved.join(",")), &[]).succeeds();
    let off = |args: &[&str]| {
        let mut command = sandbox.command(sandbox.root(), args);
        crate::support::answer(command.env("WINDLASS_NOTEBOOK", "off"))
    };
    sandbox.write("edit.json", format!("[{}]", anchor("b", "src/a.rs:1")));
    off(&["notebook", "edit", "edit.json"]).exits_with(4);
    off(&["notebook", "rollback", "0"]).exits_with(4);
    off(&["notebook", "gc"]).exits_with(4);
    off(&["run", "look"]).exits_with(3);
    // Printing an empty list would be wrong here, since the notebook isn't read.
    off(&["notebook", "show"]).exits_with(4);
    off(&["notebook", "history"]).exits_with(4);
}

#[test]
fn long_change_list_is_cut() {
    let sandbox = repository();
    let many: Vec<String> = (0..300)
        .map(|at| anchor(&format!("n{at:03}"), "src/a.rs:1-9"))
        .collect();
    let told = edit(&sandbox, &format!("[{}]", many.join(",")), &["-q"]).succeeds();
    assert_eq!(told.stdout.lines().count(), 50);
    assert!(
        told.stdout
            .ends_with("… 251 more; `--format json` lists all\n"),
        "{}",
        told.stdout
    );
    let told = sandbox.windlass(&["notebook", "export"]).succeeds();
    assert_eq!(told.stdout.lines().count(), 50);
    let back = ["notebook", "rollback", "0", "--format", "json"];
    let back = sandbox.windlass(&back).succeeds().json();
    assert_eq!(back["anchors"].as_object().unwrap().len(), 300);
}

#[test]
fn secret_labels_are_refused_not_echoed() {
    let sandbox = repository();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    for field in [
        format!(r#""label":"use {token}""#),
        format!(r#""tags":["fine","{token}"]"#),
        format!(r#""locator":{{"kind":"grep","value":"{token}"}}"#),
    ] {
        let upsert = format!(
            r#"[{{"op":"upsert_anchor","anchor":{{"id":"a","at":["src/a.rs:1"],{field}}}}}]"#
        );
        let refused = edit(&sandbox, &upsert, &[]).exits_with(4);
        let said = refused.stderr;
        assert!(
            said.contains("holds a secret value") && !said.contains(&token[4..]),
            "{said}"
        );
    }
    let mut add = vec!["anchor", "add", "a", "src/a.rs:1", "--label"];
    let label = format!("use {token}");
    add.push(&label);
    sandbox.windlass(&add).exits_with(4);
    assert!(anchors(&sandbox).is_empty());
}
