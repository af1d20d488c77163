//! Sharing a notebook with others who work on the same repository: export and import.

use serde_json::Value;

use crate::support::Sandbox;
use crate::{anchor, anchors, edit, file, repository, runbook};

const FILE: &str = ".windlass/anchors.json";

fn save(sandbox: &Sandbox, operations: &[String]) {
    edit(sandbox, &format!("[{}]", operations.join(",")), &[]).succeeds();
}

fn export(sandbox: &Sandbox, options: &[&str]) -> Value {
    let args = [&["notebook", "export", "--format", "json"], options].concat();
    sandbox.windlass(&args).json()
}

fn import(sandbox: &Sandbox, options: &[&str]) -> Value {
    let args = [&["notebook", "import", "--format", "json"], options].concat();
    sandbox.windlass(&args).json()
}

/// Returns each entry's outcome, such as `added a`.
fn outcomes(done: &Value) -> Vec<String> {
    let entries = done["entries"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries
        .map(|entry| format!("{} {}", text(&entry["became"]), text(&entry["id"])))
        .collect()
}

fn pull(to: &Sandbox, from: &Sandbox) {
    to.run_git(&[
        "pull",
        "--quiet",
        "--no-edit",
        from.root().to_str().unwrap(),
        "main",
    ]);
}

/// Creates a repository with two exported anchors and an exported runbook, and a clone that has
/// imported them.
fn team() -> (Sandbox, Sandbox) {
    let ann = repository();
    save(
        &ann,
        &[
            anchor("a", "src/a.rs:3-9"),
            anchor("b", "lib/b.rs:1-4"),
            runbook("look", "a"),
        ],
    );
    ann.windlass(&["notebook", "export"]).succeeds();
    ann.commit("hand over");
    let bob = ann.cloned();
    bob.windlass(&["notebook", "import"]).succeeds();
    (ann, bob)
}

#[test]
fn export_is_canonical_and_idempotent() {
    let ann = repository();
    let operations = [
        anchor("b", "lib/b.rs:1-4"),
        anchor("a", "src/a.rs:3-9"),
        runbook("look", "a"),
    ];
    save(&ann, &operations);
    let dry = ann
        .windlass(&["notebook", "export", "--dry-run"])
        .succeeds();
    assert_eq!(dry.stdout, "+ anchor a\n+ anchor b\n+ runbook look\n");
    assert!(!ann.root().join(FILE).exists());
    let done = export(&ann, &[]);
    assert_eq!(
        done["files"],
        serde_json::json!([FILE, "runbooks/look.yaml"])
    );
    let text = ann.read(FILE);
    let home = ann.home();
    for private in [
        home.to_str().unwrap(),
        ann.root().to_str().unwrap(),
        "captured_at",
        "2026",
    ] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    assert!(ann.read("runbooks/look.yaml").starts_with("# why\n"));

    // A second export writes nothing, not even in the notebook.
    let before = std::fs::metadata(ann.root().join(FILE)).unwrap();
    let again = export(&ann, &[]);
    assert_eq!(
        (&again["same"], &again["files"]),
        (&3.into(), &serde_json::json!([]))
    );
    assert_eq!(again["before"], again["revision"]);
    let after = std::fs::metadata(ann.root().join(FILE)).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());

    // Another user who saved the same entries in another order and at another time exports the same
    // bytes.
    let other = repository();
    let mut operations = operations;
    operations.reverse();
    save(&other, &operations);
    export(&other, &[]);
    assert_eq!(other.read(FILE), text);
    // A file with another layout isn't rewritten.
    let compact: Value = serde_json::from_str(&text).unwrap();
    ann.write(FILE, compact.to_string());
    assert_eq!(export(&ann, &[])["same"], 3);
    assert_eq!(ann.read(FILE), compact.to_string());
    // An exported runbook doesn't collide with its original in the notebook.
    ann.windlass(&["run", "look"]).succeeds();
    ann.windlass(&["check"]).succeeds();
    let shown = ann.windlass(&["notebook", "show"]).succeeds();
    assert!(shown.stdout.contains("valid    look"), "{}", shown.stdout);
}

