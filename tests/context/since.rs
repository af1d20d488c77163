//! Changes since a pack. They're relative to the files seen by the pack, not to its commit.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::{built, names, sample};

fn id(pack: &Value) -> String {
    pack["packId"].as_str().unwrap().to_owned()
}

fn changed(pack: &Value) -> Vec<(&str, &str)> {
    let paths = names(pack, "/delta/files", "path");
    let statuses = names(pack, "/delta/files", "status");
    let mut changed: Vec<_> = paths.into_iter().zip(statuses).collect();
    // The command orders changes by relevance, which doesn't matter here.
    changed.sort_unstable();
    changed
}

/// Creates a repository with one edited, one new and one deleted file, all uncommitted.
fn with_changes() -> Sandbox {
    let sandbox = sample();
    sandbox.write("src/old.rs", "fn old() {}\n").commit("two");
    sandbox
        .edit("src/retry.rs", "once()", "twice()")
        .write("src/new.rs", "fn new() {}\n")
        .remove("src/old.rs");
    sandbox
}

#[test]
fn uncommitted_state_of_pack_is_no_change() {
    let sandbox = with_changes();
    let first = built(&sandbox, &[]);
    let all = [
        ("src/new.rs", "added"),
        ("src/old.rs", "deleted"),
        ("src/retry.rs", "modified"),
    ];
    assert_eq!(changed(&first), all);
    let id = id(&first);
    let same = built(&sandbox, &["--since", &id]);
    assert_eq!(changed(&same), []);
    assert_eq!(
        same["delta"]["since"],
        json!({ "commit": first["provenance"]["commit"], "packId": id })
    );
    // Committing the changes makes no difference.
    sandbox.commit("three");
    assert_eq!(changed(&built(&sandbox, &["--since", &id])), []);
    sandbox.edit("src/other.rs", "unrelated", "related");
    let one = built(&sandbox, &["--since", &id]);
    assert_eq!(changed(&one), [("src/other.rs", "modified")]);
    let diff = one["delta"]["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+pub fn related"), "{diff}");
}

#[test]
fn reverts_and_new_edits_are_changes() {
    let sandbox = with_changes();
    let id = id(&built(&sandbox, &[]));
    sandbox.run_git(&["checkout", "-q", "src/retry.rs", "src/old.rs"]);
    sandbox.write("src/new.rs", "fn newer() {}\n");
    let back = built(&sandbox, &["--since", &id]);
    let told = [
        ("src/new.rs", "modified"),
        ("src/old.rs", "added"),
        ("src/retry.rs", "modified"),
    ];
    assert_eq!(changed(&back), told);
    let files = back["delta"]["files"].as_array().unwrap();
    for file in files {
        let said = match file["path"].as_str() {
            Some("src/new.rs") => "was not committed",
            _ => "has it again",
        };
        assert!(file["note"].as_str().unwrap().contains(said), "{file}");
        // The pack has no diff, because git can only compare with a commit.
        assert!(file["diff"].is_null(), "{file}");
    }
    sandbox.remove("src/new.rs");
    let gone = built(&sandbox, &["--since", &id]);
    assert_eq!(changed(&gone)[0], ("src/new.rs", "deleted"));
    let text = sandbox
        .windlass(&["pack", "show", &self::id(&gone)])
        .succeeds();
    assert!(
        text.stdout
            .contains("src/retry.rs changed: it is as commit"),
        "{}",
        text.stdout
    );
    sandbox
        .windlass(&["pack", "rebuild", &self::id(&gone)])
        .succeeds();
}

#[test]
fn pack_without_state_is_marked_uncertain() {
    let sandbox = with_changes();
    let mut old = built(&sandbox, &[]);
    // Older packs have hashes only for the parts they show.
    let provenance = old["provenance"].as_object_mut().unwrap();
    provenance.remove("uncommitted").unwrap();
    for field in ["schema_version", "packId"] {
        old.as_object_mut().unwrap().remove(field);
    }
    old["packId"] = json!("00000000-0000-4000-8000-000000000001");
    let file = sandbox.outside().join("old.json");
    std::fs::write(&file, old.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let answer = sandbox.windlass(&[
        "pack", "build", "retry", "--since", file, "--format", "json",
    ]);
    let answer = answer.succeeds();
    assert!(
        answer
            .stderr
            .contains("does not say what was not committed"),
        "{}",
        answer.stderr
    );
    let pack = answer.json();
    assert_eq!(pack["delta"]["since"]["unsure"], true);
    // The old pack shows this file, so its earlier contents are known.
    assert!(!names(&pack, "/delta/files", "path").contains(&"src/retry.rs"));
    sandbox.run_git(&["checkout", "-q", "src/retry.rs"]);
    let text = sandbox.windlass(&["pack", "build", "retry", "--since", file]);
    let text = text.succeeds().stdout;
    assert!(
        text.contains("src/retry.rs changed: it is as commit"),
        "{text}"
    );
    assert!(text.contains("some changes may be older"), "{text}");
}
