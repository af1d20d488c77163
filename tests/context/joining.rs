use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::{GOAL, built, names, sample};

#[test]
fn merge_order_does_not_matter() {
    let sandbox = sample();
    let one = built(
        &sandbox,
        &[
            "--node",
            "a",
            "--constraint",
            "deps=none",
            "--decision",
            "D1=x",
        ],
    );
    let two = built(
        &sandbox,
        &[
            "--node",
            "b",
            "--constraint",
            "deps=few",
            "--file",
            "src/other.rs",
        ],
    );
    let (one, two) = (
        one["packId"].as_str().unwrap(),
        two["packId"].as_str().unwrap(),
    );
    let merged = |packs: &[&str]| -> Value {
        let args = [&["pack", "merge", "--format", "json"], packs].concat();
        sandbox.windlass(&args).succeeds().json()
    };
    let pack = merged(&[one, two]);
    let text = sandbox.windlass(&["pack", "merge", one, two]).succeeds();
    let ids = [one, two].map(|id| &id[..8]);
    assert!(
        text.stdout
            .lines()
            .any(|line| line.contains("merged from") && ids.iter().all(|id| line.contains(id))),
        "{}",
        text.stdout
    );
    assert_eq!(pack["packId"], merged(&[two, one])["packId"]);
    // The same goes for a pack given twice, or one that's already part of the merged pack.
    assert_eq!(pack["packId"], merged(&[two, one, two])["packId"]);
    assert_eq!(
        pack["packId"],
        merged(&[pack["packId"].as_str().unwrap(), one])["packId"]
    );
    assert_eq!(pack["conflicts"][0]["item"], "constraints/deps");
    assert_eq!(pack["conflicts"][0]["values"], json!(["few", "none"]));
    assert!(names(&pack, "/relevantFiles", "path").contains(&"src/other.rs"));
    assert_eq!(names(&pack, "/decisions", "id"), ["D1"]);
    sandbox
        .windlass(&["pack", "rebuild", pack["packId"].as_str().unwrap()])
        .succeeds();
}

#[test]
fn merge_waits_or_follows_policy() {
    let sandbox = sample();
    let one = built(&sandbox, &["--node", "a"]);
    let id = one["packId"].as_str().unwrap();
    let waits = sandbox
        .windlass(&["pack", "merge", id, "--expect", "3"])
        .exits_with(1);
    assert!(
        waits.stderr.contains("1 of 3 have arrived"),
        "{}",
        waits.stderr
    );
    let payload = sandbox
        .windlass(&[
            "pack",
            "merge",
            id,
            "--expect",
            "3",
            "--policy",
            "any",
            "--node",
            "j",
            "--edge",
            "e",
            "--payload",
        ])
        .succeeds()
        .json();
    assert_eq!(
        (&payload["kind"], &payload["fromNodeId"], &payload["edgeId"]),
        (&json!("join"), &json!("j"), &json!("e"))
    );
    assert_eq!(payload["structured"]["joinStatus"], "partial");
    assert_eq!(payload["provenance"]["inputs"][0]["payloadId"], *id);
    sandbox.write("payload.json", payload.to_string());
    sandbox.windlass(&["check", "payload.json"]).succeeds();
    // A payload names its pack.
    let next = sandbox
        .windlass(&["pack", "merge", "payload.json", id, "--payload"])
        .succeeds()
        .json();
    assert!(next["structured"]["aggregated"][1]["payloadId"].is_string());
    sandbox
        .windlass(&["pack", "merge", id, "--policy", "most"])
        .exits_with(2);
}

#[test]
fn merged_files_use_their_own_dates() {
    let sandbox = sample();
    let given = |name: &str, goal: &str, at: &str| {
        let args = ["pack", "build", goal, "--format", "json"];
        let mut pack: Value = sandbox.windlass(&args).succeeds().json();
        pack["createdAt"] = json!(at);
        sandbox.write(name, pack.to_string());
    };
    given("one.json", GOAL, "2026-01-01T10:00:00Z");
    given("two.json", "another goal", "2026-01-01T10:00:20Z");
    let args = ["pack", "merge", "one.json", "two.json", "--payload"];
    let policy = ["--expect", "3", "--policy", "any"];
    let first = sandbox.windlass(&[&args[..], &policy].concat());
    let inputs = &first.succeeds().json()["provenance"]["inputs"];
    // The pack with the earliest `createdAt` is used, although both were stored just now.
    assert_eq!(inputs.as_array().map(Vec::len), Some(1));
    assert_eq!(inputs[0]["ts"], "2026-01-01T10:00:00Z");
}

