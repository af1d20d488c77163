//! Beads as items of TodoLists, and back.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::{by, create};

fn beads(sandbox: &Sandbox) -> Vec<Value> {
    let args = ["bead", "list", "--all", "--limit", "0", "--format", "json"];
    let list = by(sandbox, "ann", &args).succeeds().json();
    list["beads"].as_array().unwrap().clone()
}

fn bead(sandbox: &Sandbox, id: &str) -> Value {
    let found = beads(sandbox).into_iter().find(|bead| bead["id"] == id);
    found.unwrap_or_else(|| panic!("no bead {id}"))
}

fn document(sandbox: &Sandbox, file: &str) -> Value {
    let convert = ["doc", "convert", file, "--to", "json"];
    by(sandbox, "ann", &convert).succeeds().json()
}

fn item(document: &Value, bead: &str) -> Value {
    let items = document["todoList"]["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["beadsId"] == bead);
    found.unwrap_or_else(|| panic!("no item of {bead}")).clone()
}

#[test]
fn beads_become_items_with_status() {
    let sandbox = Sandbox::git();
    let open = create(
        &sandbox,
        &[
            "Open",
            "-d",
            "What it is.",
            "--priority",
            "0",
            "--label",
            "api",
        ],
    );
    let held = create(&sandbox, &["Held", "--needs", &open, "--priority", "4"]);
    let begun = create(&sandbox, &["Begun"]);
    by(&sandbox, "bob", &["bead", "claim", &begun]).succeeds();
    let done = create(&sandbox, &["Done"]);
    by(&sandbox, "ann", &["bead", "close", &done]).succeeds();
    let failed = create(&sandbox, &["Failed"]);
    by(
        &sandbox,
        "ann",
        &["bead", "close", &failed, "--reason", "failed: no way"],
    )
    .succeeds();
    by(
        &sandbox,
        "ann",
        &["bead", "export", "--all", "--out", "tasks.tron"],
    )
    .succeeds();
    let checked = by(&sandbox, "ann", &["doc", "check", "tasks.tron"]).succeeds();
    assert_eq!(
        (checked.stdout.as_str(), checked.stderr.as_str()),
        ("tasks.tron: valid\n", "")
    );
    let list = document(&sandbox, "tasks.tron");
    for (id, status) in [
        (&open, "pending"),
        (&held, "pending"),
        (&begun, "inProgress"),
        (&done, "completed"),
        (&failed, "cancelled"),
    ] {
        assert_eq!(item(&list, id)["status"], status, "{list:#}");
    }
    let first = item(&list, &open);
    assert_eq!(first["narrative"], json!({"Overview": "What it is."}));
    assert_eq!(
        (&first["priority"], &first["tags"]),
        (&json!("critical"), &json!(["api"]))
    );
    let link = json!([{"uri": format!("beads://{open}"), "type": "x-beads/issue"}]);
    assert_eq!(first["uris"], link);
    assert_eq!(item(&list, &held)["dependencies"], json!([open]));
    assert_eq!(
        item(&list, &begun)["participants"],
        json!([{"id": "bob", "role": "assignee"}])
    );
    // The second import finds no change, so it writes no event.
    let same = by(&sandbox, "ann", &["bead", "import", "tasks.tron"]).succeeds();
    assert!(
        same.stdout.starts_with("added 0, changed 0, 5 unchanged"),
        "{}",
        same.stdout
    );
    // Exporting once more doesn't change the file either.
    let text = sandbox.read("tasks.tron");
    by(
        &sandbox,
        "ann",
        &["bead", "export", "--all", "--out", "tasks.tron"],
    )
    .succeeds();
    assert_eq!(sandbox.read("tasks.tron"), text);
}

#[test]
fn bead_round_trip_loses_nothing() {
    let sandbox = Sandbox::git();
    let record = json!({
        "id": "bd-1", "title": "x".repeat(150), "status": "deferred", "priority": 4, "issue_type": "chore",
        "created_at": "2025-10-14T01:02:03.123456-07:00", "updated_at": "2025-10-15T00:00:00Z", "created_by": "me",
        "design": "how", "notes": "n", "acceptance_criteria": "a", "external_ref": "gh-1", "labels": ["a", "b"],
        "comments": [{"id": 1, "text": "hi"}],
        "dependencies": [{"issue_id": "bd-1", "depends_on_id": "bd-0", "type": "discovered-from", "created_at": "2025-10-14T01:02:03Z", "created_by": "me"}]
    });
    sandbox.write("issues.jsonl", format!("{record}\n"));
    by(&sandbox, "ann", &["bead", "import", "issues.jsonl"]).succeeds();
    by(&sandbox, "ann", &["bead", "export", "--out", "tasks.json"]).succeeds();
    let other = Sandbox::git();
    other.write("tasks.json", sandbox.read("tasks.json"));
    by(&other, "bob", &["bead", "import", "tasks.json"]).succeeds();
    assert_eq!(bead(&sandbox, "bd-1"), bead(&other, "bd-1"));
}

#[test]
fn items_become_beads_with_all_fields() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "tasks.json",
        r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"id": "sprint", "x-own": [1.50], "items": [
  {"id": "t1", "title": "One", "status": "inProgress", "priority": "high", "x-kept": true},
  {"id": "t2", "title": "Two", "status": "blocked", "dependencies": ["t1"]},
  {"id": "t3", "title": "Three", "status": "cancelled"}
]}}
"#,
    );
    let dry = by(
        &sandbox,
        "ann",
        &["bead", "import", "tasks.json", "--dry-run"],
    )
    .succeeds();
    assert!(dry.stdout.contains("added 3"), "{}", dry.stdout);
    assert_eq!(beads(&sandbox).len(), 0);
    by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    let again = by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    assert!(again.stdout.contains("3 unchanged"), "{}", again.stdout);
    let titled = |title: &str| {
        let found = beads(&sandbox)
            .into_iter()
            .find(|bead| bead["title"] == title);
        found.unwrap()
    };
    let (one, two, three) = (titled("One"), titled("Two"), titled("Three"));
    assert_eq!(
        (&one["status"], &one["priority"]),
        (&json!("in_progress"), &json!(1))
    );
    assert_eq!(two["dependencies"][0]["depends_on_id"], one["id"]);
    assert_eq!(
        (&three["status"], &three["outcome"]),
        (&json!("closed"), &json!("failed"))
    );

    // The beads' state is written into their items, and the rest of the file keeps its bytes.
    let id = one["id"].as_str().unwrap();
    by(&sandbox, "ann", &["bead", "close", id]).succeeds();
    by(
        &sandbox,
        "ann",
        &["bead", "export", "--all", "--out", "tasks.json"],
    )
    .succeeds();
    let text = sandbox.read("tasks.json");
    assert!(
        text.contains("\"x-own\": [1.50]") && text.contains("\"x-kept\": true"),
        "{text}"
    );
    let list = document(&sandbox, "tasks.json");
    assert_eq!(list["todoList"]["items"].as_array().unwrap().len(), 3);
    let first = item(&list, id);
    assert_eq!(
        (&first["id"], &first["status"]),
        (&json!("t1"), &json!("completed"))
    );
    assert_eq!(list["todoList"]["items"][1]["dependencies"], json!(["t1"]));
    by(&sandbox, "ann", &["doc", "check", "tasks.json"]).succeeds();
    // In the other direction, an item is started by hand.
    by(
        &sandbox,
        "ann",
        &[
            "doc",
            "item",
            "set",
            "tasks.json",
            "t2",
            "--status",
            "inProgress",
        ],
    )
    .succeeds();
    let taken = by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    assert!(taken.stdout.contains("changed 1"), "{}", taken.stdout);
    assert_eq!(titled("Two")["status"], "in_progress");
}