#[test]
fn import_judges_locally_and_undoes() {
    let ann = repository();
    let starts = r##"{"op":"upsert_runbook","runbook":"schema_version: 1\nid: start\nsteps:\n  - { id: s, uses: command, with: { argv: [echo, hello] } }\noutputs:\n  - { id: s, from: s }\n"}"##;
    save(
        &ann,
        &[
            anchor("a", "src/a.rs:3-9"),
            anchor("b", "lib/b.rs:1-4"),
            starts.to_owned(),
        ],
    );
    ann.windlass(&["trust", "start"]).succeeds();
    export(&ann, &[]);
    ann.commit("hand over");
    let bob = ann.cloned();
    bob.edit("src/a.rs", "line number 1\n", "new\nline number 1\n");
    bob.remove("lib/b.rs");
    let dry = import(&bob, &["--dry-run"]);
    assert_eq!(outcomes(&dry), ["added a", "added b"]);
    assert!(anchors(&bob).is_empty());
    let done = bob.windlass(&["notebook", "import"]).succeeds();
    assert_eq!(
        done.stdout,
        "+ anchor a\n+ anchor b\n2 anchors shared with others: 1 gone, 1 moved\n"
    );
    assert!(
        done.stderr.contains("windlass notebook rollback 0"),
        "{}",
        done.stderr
    );
    // Trust is not exported.
    bob.windlass(&["run", "start"]).exits_with(4);
    bob.windlass(&["notebook", "rollback", "0"]).succeeds();
    assert!(anchors(&bob).is_empty());
    assert_eq!(outcomes(&import(&bob, &[])), ["added a", "added b"]);
    assert_eq!(anchors(&bob), ["a", "b"]);
    let again = import(&bob, &[]);
    assert_eq!(
        (&again["same"], &again["before"]),
        (&2.into(), &again["revision"])
    );
}

#[test]
fn one_sided_changes_merge_conflicts_named() {
    let (ann, bob) = team();
    // Bob changes one anchor and Ann the other, and each gets both.
    save(&bob, &[anchor("b", "lib/b.rs:2-5")]);
    save(&ann, &[anchor("a", "src/a.rs:4-8")]);
    assert_eq!(outcomes(&export(&bob, &[])), ["updated b"]);
    bob.commit("b");
    pull(&ann, &bob);
    // Ann's `b` is older, so it doesn't overwrite the newer one.
    let done = export(&ann, &[]);
    assert_eq!(outcomes(&done), ["updated a", "kept b"]);
    assert!(
        done["entries"][1]["reason"]
            .as_str()
            .unwrap()
            .contains("newer")
    );
    let done = import(&ann, &[]);
    assert_eq!(outcomes(&done), ["updated b"]);
    ann.commit("a");
    pull(&bob, &ann);
    assert_eq!(outcomes(&import(&bob, &[])), ["updated a"]);
    assert_eq!(
        export(&bob, &[])["same"],
        2,
        "the runbook is in the repository alone"
    );

    // Both change the same anchor.
    save(&bob, &[anchor("a", "src/a.rs:10-12")]);
    save(&ann, &[anchor("a", "src/a.rs:20-22")]);
    export(&ann, &[]);
    ann.commit("a again");
    pull(&bob, &ann);
    // Neither an export nor an import may silently overwrite the other side's change.
    let text = bob.read(FILE);
    let refused = bob.windlass(&["notebook", "export"]).exits_with(5);
    assert!(refused.stdout.contains("! anchor a"), "{}", refused.stdout);
    for call in ["notebook import a --replace", "notebook export a --replace"] {
        assert!(refused.stderr.contains(call), "{}", refused.stderr);
    }
    assert_eq!(bob.read(FILE), text);
    let refused = bob.windlass(&["notebook", "import"]).exits_with(5);
    assert!(refused.stdout.contains("! anchor a"), "{}", refused.stdout);
    let lines = |sandbox: &Sandbox| {
        let shown = sandbox.windlass(&["anchor", "show", "a", "--format", "json"]);
        shown.json()["anchors"][0]["anchor"]["evidence"][0]["start_line"].clone()
    };
    assert_eq!(lines(&bob), 10);
    assert_eq!(outcomes(&import(&bob, &["a", "--replace"])), ["updated a"]);
    assert_eq!(lines(&bob), 20);
    let revision = import(&bob, &[])["revision"].as_u64().unwrap();
    let back = (revision - 1).to_string();
    bob.windlass(&["notebook", "rollback", &back]).succeeds();
    assert_eq!(lines(&bob), 10);
    assert_eq!(outcomes(&export(&bob, &["--replace"])), ["updated a"]);
    assert!(bob.read(FILE).contains("\"start_line\": 10"));
}