#[test]
fn cut_pack_file_resolves_to_stored_pack() {
    let sandbox = sample();
    let whole = built(&sandbox, &[]);
    let shown = sandbox
        .windlass(&[
            "pack",
            "build",
            GOAL,
            "--format",
            "json",
            "--max-chars",
            "2200",
        ])
        .succeeds();
    assert_eq!(shown.json()["packId"], whole["packId"]);
    assert!(shown.json().get("truncation").is_some(), "{}", shown.stdout);
    sandbox.write("view.json", &shown.stdout);
    let other = built(&sandbox, &["--decision", "D=x"]);
    let other = other["packId"].as_str().unwrap();
    let by_view = sandbox
        .windlass(&["pack", "merge", "view.json", other, "--format", "json"])
        .succeeds()
        .json();
    let by_id = sandbox
        .windlass(&[
            "pack",
            "merge",
            whole["packId"].as_str().unwrap(),
            other,
            "--format",
            "json",
        ])
        .succeeds()
        .json();
    assert_eq!(by_view["packId"], by_id["packId"]);
    // Another user only has the cut file.
    let clone = sandbox.cloned();
    clone.write("view.json", &shown.stdout);
    let refused = clone
        .windlass(&["pack", "merge", "view.json"])
        .exits_with(3);
    assert!(refused.stderr.contains("--out FILE"), "{}", refused.stderr);
    clone.windlass(&["pack", "show", "view.json"]).succeeds();
}

#[test]
fn foreign_pack_secrets_are_replaced() {
    let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let sandbox = sample();
    let mut foreign = built(&sandbox, &[]);
    foreign.as_object_mut().unwrap().remove("schema_version");
    foreign["goal"] = json!(format!("Retry with {token}"));
    foreign["constraints"] = json!({ "log in": token });
    sandbox.write("foreign.json", foreign.to_string());
    let own = built(&sandbox, &["--node", "b"]);
    let args = [
        "pack",
        "merge",
        "foreign.json",
        own["packId"].as_str().unwrap(),
        "--out",
        "merged.json",
    ];
    sandbox.windlass(&args).succeeds();
    let merged = sandbox.read("merged.json");
    assert!(merged.contains("[redacted:github-token]"), "{merged}");
    assert!(!merged.contains(&token));
    let kept = sandbox.home().join(".local/state/windlass");
    assert!(!super::building::folder_contains(&kept, &token));
}

#[test]
fn quorum_counts_distinct_packs() {
    let sandbox = sample();
    let one = built(&sandbox, &["--node", "a"]);
    let two = built(&sandbox, &["--node", "b"]);
    let (one, two) = (
        one["packId"].as_str().unwrap(),
        two["packId"].as_str().unwrap(),
    );
    // The same pack counts once, however often it's given.
    for names in [&[one][..], &[one, one, one]] {
        let args = [&["pack", "merge", "--policy", "quorum:2"], names].concat();
        let waits = sandbox.windlass(&args).exits_with(1);
        assert!(waits.stderr.contains("1 of 2"), "{}", waits.stderr);
    }
    let both = sandbox
        .windlass(&["pack", "merge", "--policy", "quorum:2", one, two])
        .succeeds();
    assert!(!both.stderr.contains("skipped"), "{}", both.stderr);
    // With `any`, packs that weren't needed are reported.
    let first = sandbox
        .windlass(&["pack", "merge", "--policy", "any", one, two])
        .succeeds();
    let told = [one, two].map(|id| {
        let left = format!("1 pack joined by `any`; skipped: {id}");
        first.stderr.contains(&left) && !first.stdout.contains(id)
    });
    assert_eq!(
        told.iter().filter(|told| **told).count(),
        1,
        "{}",
        first.stderr
    );
}

