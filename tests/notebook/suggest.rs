use serde_json::Value;

use crate::support::Sandbox;

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "Cargo.toml",
            "[package]\nname = \"winch\"\nversion = \"1.0.0\"\n",
        )
        .write("src/main.rs", "fn main() {\n    println!(\"x\");\n}\n")
        .write("src/lib.rs", "pub mod a;\npub mod b;\n")
        .write("Makefile", "test:\n\tcargo test\n")
        .write(
            ".github/workflows/ci.yml",
            "on: pull_request\njobs:\n  test:\n    steps:\n      - run: cargo test\n",
        );
    sandbox
}

#[test]
fn suggestions_are_applied_and_undone() {
    let sandbox = repository();
    let suggest = |args: &[&str]| {
        let args = [
            &[
                "notebook",
                "suggest",
                "--format",
                "json",
                "--max-chars",
                "50000",
            ],
            args,
        ]
        .concat();
        sandbox.windlass(&args).succeeds()
    };
    let found = suggest(&[]).json();
    assert_eq!(found["total"], 4, "{found}");
    let first = &found["suggestions"][0];
    assert_eq!(first["operation"]["op"], "upsert_anchor");
    assert_eq!(
        first["operation"]["anchor"]["evidence"][0]["file"],
        "src/main.rs"
    );
    let digest = found["digest"].as_str().unwrap();

    let preview = sandbox
        .windlass(&["notebook", "apply", "--dry-run"])
        .succeeds();
    assert!(
        preview.stdout.contains("+ anchor start-winch"),
        "{}",
        preview.stdout
    );
    let nothing = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .json();
    assert_eq!(nothing["total"], 0);

    // An anchor saved by the user is left alone.
    sandbox
        .windlass(&[
            "anchor",
            "add",
            "start-winch",
            "Makefile:1",
            "--label",
            "mine",
        ])
        .succeeds();
    let applied = sandbox.windlass(&["notebook", "apply", "--digest", digest, "--format", "json"]);
    let applied = applied.succeeds().json();
    assert_eq!(applied["kept"], serde_json::json!(["start-winch"]));
    let mine = sandbox
        .windlass(&["anchor", "show", "start-winch", "--format", "json"])
        .json();
    assert_eq!(mine["anchors"][0]["anchor"]["label"], "mine");

    // A second run has nothing to do.
    let again = sandbox
        .windlass(&["notebook", "apply", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(again["before"], again["revision"]);

    let before = applied["before"].to_string();
    sandbox
        .windlass(&["notebook", "rollback", &before])
        .succeeds();
    let left = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .json();
    // The anchor that was saved by hand survives the rollback.
    assert_eq!(left["total"], 1);

    // With other files there are other suggestions, so the digest is out of date.
    sandbox.edit("src/lib.rs", "pub mod b;", "pub mod b;\npub mod c;");
    let stale = sandbox
        .windlass(&["notebook", "apply", "--digest", digest])
        .exits_with(5);
    assert!(
        stale.stderr.contains("nothing was saved"),
        "{}",
        stale.stderr
    );
}

#[test]
fn suggested_operations_are_a_transaction() {
    let sandbox = repository();
    let found = sandbox
        .windlass(&[
            "notebook",
            "suggest",
            "--format",
            "json",
            "--max-chars",
            "50000",
        ])
        .succeeds()
        .json();
    let operations = found["suggestions"].as_array().unwrap().iter();
    let operations: Vec<&Value> = operations.map(|one| &one["operation"]).collect();
    sandbox.write(
        "t.json",
        serde_json::json!({ "operations": operations }).to_string(),
    );
    sandbox.windlass(&["notebook", "edit", "t.json"]).succeeds();
}

#[test]
fn pages_list_each_suggestion_once() {
    let sandbox = repository();
    let mut names = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec![
            "notebook",
            "suggest",
            "--format",
            "json",
            "--max-chars",
            "1800",
        ];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let answer = sandbox.windlass(&args).succeeds();
        assert!(answer.stdout.chars().count() <= 1800);
        let page = answer.json();
        let shown = page["suggestions"].as_array().unwrap();
        names.extend(
            shown
                .iter()
                .map(|one| one["id"].as_str().unwrap().to_owned()),
        );
        match page.get("next_cursor") {
            Some(next) => cursor = next.as_str().map(str::to_owned),
            None => break,
        }
    }
    assert_eq!(
        names,
        [
            "start-winch",
            "api-winch",
            "gate-ci-test",
            "build-make-test",
        ]
    );
    sandbox
        .windlass(&["notebook", "suggest", "--max-chars", "40"])
        .exits_with(2);
}

#[test]
fn pack_without_anchors_names_one_call() {
    let sandbox = repository();
    let text = |ids: &str| {
        format!(
            "schema_version: 1\nid: r\nsteps:\n  - {{ id: a, uses: anchors, with: {{ {ids} }} }}\n  - {{ id: b, uses: anchors, with: \
             {{ kinds: [ci] }} }}\noutputs: [{{ id: a, from: a }}, {{ id: b, from: b }}]\n"
        )
    };
    let run = || {
        sandbox
            .windlass(&["run", "r", "--format", "json"])
            .succeeds()
            .json()
    };
    let next = |pack: &Value| {
        let next = pack["next_actions"].as_array().unwrap();
        assert_eq!(next.len(), 1, "{next:?}");
        next[0]["tool"].as_str().unwrap().to_owned()
    };
    for ids in ["", "ids: [start-winch]"] {
        sandbox.write("runbooks/r.yaml", text(ids));
        assert_eq!(next(&run()), "suggest");
    }
    assert_eq!(run()["sections"][1]["reason"], "no anchors are saved yet");
    // Other runbooks and replays mention the call too, but not if the notebook is off.
    sandbox.write("runbooks/other.yaml", "schema_version: 1\nid: other\nsteps:\n- { id: all, uses: files }\noutputs:\n- { id: all, from: all }\n");
    let other = ["run", "other", "--format", "json"];
    assert_eq!(next(&sandbox.windlass(&other).succeeds().json()), "suggest");
    let replay = ["runs", "replay", "--format", "json"];
    assert_eq!(
        next(&sandbox.windlass(&replay).succeeds().json()),
        "suggest"
    );
    let mut off = sandbox.command(sandbox.root(), &other);
    let off = crate::support::answer(off.env("WINDLASS_NOTEBOOK", "off"));
    let off = off.succeeds().json();
    assert_eq!(off.get("next_actions"), None);
    // Shared anchors take precedence over suggestions.
    sandbox.windlass(&["notebook", "apply"]).succeeds();
    sandbox.windlass(&["notebook", "export"]).succeeds();
    assert_eq!(run().get("next_actions"), None);
    sandbox.windlass(&["notebook", "rollback", "0"]).succeeds();
    assert_eq!(next(&run()), "notebook import");
    sandbox.windlass(&["notebook", "import"]).succeeds();
    assert_eq!(run().get("next_actions"), None);
}

#[test]
fn declined_suggestions_are_not_recommended() {
    let sandbox = repository();
    sandbox.write("runbooks/r.yaml", "schema_version: 1\nid: r\nsteps:\n- { id: all, uses: anchors }\noutputs:\n- { id: all, from: all }\n");
    sandbox
        .windlass(&["suggest", "--apply", "gate-ci-test"])
        .succeeds();
    sandbox
        .windlass(&["anchor", "remove", "gate-ci-test"])
        .succeeds();
    let pack = sandbox.windlass(&["run", "r", "--format", "json"]);
    let pack = pack.succeeds().json();
    assert_eq!(pack["sections"][0]["reason"], "no anchors are saved yet");
    assert_eq!(pack.get("next_actions"), None);
}

#[test]
fn suggested_anchor_follows_until_edited() {
    let sandbox = repository();
    sandbox.commit("x");
    sandbox.windlass(&["notebook", "apply"]).succeeds();
    let apply = || {
        let applied = sandbox.windlass(&["notebook", "apply", "--format", "json"]);
        applied.succeeds().json()
    };
    assert_eq!(apply()["anchors"], serde_json::json!({}));
    let line = |id: &str| {
        let shown = sandbox.windlass(&["anchor", "show", id, "--format", "json"]);
        shown.succeeds().json()["anchors"][0]["anchor"]["evidence"][0]["start_line"].clone()
    };
    // One anchor moves. The user gave the other one a label, so it stays at its old location.
    let label = r#"[{"op":"upsert_anchor","anchor":{"id":"build-make-test","label":"mine"}}]"#;
    crate::edit(&sandbox, label, &[]).succeeds();
    sandbox
        .edit("src/main.rs", "fn main", "// new\n\nfn main")
        .edit("Makefile", "test:", "# new\n\ntest:");
    let dry = sandbox
        .windlass(&["notebook", "apply", "--dry-run"])
        .succeeds();
    assert!(
        dry.stdout.contains("~ anchor start-winch\n"),
        "{}",
        dry.stdout
    );
    let applied = apply();
    assert_eq!(
        applied["anchors"],
        serde_json::json!({ "start-winch": "replaced" })
    );
    assert_eq!(
        (line("start-winch"), line("build-make-test")),
        (3.into(), 1.into())
    );
    // The anchor still follows after export and import.
    sandbox.windlass(&["notebook", "export"]).succeeds();
    sandbox.windlass(&["notebook", "rollback", "0"]).succeeds();
    sandbox.windlass(&["notebook", "import"]).succeeds();
    sandbox.edit("src/main.rs", "// new\n", "");
    assert_eq!(apply()["anchors"]["start-winch"], "replaced");
    assert_eq!(line("start-winch"), 2);
    // An anchor captured again by the user is no longer updated.
    let again = [
        "anchor",
        "add",
        "start-winch",
        "src/main.rs:1-2",
        "--replace",
    ];
    sandbox.windlass(&again).succeeds();
    assert_eq!(apply()["anchors"], serde_json::json!({}));
}

#[test]
fn filtered_suggestions_apply_as_filtered() {
    let sandbox = repository();
    let listed = sandbox
        .windlass(&["notebook", "suggest", "-k", "ci", "--format", "json"])
        .succeeds()
        .json();
    let ids: Vec<&str> = listed["suggestions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["gate-ci-test"]);
    let call = &listed["next_actions"][0];
    assert_eq!(call["tool"], "suggest");
    assert_eq!(call["args"]["apply"], serde_json::json!(ids));
    let digest = call["args"]["digest"].as_str().unwrap();
    let args = ["suggest", "--apply", "gate-ci-test", "--digest", digest];
    let applied = sandbox.windlass(&args).succeeds();
    assert_eq!(applied.stdout, "+ anchor gate-ci-test\n");
}

#[test]
fn deleted_suggestion_returns_only_by_name() {
    let sandbox = repository();
    sandbox.windlass(&["notebook", "apply"]).succeeds();
    let suggest = || {
        let listed = sandbox.windlass(&["notebook", "suggest", "--format", "json"]);
        let listed = listed.succeeds().json();
        let told = ["total", "saved", "declined"].map(|field| listed[field].to_string());
        told.join(" ")
    };
    assert_eq!(suggest(), "0 4 null");

    sandbox
        .windlass(&["anchor", "remove", "gate-ci-test"])
        .succeeds();
    assert_eq!(suggest(), r#"0 3 ["gate-ci-test"]"#);
    let again = sandbox.windlass(&["notebook", "apply"]).succeeds();
    assert!(
        again.stdout.contains("! gate-ci-test was removed before"),
        "{}",
        again.stdout
    );
    assert!(!again.stdout.contains("+ "), "{}", again.stdout);

    let named = ["notebook", "apply", "gate-ci-test"];
    let named = sandbox.windlass(&named).succeeds().stdout;
    assert_eq!(named, "+ anchor gate-ci-test\n");
    assert_eq!(suggest(), "0 4 null");
}

#[test]
fn place_saved_under_another_name_is_not_suggested() {
    let sandbox = repository();
    let add = ["anchor", "add", "begin", "src/main.rs:1-3"];
    sandbox.windlass(&add).succeeds();
    let found = sandbox.windlass(&["suggest"]).succeeds().stdout;
    assert!(
        !found.contains("start-winch") && found.contains("3 suggested"),
        "{found}"
    );
}
