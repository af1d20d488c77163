//! Runbooks in the notebook work like runbooks in files.

use crate::{anchor, edit, repository, runbook};

/// Creates a repository whose notebook has the anchor `a` and the runbook `look`, which shows it.
fn with_runbook() -> crate::support::Sandbox {
    let sandbox = repository();
    let saved = [anchor("a", "src/a.rs:1-2"), runbook("look", "a")];
    edit(&sandbox, &format!("[{}]", saved.join(",")), &[]).succeeds();
    sandbox
}

fn file_of(id: &str) -> String {
    format!(
        "schema_version: 1\nid: {id}\nsteps:\n  - {{ id: s, uses: files }}\noutputs: [{{ id: s, from: s }}]\n"
    )
}

#[test]
fn notebook_runbook_is_found_everywhere() {
    let sandbox = with_runbook();
    for name in ["look", "notebook:look"] {
        let run = sandbox.windlass(&["run", name]).succeeds().stdout;
        assert!(run.contains("line number 1"), "{run}");
        let plan = sandbox.windlass(&["plan", name]).succeeds().stdout;
        assert!(plan.contains("The look"), "{plan}");
        let check = sandbox.windlass(&["check", name]).succeeds().stdout;
        assert_eq!(check, "notebook:look: valid\n");
    }
    let all = sandbox.windlass(&["check"]).succeeds().stdout;
    assert_eq!(all, "notebook:look: valid\n");
    let wrong = sandbox.windlass(&["run", "lok"]).exits_with(3).stderr;
    assert!(wrong.contains("did you mean `look`?"), "{wrong}");
    sandbox.windlass(&["run", "notebook:lok"]).exits_with(3);
    sandbox
        .windlass(&["runs", "list", "--runbook", "look"])
        .succeeds();
    sandbox.windlass(&["runs", "resume"]).succeeds();
    let words = ["--", "windlass", "run", "lo"];
    let mut complete = sandbox.command(sandbox.root(), &words);
    complete.env("WINDLASS_COMPLETE", "fish");
    let offered = crate::support::answer(&mut complete).stdout;
    assert!(offered.starts_with("look\t"), "{offered}");
}

#[test]
fn file_and_notebook_runbooks_nest() {
    let sandbox = with_runbook();
    sandbox.write(
        "runbooks/outer.yaml",
        "schema_version: 1\nid: outer\nsteps:\n  - { id: s, uses: runbook, with: { name: look } }\noutputs: [{ id: s, from: s }]\n",
    );
    let outer = sandbox.windlass(&["run", "outer"]).succeeds().stdout;
    assert!(outer.contains("line number 2"), "{outer}");
    let top = r#"[{"op":"upsert_runbook","runbook":{"schema_version":1,"id":"top","steps":[{"id":"s","uses":"runbook","with":{"name":"outer"}}],"outputs":[{"id":"s","from":"s"}]}}]"#;
    edit(&sandbox, top, &[]).succeeds();
    let top = sandbox.windlass(&["run", "top"]).succeeds().stdout;
    assert!(top.contains("line number 2"), "{top}");
    let circle = r#"[{"op":"upsert_runbook","runbook":{"schema_version":1,"id":"look","steps":[{"id":"s","uses":"runbook","with":{"name":"top"}}],"outputs":[{"id":"s","from":"s"}]}}]"#;
    let refused = edit(&sandbox, circle, &[]).exits_with(2).stderr;
    assert!(
        refused.contains("look -> top -> outer -> look"),
        "{refused}"
    );
}

#[test]
fn duplicate_id_error_names_both() {
    let sandbox = with_runbook();
    sandbox.write("runbooks/look.yaml", file_of("look"));
    for args in [&["run", "look"][..], &["plan", "look"], &["trust", "look"]] {
        let refused = sandbox.windlass(args).exits_with(2).stderr;
        assert!(
            refused.contains("`notebook:look` and `runbooks/look.yaml`"),
            "{refused}"
        );
    }
    sandbox.windlass(&["run", "notebook:look"]).succeeds();
    sandbox.windlass(&["run", "runbooks/look.yaml"]).succeeds();
    let check = sandbox.windlass(&["check"]).exits_with(2).stderr;
    assert!(check.contains("duplicate runbook `look`"), "{check}");
    let shown = sandbox.windlass(&["notebook", "show"]).succeeds().stdout;
    assert!(shown.contains("1 runbook: 1 invalid"), "{shown}");
    // A runbook with the id of a file's runbook can't be saved.
    sandbox.write("runbooks/other-name.yaml", file_of("taken"));
    let refused = edit(&sandbox, &format!("[{}]", runbook("taken", "a")), &[])
        .exits_with(2)
        .stderr;
    assert!(
        refused.contains("`notebook:taken` and `runbooks/other-name.yaml`"),
        "{refused}"
    );
}

#[test]
fn nearer_duplicate_runs_and_check_fails() {
    let told =
        |title: &str| file_of("look").replace("id: look", &format!("id: look\ntitle: {title}"));
    let sandbox = with_runbook();
    let title = |sandbox: &crate::support::Sandbox| {
        let args = ["run", "look", "--format", "json"];
        sandbox.windlass(&args).succeeds().json()["runbook"]["title"].clone()
    };
    let kept = title(&sandbox);
    sandbox.write("runbooks/far.yaml", told("Far"));
    assert_eq!(title(&sandbox), kept);
    let two = |sandbox: &crate::support::Sandbox| {
        let check = sandbox.windlass(&["check"]).exits_with(2).stderr;
        assert!(check.contains("duplicate runbook `look`"), "{check}");
    };
    two(&sandbox);

    let sandbox = crate::support::Sandbox::git();
    sandbox
        .write("runbooks/far.yaml", told("Far"))
        .write("runbooks/look.yaml", told("Near"));
    assert_eq!(title(&sandbox), "Near");
    two(&sandbox);
    sandbox
        .remove("runbooks/look.yaml")
        .write(".windlass/further.yaml", told("Further"));
    let refused = sandbox.windlass(&["run", "look"]).exits_with(2).stderr;
    assert!(refused.contains("runbooks/far.yaml"), "{refused}");
    two(&sandbox);
}

#[test]
fn notebook_runbook_is_trusted_by_digest() {
    let sandbox = with_runbook();
    let say = |words: &str| {
        format!(
            r#"[{{"op":"upsert_runbook","runbook":{{"schema_version":1,"id":"say","steps":[{{"id":"s","uses":"command","with":{{"argv":["echo","{words}"]}}}}],"outputs":[{{"id":"s","from":"s"}}]}}}}]"#
        )
    };
    edit(&sandbox, &say("one"), &[]).succeeds();
    sandbox.windlass(&["run", "say"]).exits_with(4);
    let shown = sandbox
        .windlass(&["notebook", "show", "--status", "untrusted"])
        .succeeds()
        .stdout;
    assert!(
        shown.contains("say")
            && !shown.contains("look")
            && shown.contains("trust notebook:say --dry-run"),
        "{shown}"
    );
    sandbox.windlass(&["trust", "say"]).succeeds();
    assert!(
        sandbox
            .windlass(&["run", "say"])
            .succeeds()
            .stdout
            .contains("one")
    );
    let listed = sandbox
        .windlass(&["trust", "--list", "--format", "json"])
        .succeeds()
        .stdout;
    assert!(listed.contains("current"), "{listed}");
    edit(&sandbox, &say("two"), &[]).succeeds();
    sandbox.windlass(&["run", "say"]).exits_with(4);
}