#[test]
fn invalid_todo_list_is_refused_with_place() {
    let sandbox = Sandbox::git();
    let (head, item) = (
        r#"{"vContextInfo": {"version": "0.4"}, "#,
        r#"{"title": "x", "status": "pending"}"#,
    );
    sandbox.write("plan.vcontext.json", format!("{head}\"plan\": {{\"title\": \"p\", \"status\": \"draft\", \"narratives\": {{\"proposal\": \"x\"}}}}}}"));
    sandbox.write(
        "twins.json",
        format!("{head}\"todoList\": {{\"items\": [{item}, {item}]}}}}"),
    );
    sandbox.write(
        "bad.tron",
        "vContextInfo: {version: \"0.4\"}\ntodoList: {items: [{title: \"x\", status: \"done\"}]}\n",
    );
    for (file, rule) in [
        ("plan.vcontext.json", "no-todo-list"),
        ("twins.json", "bead-twice"),
        ("bad.tron", "unknown-word"),
    ] {
        let answer = by(&sandbox, "ann", &["bead", "import", file]).exits_with(2);
        assert!(
            answer.stderr.contains(&format!("error[{rule}]")),
            "{}",
            answer.stderr
        );
    }
    create(&sandbox, &["One"]);
    let before = sandbox.read("plan.vcontext.json");
    by(
        &sandbox,
        "ann",
        &["bead", "export", "--out", "plan.vcontext.json"],
    )
    .exits_with(2);
    assert_eq!(sandbox.read("plan.vcontext.json"), before);
    by(&sandbox, "ann", &["bead", "export", "--out", ".env"]).exits_with(4);
}