#[test]
fn hand_edits_of_shared_files_stay() {
    let (ann, _) = team();
    ann.edit(FILE, "\"label\": \"b\"", "\"label\": \"By hand\"")
        .edit(
            FILE,
            "\"anchors\": [",
            "\"note\": [1.50],\n  \"anchors\": [",
        )
        .edit("runbooks/look.yaml", "# why", "# by hand");
    save(&ann, &[anchor("c", "src/a.rs:30")]);
    let done = export(&ann, &[]);
    assert_eq!(outcomes(&done), ["kept b", "added c", "kept look"]);
    let text = ann.read(FILE);
    assert!(
        text.contains("By hand") && text.contains("\"note\": [1.50]"),
        "{text}"
    );
    // The two runbooks differ now, so the user has to decide which one counts.
    let refused = ann.windlass(&["run", "look"]).exits_with(2);
    assert!(
        refused.stderr.contains("notebook import look --replace"),
        "{}",
        refused.stderr
    );
    let done = import(&ann, &[]);
    assert_eq!(outcomes(&done), ["updated b", "removed look"]);
    ann.windlass(&["run", "look"]).succeeds();
    let shown = ann.windlass(&["anchor", "list"]).succeeds();
    assert!(shown.stdout.contains("By hand"), "{}", shown.stdout);
    // Entries that were never exported from here stay too, unless `--replace` is given.
    let other = repository();
    save(&other, &[anchor("a", "src/a.rs:1"), runbook("look", "a")]);
    other
        .write(FILE, ann.read(FILE))
        .write("runbooks/look.yaml", ann.read("runbooks/look.yaml"));
    other.windlass(&["notebook", "export"]).exits_with(5);
    assert_eq!(other.read(FILE), ann.read(FILE));
    assert_eq!(
        outcomes(&export(&other, &["--replace"])),
        ["updated a", "updated look"]
    );
    assert!(other.read(FILE).contains("By hand"));
    assert!(other.read("runbooks/look.yaml").starts_with("# why"));
}

#[test]
fn removal_is_shared_but_not_forced() {
    let (ann, bob) = team();
    ann.windlass(&["anchor", "remove", "b"]).succeeds();
    assert_eq!(outcomes(&export(&ann, &[])), ["removed b"]);
    assert!(!ann.read(FILE).contains("\"id\": \"b\""));
    ann.commit("without b");
    pull(&bob, &ann);
    assert_eq!(outcomes(&import(&bob, &[])), ["kept b"]);
    assert_eq!(anchors(&bob), ["a", "b"]);
    // The removed anchor doesn't come back by itself.
    assert_eq!(outcomes(&export(&bob, &[])), ["kept b"]);
    assert_eq!(outcomes(&export(&bob, &["b", "--replace"])), ["added b"]);
    // On a branch without the file, nothing counts as removed.
    ann.remove(FILE).remove("runbooks/look.yaml");
    assert_eq!(outcomes(&export(&ann, &[])), ["added a", "added look"]);
}

