use serde_json::json;

use crate::support::Sandbox;
use crate::{built, failing, sample};

#[test]
fn rebuild_is_byte_identical() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["a"]));
    sandbox.edit("src/retry.rs", "once()", "twice()");
    let pack = built(&sandbox, &["--results", "out.txt", "--out", "one.json"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox
        .windlass(&["pack", "rebuild", id, "--out", "two.json"])
        .succeeds();
    assert_eq!(sandbox.read("one.json"), sandbox.read("two.json"));
    // Contents that the commit still has are read from there.
    sandbox.write("docs/PLAN.md", "# Another\n").commit("two");
    let again = sandbox
        .windlass(&["pack", "rebuild", id, "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(again["reproduced"], true);
    let parts = again["parts"].as_array().unwrap();
    assert!(parts.iter().all(|part| part["state"] == "from_commit"));
    assert!(
        parts
            .iter()
            .any(|part| part["item"] == "docRefs/docs/PLAN.md")
    );
}

#[test]
fn changed_redaction_is_not_changed_text() {
    let sandbox = sample();
    sandbox
        .write("docs/PLAN.md", "# Plan\n\nIt is ticket ACME-123456.\n")
        .commit("two");
    let pack = built(&sandbox, &[]);
    let id = pack["packId"].as_str().unwrap();
    // With this pattern, the number of the ticket counts as a secret from now on.
    sandbox.write(".windlass/redactions", "ticket: ACME-[0-9]{6}\n");
    let again = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    let told = "lines 1-3 of `docs/PLAN.md` differ only in replaced secret values";
    assert!(again.stdout.contains(told), "{}", again.stdout);
}

#[test]
fn unreproducible_parts_are_named() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["a"]));
    sandbox.edit("src/retry.rs", "once()", "twice()");
    let pack = built(&sandbox, &["--results", "out.txt"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox
        .edit("src/retry.rs", "twice()", "never()")
        .remove("out.txt");
    let again = sandbox
        .windlass(&["pack", "rebuild", id, "--format", "json"])
        .exits_with(1)
        .json();
    let told: Vec<&str> = again["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["item"].as_str().unwrap())
        .collect();
    assert_eq!(
        told,
        [
            "artifacts/file:out.txt",
            "delta/failures/a",
            "delta/files/src/retry.rs",
            "relevantFiles/src/retry.rs"
        ]
    );
    assert_ne!(again["rebuiltId"], *id);
    let diff = sandbox.windlass(&["pack", "diff", id, id]).succeeds();
    assert!(diff.stdout.starts_with("0 changed"), "{}", diff.stdout);
}

#[test]
fn changed_source_without_excerpt_is_reported() {
    let sandbox = sample();
    sandbox.write(
        "out.txt",
        "test result: ok. 3 passed; 0 failed; 0 ignored\n",
    );
    let pack = built(&sandbox, &["--results", "out.txt"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    sandbox.write(
        "out.txt",
        "test result: ok. 2 passed; 0 failed; 0 ignored\n",
    );
    let again = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    // The pack quotes no text of the results, so the text is the same, but its source isn't.
    assert!(
        again.stdout.contains("the same text") && again.stdout.contains("artifacts/file:out.txt"),
        "{}",
        again.stdout
    );
}

#[test]
fn changed_results_remove_their_failures() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["a", "b"]));
    let pack = built(&sandbox, &["--results", "out.txt"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.write("out.txt", failing(&["c", "b"]));
    let args = [
        "pack", "rebuild", id, "--format", "json", "--out", "two.json",
    ];
    let again = sandbox.windlass(&args).exits_with(1).json();
    let parts = again["parts"].as_array().unwrap().iter();
    let told: Vec<&str> = parts.map(|it| it["item"].as_str().unwrap()).collect();
    let items = [
        "artifacts/file:out.txt",
        "delta/failures/a",
        "delta/failures/b",
    ];
    // `b` fails as before, but all we know is that the results have changed.
    assert_eq!(told, items);
    assert_eq!(again["parts"][1]["state"], "changed");
    assert_eq!(again["parts"][1]["why"], "`out.txt` changed");
    let now: serde_json::Value = serde_json::from_str(&sandbox.read("two.json")).unwrap();
    assert!(now["delta"]["failures"].is_null(), "{now}");
    assert_ne!(again["rebuiltId"], *id);
}

#[test]
fn packs_resolve_by_prefix_or_file() {
    let sandbox = sample();
    let first = built(&sandbox, &["--constraint", "a=1", "--out", "first.json"]);
    let second = built(&sandbox, &["--constraint", "a=2"]);
    let (one, two) = (
        first["packId"].as_str().unwrap(),
        second["packId"].as_str().unwrap(),
    );
    let diff = sandbox
        .windlass(&["pack", "diff", "first.json", &two[..8], "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(diff["before"], *one);
    assert_eq!(diff["changes"][0]["item"], "constraints/a");
    sandbox
        .windlass(&["pack", "show", "0123456789"])
        .exits_with(3);
    sandbox.windlass(&["pack", "show", "first.json"]).succeeds();
    // The id reveals that a pack was edited by hand.
    sandbox.edit("first.json", "Retry failing", "Ignore failing");
    let checked = sandbox.windlass(&["check", "first.json"]).succeeds();
    assert!(
        checked.stderr.contains("changed-pack"),
        "{}",
        checked.stderr
    );
    let refused = sandbox
        .windlass(&["pack", "merge", "first.json", two])
        .exits_with(1);
    assert!(refused.stderr.contains("packId"), "{}", refused.stderr);
    for args in [
        &["pack", "show", "first.json"][..],
        &["pack", "rebuild", "first.json"],
        &["pack", "diff", "first.json", two],
        &["pack", "build", crate::GOAL, "--from", "first.json"],
        &["pack", "build", crate::GOAL, "--since", "first.json"],
    ] {
        let refused = sandbox.windlass(args).exits_with(1);
        assert!(
            refused.stderr.contains("packId"),
            "{args:?}: {}",
            refused.stderr
        );
        assert!(refused.stdout.is_empty(), "{args:?}: {}", refused.stdout);
    }
}

/// Writes `pack` to `other.json`, with the id that its contents give.
fn reseal(sandbox: &Sandbox, mut pack: serde_json::Value) {
    sandbox.write("other.json", pack.to_string());
    let refused = sandbox.windlass(&["pack", "show", "other.json"]).stderr;
    let id = refused.split_once("contents give ").unwrap().1;
    pack["packId"] = json!(id.split(':').next().unwrap());
    sandbox.write("other.json", pack.to_string());
}

#[test]
fn merge_with_foreign_pack_is_unverified() {
    let sandbox = sample();
    let own = built(&sandbox, &[]);
    let mut other = own.clone();
    other["constraints"] = json!({ "style": "none" });
    // The ID fits the contents, but Windlass has never built this pack.
    reseal(&sandbox, other);
    let id = own["packId"].as_str().unwrap();
    let merge = ["pack", "merge", id, "other.json", "--format", "json"];
    let merged = sandbox.windlass(&merge).succeeds().json();
    let id = merged["packId"].as_str().unwrap();
    let again = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    let told = "unverified   constraints/style; the pack was not built here";
    assert!(again.stdout.contains(told), "{}", again.stdout);
}

#[test]
fn resealed_pack_is_not_reproduced() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["a", "b"]));
    let pack = built(
        &sandbox,
        &["--results", "out.txt", "--file", "src/retry.rs"],
    );
    let found = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut other = pack.clone();
        edit(&mut other);
        reseal(&sandbox, other);
        let again = sandbox
            .windlass(&["pack", "rebuild", "other.json"])
            .exits_with(1);
        again.stdout
    };
    type Edit = &'static dyn Fn(&mut serde_json::Value);
    let edits: [(Edit, &str); 5] = [
        (
            &|it| it["relevantFiles"][0]["hash"] = json!("sha256:00"),
            "changed      relevantFiles/src/retry.rs; its hash is not",
        ),
        (
            &|it| it["delta"]["tests"]["failed"] = json!(0),
            "unverified   goal; the pack was not built here",
        ),
        (
            &|it| it["goal"] = json!("Never retry"),
            "unverified   goal; the pack was not built here",
        ),
        (
            &|it| it["delta"]["failures"][0]["summary"] = json!("x"),
            "unverified   delta/failures/a; the pack was not built here",
        ),
        (
            &|it| it["ourOwn"] = json!("x"),
            "no_origin    rest/ourOwn; ",
        ),
    ];
    for (edit, told) in edits {
        let report = found(edit);
        assert!(report.contains(told), "{report}");
    }
}

#[test]
fn resolved_failures_are_verified() {
    let sandbox = sample();
    let run = |a: &str, b: &str| {
        format!(
            "running 2 tests\ntest a ... {a}\ntest b ... {b}\n\ntest result: ok. 1 passed; 0 failed; 1 ignored\n"
        )
    };
    sandbox.write("out.txt", failing(&["a", "b"]));
    let first = built(&sandbox, &["--results", "out.txt"]);
    sandbox.write("out.txt", run("ok", "ok"));
    let since = first["packId"].as_str().unwrap();
    let pack = built(&sandbox, &["--results", "out.txt", "--since", since]);
    assert_eq!(pack["delta"]["resolved"], json!(["a", "b"]));
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    let mended = |text: &str, code: i32| {
        sandbox.write("out.txt", text);
        let again = sandbox.windlass(&["pack", "rebuild", id, "--format", "json"]);
        let parts = again.exits_with(code).json()["parts"].clone();
        let parts = parts.as_array().unwrap().iter();
        let mut own = parts.filter(|part| part["item"] == "delta/resolved");
        let part = own.next().unwrap();
        format!(
            "{}: {}",
            part["state"].as_str().unwrap(),
            part["why"].as_str().unwrap()
        )
    };
    assert_eq!(
        mended(&run("ok", "ignored"), 1),
        "changed: `out.txt` changed"
    );
    sandbox.remove("out.txt");
    let gone = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    assert!(
        gone.stdout.contains("missing      delta/resolved"),
        "{}",
        gone.stdout
    );
}

#[test]
fn definition_of_done_is_verified() {
    let sandbox = sample();
    let many: String = (0..80).map(|at| format!("Line {at} of it.\n")).collect();
    let plan = format!(
        "# Plan\n\nRetries.\n\n## Other\n\n{many}\n## Definition of done\n\n- [ ] invoices are green\n"
    );
    sandbox
        .remove("docs/ACCEPTANCE.md")
        .write("docs/PLAN.md", &plan);
    let pack = built(&sandbox, &[]);
    assert_eq!(
        pack["definitionOfDone"],
        serde_json::json!(["invoices are green"])
    );
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    sandbox.edit("docs/PLAN.md", "invoices are green", "it is on the moon");
    let again = sandbox
        .windlass(&["pack", "rebuild", id, "--format", "json"])
        .exits_with(1)
        .json();
    assert_eq!(again["reproduced"], false);
    let parts = again["parts"].as_array().unwrap();
    let done = parts.iter().find(|part| part["item"] == "definitionOfDone");
    assert_eq!(done.unwrap()["state"], "changed");
    assert_ne!(again["rebuiltId"], *id);
}

#[test]
fn outside_results_are_read_in_place() {
    let sandbox = sample();
    let results = sandbox.outside().join("out.txt");
    std::fs::write(&results, failing(&["a"])).unwrap();
    let pack = built(&sandbox, &["--results", results.to_str().unwrap()]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    // A file of the same name in the repository isn't mistaken for the results.
    sandbox.write("out.txt", "of something else\n");
    let again = sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    assert!(again.stdout.contains("byte for byte"), "{}", again.stdout);
    std::fs::write(&results, failing(&["b"])).unwrap();
    let again = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    assert!(
        again.stdout.contains("changed      delta/failures/a"),
        "{}",
        again.stdout
    );
    std::fs::remove_file(&results).unwrap();
    let gone = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    assert!(
        gone.stdout
            .contains("cannot be verified: some parts cannot be checked")
            && gone.stdout.contains("unverified   delta/failures/a"),
        "{}",
        gone.stdout
    );
}

#[test]
fn merged_pack_hides_outside_paths() {
    let sandbox = sample();
    let results = sandbox.outside().join("out.txt");
    std::fs::write(&results, failing(&["a"])).unwrap();
    let one = built(&sandbox, &["--results", results.to_str().unwrap()]);
    let two = built(&sandbox, &["--file", "src/other.rs"]);
    let ids = [&one, &two].map(|pack| pack["packId"].as_str().unwrap());
    let merge = ["pack", "merge", ids[0], ids[1], "--format", "json"];
    let merged = sandbox.windlass(&merge).succeeds();
    let folder = sandbox.outside();
    assert!(!merged.stdout.contains(folder.to_str().unwrap()));
    let id = merged.json()["packId"].as_str().unwrap().to_owned();
    // The pack doesn't have the path, but Windlass still knows it on this machine.
    sandbox.windlass(&["pack", "rebuild", &id]).succeeds();
    std::fs::write(&results, failing(&["b"])).unwrap();
    sandbox.windlass(&["pack", "rebuild", &id]).exits_with(1);
}

#[test]
fn part_without_origin_is_unverified() {
    let sandbox = sample();
    let foreign = json!({
        "packId": "3f0d1c5e-9b7a-4c5d-8f11-2a3b4c5d6e7f", "goal": "Do it", "definitionOfDone": [],
        "globalMode": "implementation", "docsRoot": "docs",
        "docRefs": [{ "path": "docs/GONE.md", "excerpt": "never was there" }],
        "relevantFiles": [{ "path": "src/a.rs", "excerpt": "fn a() {}" }],
        "provenance": { "items": [{ "item": "relevantFiles/src/a.rs", "source": { "kind": "given" } }] },
    });
    sandbox.write("foreign.json", foreign.to_string());
    let again = sandbox.windlass(&["pack", "rebuild", "foreign.json"]);
    let again = again.exits_with(1).stdout;
    for told in [
        "cannot be verified",
        "no_origin    docRefs/docs/GONE.md",
        "no_origin    relevantFiles/src/a.rs",
    ] {
        assert!(again.contains(told), "{again}");
    }
    // The excerpt has to match the lines named by its origin.
    let mut forged = built(&sandbox, &[]);
    forged["docRefs"][0]["excerpt"] = "# Plan\n\nSomething nobody wrote.".into();
    forged.as_object_mut().unwrap().remove("schema_version");
    sandbox.write("forged.json", forged.to_string());
    let again = sandbox.windlass(&["pack", "rebuild", "forged.json"]);
    let again = again.exits_with(1).stdout;
    let item = format!(
        "changed      docRefs/{}",
        forged["docRefs"][0]["path"].as_str().unwrap()
    );
    assert!(again.contains(&item), "{again}");
}

#[test]
fn memory_decisions_are_verified() {
    let sandbox = sample();
    sandbox.windlass(&["memory", "init"]).succeeds();
    let text = "A failing step is tried three times.";
    let args = [
        "memory",
        "remember",
        "decision",
        crate::GOAL,
        "--id",
        "rb",
        "--text",
        text,
    ];
    sandbox.windlass(&args).succeeds();
    let pack = built(&sandbox, &[]);
    assert_eq!(pack["decisions"][0]["summary"], crate::GOAL);
    let id = pack["packId"].as_str().unwrap();
    let rebuild = |code| {
        let args = ["pack", "rebuild", id, "--out", "again.json"];
        let told = sandbox.windlass(&args).exits_with(code).stdout;
        let again: serde_json::Value = serde_json::from_str(&sandbox.read("again.json")).unwrap();
        (told, again["decisions"].clone())
    };
    assert_eq!(rebuild(0).1, pack["decisions"]);
    let kept = sandbox.read("memory/decisions/rb.md");
    sandbox.write("memory/decisions/rb.md", format!("{kept}\nMore.\n"));
    let (told, decisions) = rebuild(1);
    assert!(told.contains("changed      decisions/rb;"), "{told}");
    assert_eq!(decisions, serde_json::Value::Null);
    sandbox.remove("memory/decisions/rb.md");
    let (told, decisions) = rebuild(1);
    assert!(told.contains("missing      decisions/rb;"), "{told}");
    assert_eq!(decisions, serde_json::Value::Null);
}

#[test]
fn missing_file_is_not_called_changed() {
    let sandbox = sample();
    sandbox.edit("src/other.rs", "unrelated", "related");
    let pack = built(&sandbox, &["--file", "src/retry.rs", "--since", "HEAD"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.remove("src/retry.rs").remove("src/other.rs");
    let again = sandbox
        .windlass(&["pack", "rebuild", id, "--format", "json"])
        .exits_with(1)
        .json();
    let of = |item: &str| {
        let parts = again["parts"].as_array().unwrap();
        let part = parts.iter().find(|it| it["item"] == item).unwrap();
        (
            part["state"].as_str().unwrap(),
            part["why"].as_str().unwrap(),
        )
    };
    let (state, why) = of("relevantFiles/src/retry.rs");
    assert_eq!(state, "from_commit");
    assert!(why.starts_with("the file is missing now; commit "), "{why}");
    // No commit has the edited contents.
    let (state, why) = of("delta/files/src/other.rs");
    assert_eq!(state, "missing");
    assert_eq!(why, "`src/other.rs` is not there, or may not be read");
    // Git knows the new name of the file.
    sandbox.run_git(&["checkout", "-q", "src/retry.rs"]);
    sandbox.run_git(&["mv", "src/retry.rs", "src/again.rs"]);
    let again = sandbox.windlass(&["pack", "rebuild", id]).exits_with(1);
    let told = "the file is called `src/again.rs` now; commit ";
    assert!(again.stdout.contains(told), "{}", again.stdout);
}