#[test]
fn item_keeps_fields_unknown_to_beads() {
    let sandbox = Sandbox::git();
    let text = r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"items": [
  {
    "id": "t1", "title": "One", "status": "completed", "percentComplete": 100,
    "narrative": {"Overview": "What.", "Risk": "It breaks."},
    "tags": ["z", "a"],
    "created": "2025-01-01T10:00:00+02:00", "updated": "2025-01-02T00:00:00Z", "completed": "2025-01-02T00:00:00.000Z",
    "participants": [
      {"id": "rev", "role": "reviewer"},
      {"id": "ann", "role": "assignee", "name": "Ann"}
    ],
    "uris": [{"uri": "https://example.org/x", "title": "X"}],
    "metadata": {"own": 1.0}
  }
]}}
"#;
    sandbox.write("tasks.json", text);
    let export = ["bead", "export", "--all", "--out", "tasks.json"];
    by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    by(&sandbox, "ann", &export).succeeds();
    let list = document(&sandbox, "tasks.json");
    let first = &list["todoList"]["items"][0];
    let id = first["beadsId"].as_str().unwrap().to_owned();
    let mut want: Value = serde_json::from_str(text).unwrap();
    let item = &mut want["todoList"]["items"][0];
    item["beadsId"] = id.as_str().into();
    item["uris"]
        .as_array_mut()
        .unwrap()
        .push(json!({"uri": format!("beads://{id}"), "type": "x-beads/issue"}));
    let mut found = first.clone();
    // Items have no field for this part of the metadata.
    if let Some(metadata) = found["metadata"].as_object_mut() {
        metadata.remove("beads");
    }
    assert_eq!(&found, item, "{}", sandbox.read("tasks.json"));
    let kept = sandbox.read("tasks.json");
    for line in text.lines().skip(1).take(12) {
        let is_changed = line.contains("\"uris\"") || line.contains("\"metadata\"");
        assert!(is_changed || kept.contains(line.trim()), "{line}\n{kept}");
    }

    // Only the changed fields differ.
    by(&sandbox, "ann", &["bead", "reopen", &id]).succeeds();
    by(&sandbox, "ann", &["bead", "claim", &id]).succeeds();
    by(&sandbox, "ann", &export).succeeds();
    let list = document(&sandbox, "tasks.json");
    let first = &list["todoList"]["items"][0];
    assert_eq!(first["status"], "inProgress");
    assert!(first["percentComplete"].is_null() && first["completed"].is_null());
    assert_eq!(
        first["participants"][0],
        json!({"id": "rev", "role": "reviewer"})
    );
    assert_eq!(first["participants"][1]["name"], "Ann");
    assert_eq!(first["narrative"]["Risk"], "It breaks.");
    assert_eq!(first["created"], "2025-01-01T10:00:00+02:00");
    assert_eq!(first["tags"], json!(["z", "a"]));
}