#[test]
fn older_branch_reverts_nothing() {
    let (ann, _) = team();
    ann.run_git(&["branch", "older"]);
    save(&ann, &[anchor("a", "src/a.rs:5-6")]);
    export(&ann, &[]);
    ann.commit("a");
    ann.run_git(&["checkout", "--quiet", "older"]);
    let done = import(&ann, &[]);
    assert_eq!(outcomes(&done), ["kept a"]);
    assert!(
        done["entries"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("older")
    );
    assert_eq!(outcomes(&export(&ann, &[])), ["updated a"]);
}

#[test]
fn partial_export_includes_dependencies() {
    let ann = repository();
    save(
        &ann,
        &[
            anchor("a", "src/a.rs:3-9"),
            anchor("b", "lib/b.rs:1-4"),
            runbook("look", "a"),
        ],
    );
    assert_eq!(
        outcomes(&export(&ann, &["look"])),
        ["added a", "added look"]
    );
    let unknown = ann.windlass(&["notebook", "export", "lok"]).exits_with(3);
    assert!(
        unknown.stderr.contains("did you mean `look`?"),
        "{}",
        unknown.stderr
    );
    ann.windlass(&["notebook", "import", "b"]).exits_with(3);
    assert_eq!(outcomes(&export(&ann, &["b"])), ["added b"]);
}

#[test]
fn secrets_and_local_paths_are_not_shared() {
    let ann = repository();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let here = ann.root().to_str().unwrap();
    let labelled = |id: &str, label: &str| {
        format!(
            r#"{{"op":"upsert_anchor","anchor":{{"id":"{id}","at":["src/a.rs:1"],"label":"{label}"}}}}"#
        )
    };
    let leaking = runbook("leaking", "good").replace("# why", &format!("# {token}"));
    save(
        &ann,
        &[
            labelled("good", "fine"),
            labelled("token", "use TOKEN"),
            labelled("here", &format!("see {here}/notes")),
            anchor("private", "lib/b.rs:1"),
            leaking,
        ],
    );
    // The notebook refuses secrets, but its file may be edited by hand.
    let notebook = file(&ann);
    let text = std::fs::read_to_string(&notebook).unwrap();
    std::fs::write(
        &notebook,
        text.replace("use TOKEN", &format!("use {token}")),
    )
    .unwrap();
    // A file can become secret after it was anchored.
    ann.write(".windlass/secrets", "lib/**\n");
    let done = export(&ann, &[]);
    assert_eq!(
        outcomes(&done),
        [
            "added good",
            "left_out here",
            "left_out private",
            "left_out token",
            "left_out leaking"
        ]
    );
    let text = ann.read(FILE);
    for private in [token.as_str(), here, "lib/b.rs"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    assert!(!ann.root().join("runbooks/leaking.yaml").exists());

    // An import doesn't anchor secret files.
    let bob = repository();
    let text = text.replace("src/a.rs", ".env");
    bob.write(FILE, text).write(".env", "KEY=x\n");
    assert_eq!(outcomes(&import(&bob, &[])), ["left_out good"]);
    let told = ann
        .read(FILE)
        .replace("\"fine\"", &format!("\"use {token}\""));
    bob.write(FILE, told);
    assert_eq!(outcomes(&import(&bob, &[])), ["left_out good"]);
    // An import also refuses everything that `anchor add` refuses.
    bob.write(
        FILE,
        ann.read(FILE).replace(
            "\"id\": \"good\",",
            "\"id\": \"good\", \"zone\": [\"src/{\"],",
        ),
    );
    assert_eq!(outcomes(&import(&bob, &[])), ["left_out good"]);
    assert!(anchors(&bob).is_empty());
}

#[test]
fn damaged_file_is_refused_on_both_sides() {
    let (ann, _) = team();
    save(&ann, &[anchor("c", "src/a.rs:30")]);
    let good = ann.read(FILE);
    let newer = good.replace("\"schema_version\": 1", "\"schema_version\": 2");
    let merged = good.replacen(
        "    {\n",
        "<<<<<<< HEAD\n    {\n=======\n>>>>>>> other\n",
        1,
    );
    let cut = good[..good.len() / 2].to_owned();
    let outside = good.replace("src/a.rs", "/etc/passwd");
    for (text, says) in [
        (newer, "update windlass"),
        (merged, "unresolved merge conflict"),
        (cut, "EOF"),
        (outside, "is absolute"),
        (String::new(), "EOF"),
    ] {
        ann.write(FILE, &text);
        let revision = std::fs::read(crate::file(&ann)).unwrap();
        for command in ["import", "export"] {
            for replace in [&[][..], &["--replace"]] {
                let args = [&["notebook", command], replace].concat();
                let refused = ann.windlass(&args).exits_with(2);
                for said in [says, ".windlass/anchors.json:"] {
                    assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
                }
            }
        }
        ann.windlass(&["check", FILE]).exits_with(2);
        let all = ann.windlass(&["check"]).exits_with(2);
        assert!(all.stderr.contains(says), "{}", all.stderr);
        assert_eq!(ann.read(FILE), text);
        assert_eq!(std::fs::read(crate::file(&ann)).unwrap(), revision);
    }
    let not_utf8 = [good.as_bytes(), b"\xff"].concat();
    ann.write(FILE, &not_utf8);
    ann.windlass(&["notebook", "export"]).exits_with(2);
    assert_eq!(std::fs::read(ann.root().join(FILE)).unwrap(), not_utf8);
    ann.remove(FILE);
    let missing = ann.windlass(&["notebook", "import"]).exits_with(3);
    assert!(
        missing.stderr.contains("windlass notebook export"),
        "{}",
        missing.stderr
    );
}

#[test]
fn damaged_notebook_removes_nothing() {
    let (ann, _) = team();
    let path = crate::file(&ann);
    let text = std::fs::read_to_string(&path).unwrap();
    // One of the two anchors is unreadable now.
    std::fs::write(&path, text.replace("{\"id\":\"a\"", "{\"id\":\"a\"x")).unwrap();
    let done = ann.windlass(&["notebook", "export"]).succeeds();
    assert!(
        done.stdout.contains("= anchor a: the notebook is damaged"),
        "{}",
        done.stdout
    );
    assert!(ann.read(FILE).contains("\"id\": \"a\""));

    // It's still the same later, after the readable part was saved again without the damaged entry.
    std::fs::write(&path, text.replace("{\"id\":\"a\"", "{\"id\":\"a\"x")).unwrap();
    save(&ann, &[anchor("c", "src/a.rs:30")]);
    let done = export(&ann, &[]);
    assert_eq!(outcomes(&done), ["added c"]);
    assert!(ann.read(FILE).contains("\"id\": \"a\""));
    assert_eq!(outcomes(&import(&ann, &[])), ["added a"]);
}

#[test]
fn notebook_only_entries_are_located() {
    let (ann, bob) = team();
    save(&ann, &[r#"{"op":"delete_runbook","id":"look"}"#.to_owned()]);
    ann.remove("runbooks/look.yaml");
    save(&ann, &[r#"{"op":"delete_anchor","id":"a"}"#.to_owned()]);
    export(&ann, &[]);
    ann.commit("without a");
    pull(&bob, &ann);
    save(&bob, &[anchor("own", "src/a.rs:40")]);
    let asked = bob
        .windlass(&["notebook", "import", "--replace", "a"])
        .succeeds();
    assert!(
        asked.stdout.contains("no longer has it"),
        "{}",
        asked.stdout
    );
    let asked = bob.windlass(&["notebook", "import", "own"]).exits_with(3);
    assert!(
        asked.stderr.contains("only in your notebook"),
        "{}",
        asked.stderr
    );
    bob.windlass(&["notebook", "import", "nowhere"])
        .exits_with(3);
}

#[test]
fn absolute_zones_and_homes_stay_local() {
    let ann = repository();
    let with = |id: &str, field: &str| {
        format!(r#"{{"op":"upsert_anchor","anchor":{{"id":"{id}","at":["src/a.rs:1"],{field}}}}}"#)
    };
    save(
        &ann,
        &[
            with("home", r#""label":"see /root/.netrc""#),
            with("route", r#""label":"GET /api/home/users""#),
            with("zone", r#""zone":["/root/x/**"]"#),
            with("zoned", r#""zone":["src/**"]"#),
        ],
    );
    let done = export(&ann, &[]);
    assert_eq!(
        outcomes(&done),
        [
            "left_out home",
            "added route",
            "left_out zone",
            "added zoned"
        ]
    );
    let text = ann.read(FILE);
    assert!(!text.contains("/root/"), "{text}");
}

#[test]
fn rollback_does_not_conflict_with_export() {
    let (ann, bob) = team();
    save(&ann, &[anchor("a", "src/a.rs:20-25")]);
    export(&ann, &[]);
    let theirs = ann.read(FILE);
    ann.windlass(&["notebook", "rollback", "1"]).succeeds();
    // The exported version is known to be older than the rollback.
    assert_eq!(outcomes(&import(&ann, &[])), ["kept a"]);
    assert_eq!(outcomes(&export(&ann, &[])), ["updated a"]);
    assert_ne!(ann.read(FILE), theirs);

    // Rolling back to a revision before the import takes nothing away from the others.
    bob.windlass(&["notebook", "rollback", "0"]).succeeds();
    save(&bob, &[anchor("d", "src/a.rs:40")]);
    assert_eq!(outcomes(&export(&bob, &[])), ["added d"]);
}

#[cfg(unix)]
#[test]
fn links_are_never_followed() {
    use std::os::unix::fs::symlink;
    let (ann, _) = team();
    let outside = ann.outside();
    let target = outside.join("anchors.json");
    std::fs::write(&target, ann.read(FILE)).unwrap();
    save(&ann, &[anchor("c", "src/a.rs:30"), runbook("more", "c")]);
    let link = |from: &std::path::Path, path: &str| {
        let path = ann.root().join(path);
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_dir_all(&path);
        symlink(from, path).unwrap();
    };
    link(&target, FILE);
    ann.windlass(&["notebook", "import"]).exits_with(4);
    ann.windlass(&["notebook", "export"]).exits_with(4);
    link(&outside, ".windlass");
    ann.windlass(&["notebook", "import"]).exits_with(1);
    ann.windlass(&["notebook", "export"]).exits_with(1);
    // The same is true for links within the repository.
    std::fs::remove_file(ann.root().join(".windlass")).unwrap();
    ann.write(FILE, std::fs::read(&target).unwrap())
        .write("elsewhere/look.yaml", ann.read("runbooks/look.yaml"));
    link(&ann.root().join("elsewhere"), "runbooks");
    ann.windlass(&["notebook", "export"]).exits_with(4);
    assert_eq!(
        ann.read(FILE).into_bytes(),
        std::fs::read(&target).unwrap(),
        "all or nothing"
    );
    for folder in [outside, ann.root().join("elsewhere")] {
        let names: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }
}

#[test]
fn blocked_runbook_export_is_reported() {
    let ann = repository();
    save(
        &ann,
        &[
            anchor("a", "src/a.rs:1"),
            runbook("look", "a"),
            runbook("Look", "a"),
        ],
    );
    ann.write("runbooks/look.yaml", "schema_version: 1\nid: other\nsteps:\n  - { id: s, uses: files }\noutputs: [{ id: s, from: s }]\n");
    let done = export(&ann, &[]);
    assert_eq!(
        outcomes(&done),
        ["added a", "left_out Look", "left_out look"]
    );
    // Git ignores the file.
    ann.write(".gitignore", ".windlass/\n").remove(FILE);
    let warned = ann.windlass(&["notebook", "export"]).succeeds();
    assert!(
        warned.stderr.contains("is ignored by git"),
        "{}",
        warned.stderr
    );
}

#[test]
fn disabled_notebook_shares_nothing() {
    let (ann, _) = team();
    for command in ["export", "import"] {
        let mut command = ann.command(ann.root(), &["notebook", command]);
        crate::support::answer(command.env("WINDLASS_NOTEBOOK", "off")).exits_with(4);
    }
}

#[test]
fn check_validates_shared_files() {
    let (ann, _) = team();
    let checked = ann.windlass(&["check", FILE]).succeeds();
    assert_eq!(checked.stdout, format!("{FILE}: valid\n"));
    ann.write("t.json", format!("[{}]", anchor("a", "src/a.rs:1")))
        .write(
            "t.yaml",
            "operations:\n  - { op: delete_ancor, id: a }\n  - { op: delete_anchor }\n",
        )
        .write(
            "drafts/mine.json",
            ann.read(FILE).replace("\"label\"", "\"lable\""),
        );
    ann.windlass(&["check", "t.json"]).succeeds();
    let refused = ann.windlass(&["check", "t.yaml"]).exits_with(2);
    for said in ["did you mean `delete_anchor`?", "`id` is missing"] {
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    let refused = ann.windlass(&["check", "drafts/mine.json"]).exits_with(2);
    assert!(
        refused.stderr.contains("missing field `label`"),
        "{}",
        refused.stderr
    );
}