#[test]
fn merged_states_of_file_rebuild() {
    // The hashes decide which state is shown. Among six texts, each state is shown at least once.
    for variant in 0..6 {
        let sandbox = Sandbox::git();
        let plan = format!("# Plan\n\n## Retries\nWe retry {variant}.\n\n## Other\nOld text.\n");
        sandbox.write("docs/PLAN.md", plan).commit("one");
        let one = built(&sandbox, &["--node", "a"]);
        sandbox.edit("docs/PLAN.md", "Old text", "New text");
        let two = built(&sandbox, &["--node", "b"]);
        let ids = [&one, &two].map(|pack| pack["packId"].as_str().unwrap());
        let args = ["pack", "merge", ids[0], ids[1], "--format", "json"];
        let merged = sandbox.windlass(&args).succeeds().json();
        let shown = merged["docRefs"][0]["excerpt"].as_str().unwrap();
        let own = match shown.contains("New text") {
            true => &two,
            false => &one,
        };
        let origin = |pack: &Value| {
            let mut items = pack["provenance"]["items"].as_array().unwrap().iter();
            let own = items.find(|it| it["item"] == "docRefs/docs/PLAN.md");
            own.unwrap()["source"].clone()
        };
        assert_eq!(origin(&merged), origin(own), "{merged}");
        let id = merged["packId"].as_str().unwrap();
        sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    }
}

#[test]
fn dangling_origins_are_dropped() {
    let sandbox = sample();
    let own = built(&sandbox, &[]);
    let mut foreign = json!({
        "packId": "3f0d1c5e-9b7a-4c5d-8f11-2a3b4c5d6e7f", "goal": GOAL, "definitionOfDone": [],
        "globalMode": "implementation", "docsRoot": "docs", "docRefs": [],
    });
    foreign["provenance"] = json!({ "items": [
        { "item": "relevantFiles/src/gone.rs", "source": { "kind": "file", "path": "src/gone.rs", "hash": "sha256:1" } },
    ] });
    sandbox.write("foreign.json", foreign.to_string());
    let checked = sandbox.windlass(&["check", "foreign.json"]).succeeds();
    assert!(
        checked.stderr.contains("dangling-origin"),
        "{}",
        checked.stderr
    );
    let id = own["packId"].as_str().unwrap();
    let args = ["pack", "merge", id, "foreign.json", "--out", "merged.json"];
    let merged = sandbox.windlass(&args).succeeds();
    assert!(
        merged.stderr.contains("`relevantFiles/src/gone.rs`"),
        "{}",
        merged.stderr
    );
    assert!(!sandbox.read("merged.json").contains("src/gone.rs"));
}

#[test]
fn decision_conflict_shows_both_values() {
    let sandbox = sample();
    built(&sandbox, &["--decision", "db=Postgres", "--out", "a.json"]);
    built(&sandbox, &["--decision", "db=SQLite", "--out", "b.json"]);
    let from = ["--from", "a.json", "--from", "b.json"];
    let pack = built(&sandbox, &from);
    assert_eq!(pack["decisions"][0]["summary"], "Postgres");
    let conflict = &pack["conflicts"][0];
    assert_eq!(conflict["item"], "decisions/db");
    let said = conflict["values"].as_array().unwrap().iter();
    let said: Vec<_> = said.map(|it| it["summary"].as_str().unwrap()).collect();
    assert_eq!(said, ["Postgres", "SQLite"]);
    // A decision made by this build, or one that all packs agree on, isn't a conflict.
    for more in [&["--decision", "db=SQLite"][..], &["--from", "a.json"]] {
        let pack = built(&sandbox, &[&["--from", "a.json"], more].concat());
        assert!(pack["conflicts"].is_null(), "{pack}");
    }
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "show", id]).succeeds();
}

#[test]
fn merge_names_every_base_commit() {
    let sandbox = sample();
    let first = sandbox.run_git(&["rev-parse", "HEAD"]);
    sandbox
        .edit("src/other.rs", "unrelated", "related")
        .commit("two");
    let second = sandbox.run_git(&["rev-parse", "HEAD"]);
    sandbox.write("new.txt", "new\n");
    built(&sandbox, &["--since", first.trim(), "--out", "a.json"]);
    built(&sandbox, &["--since", second.trim(), "--out", "b.json"]);
    let merged = sandbox
        .windlass(&["pack", "merge", "a.json", "b.json"])
        .succeeds();
    let head = merged
        .stdout
        .lines()
        .find(|line| line.starts_with("What changed"));
    let head = head.unwrap();
    assert!(
        head.contains(&first[..12]) && head.contains(&second[..12]),
        "{head}"
    );
}