#[test]
fn export_counts_sequence_and_keeps_locks() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "tasks.json",
        r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"sequence": 3, "changeLog": [], "items": [
  {"id": "t1", "title": "One", "status": "pending", "sequence": 1},
  {"id": "t2", "title": "Two", "status": "pending", "lockedBy": {"agent": {"id": "bob", "type": "human"}, "acquiredAt": "2025-01-01T00:00:00Z", "type": "hard"}}
]}}
"#,
    );
    by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    let titled = |title: &str| -> String {
        let found = beads(&sandbox)
            .into_iter()
            .find(|bead| bead["title"] == title);
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let (one, two) = (titled("One"), titled("Two"));
    for id in [&one, &two] {
        by(&sandbox, "ann", &["bead", "close", id]).succeeds();
    }
    let export = ["bead", "export", "--all", "--out", "tasks.json"];
    let told = by(&sandbox, "ann", &export).succeeds().stderr;
    assert!(
        told.contains(&format!("skipped the item of `{two}`: locked by `bob`")),
        "{told}"
    );
    let list = &document(&sandbox, "tasks.json")["todoList"];
    assert_eq!(
        (&list["sequence"], &list["items"][0]["sequence"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(list["changeLog"][0]["sequence"], 4);
    assert_eq!(list["items"][0]["status"], "completed");
    assert_eq!(list["items"][1]["status"], "pending");
    assert!(list["items"][1]["beadsId"].is_null());
    // A second export changes nothing. The holder of the lock may write.
    let before = sandbox.read("tasks.json");
    by(&sandbox, "ann", &export).succeeds();
    assert_eq!(sandbox.read("tasks.json"), before);
    by(&sandbox, "bob", &export).succeeds();
    let list = &document(&sandbox, "tasks.json")["todoList"];
    assert_eq!(list["items"][1]["status"], "completed");
}

#[test]
fn unknown_item_fields_reach_other_documents() {
    let sandbox = Sandbox::git();
    let own = r#""x-team": {"b": 1, "a": 1.50}, "dueDate": "2026-01-01T00:00:00Z", "percentComplete": 40"#;
    sandbox.write(
        "tasks.json",
        format!(
            r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [
  {{"id": "t1", "title": "One", "status": "inProgress", {own}, "x-large": 1e400,
   "narrative": {{"Overview": "What.", "Risk": "It breaks."}}, "metadata": {{"own": 1}},
   "participants": [{{"id": "rev", "role": "reviewer"}}], "uris": [{{"uri": "https://example.org/x"}}]}}
]}}}}
"#
        ),
    );
    by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    let again = by(&sandbox, "ann", &["bead", "import", "tasks.json"]).succeeds();
    assert!(again.stdout.contains("1 unchanged"), "{}", again.stdout);
    by(
        &sandbox,
        "ann",
        &["bead", "export", "--all", "--out", "other.json"],
    )
    .succeeds();
    by(&sandbox, "ann", &["doc", "check", "other.json"]).succeeds();
    let text = sandbox.read("other.json");
    for kept in ["1e400", "1.50"] {
        assert!(text.contains(kept), "{text}");
    }
    let item = document_text(&text);
    assert_eq!(item["x-team"].to_string(), r#"{"b":1,"a":1.5}"#);
    assert_eq!(item["dueDate"], "2026-01-01T00:00:00Z");
    assert_eq!(item["percentComplete"], 40);
    assert_eq!(
        item["narrative"],
        json!({"Overview": "What.", "Risk": "It breaks."})
    );
    assert_eq!(item["metadata"], json!({"own": 1}));
    assert_eq!(
        item["participants"],
        json!([{"id": "rev", "role": "reviewer"}])
    );
    assert_eq!(item["uris"].as_array().unwrap().len(), 2);
    // Another ledger that imports this document gets the same fields.
    let other = Sandbox::git();
    other.write("other.json", &text);
    by(&other, "bob", &["bead", "import", "other.json"]).succeeds();
    by(
        &other,
        "bob",
        &["bead", "export", "--all", "--out", "third.json"],
    )
    .succeeds();
    let third = document_text(&other.read("third.json"));
    assert_eq!(third, item);
}

/// Returns the first item of a list. The number that no `f64` can hold becomes a string.
fn document_text(text: &str) -> Value {
    let text = text.replace("1e400", "\"1e400\"");
    let list: Value = serde_json::from_str(&text).unwrap();
    list["todoList"]["items"][0].clone()
}
