//! vContext documents in packs: the steps `doc` and `playbook`.

use serde_json::Value;

use crate::support::{Answer, Sandbox};

const PLAN: &str = r#"{
  "vContextInfo": {"version": "0.4"},
  "plan": {
    "title": "Latency",
    "status": "inProgress",
    "narratives": {"proposal": "Batch the queries."},
    "items": [
      {
        "id": "p1",
        "title": "Find the cause",
        "status": "completed",
        "tags": ["database"]
      },
      {
        "id": "p2",
        "title": "Batch the queries",
        "status": "inProgress",
        "dependencies": ["p1"],
        "subItems": [
          {
            "id": "p2-1",
            "title": "Load test",
            "status": "pending",
            "narrative": {"Test": "Twice the usual throughput."}
          }
        ]
      },
      {
        "id": "p3",
        "title": "Roll out",
        "status": "blocked",
        "dependencies": ["p1", "p2"]
      }
    ]
  }
}
"#;

const PLAYBOOK: &str = r#"class Event: eventId,targetId,operation,kind,title,narrative,tags,createdAt
vContextInfo: {"version": "0.4"}
playbook: {"version": 3, "created": "2025-01-01T00:00:00Z", "updated": "2025-01-04T00:00:00Z", "items": [
  Event("e1", "staging", "append", "rule", "Staging first", {"Overview": "Run migrations in staging."}, ["database"], "2025-01-01T00:00:00Z"),
  {"eventId": "e2", "targetId": "staging", "operation": "update", "prevEventId": "e1", "narrative": {"Risk": "Conflicts."}, "delta": {"helpfulCount": 2}, "createdAt": "2025-01-02T00:00:00Z"},
  Event("e3", "scale", "append", "warning", "Scale last", {"Overview": "It hides the cause."}, ["latency"], "2025-01-03T00:00:00Z"),
  Event("e4", "old", "append", "rule", "Restart it", {"Overview": "Restart."}, ["latency"], "2025-01-03T00:00:00Z"),
  {"eventId": "e5", "targetId": "old", "operation": "deprecate", "prevEventId": "e4", "createdAt": "2025-01-04T00:00:00Z"},
  Event("e6", "note", "append", "note", "A note", {"Overview": "Anything."}, ["latency"], "2025-01-03T00:00:00Z")
]}
"#;

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("work/plan.vcontext.json", PLAN)
        .write("work/playbook.tron", PLAYBOOK);
    sandbox
}

fn step(sandbox: &Sandbox, uses: &str, with: &str) -> Answer {
    let runbook = format!(
        "schema_version: 1\nid: r\nsteps:\n  - {{ id: s, uses: {uses}, with: {{ {with} }} }}\noutputs:\n  - {{ id: s, from: s, limit: 50 }}\n"
    );
    sandbox.write("runbooks/r.yaml", runbook);
    let args = ["run", "r", "--format", "json", "--max-chars", "50000"];
    sandbox.windlass(&[&args[..], &["--response-mode", "full"]].concat())
}

fn section(answer: &Answer) -> Value {
    answer.json()["sections"][0].clone()
}

/// Returns each item as `id label (kind) lines`.
fn items(section: &Value) -> Vec<String> {
    let items = section["items"].as_array().unwrap();
    let shown = |item: &Value| {
        let lines: Vec<String> = (item["evidence"].as_array().unwrap().iter())
            .map(|at| format!("{}-{}", at["start_line"], at["end_line"]))
            .collect();
        let text = format!("{} {} ({})", item["id"], item["label"], item["kind"]);
        format!("{} {}", text.replace('"', ""), lines.join(" "))
    };
    items.iter().map(shown).collect()
}

#[test]
fn items_have_their_lines() {
    let sandbox = repository();
    let found = section(&step(&sandbox, "doc", "file: work/plan.vcontext.json").succeeds());
    assert_eq!(found["status"], "fresh");
    assert_eq!(
        items(&found),
        [
            "p1 Find the cause (stage) 8-13",
            "p2 Batch the queries (stage) 14-19 26-27",
            "p2-1 Load test (stage) 20-25",
            "p3 Roll out (stage) 28-33",
        ]
    );
    assert_eq!(found["items"][1]["fields"]["progress"], "inProgress");
    // Dependencies count as waited for only while they're unfinished.
    assert_eq!(
        found["items"][3]["fields"]["waits_for"],
        serde_json::json!(["p2"])
    );
    assert_eq!(found["items"][2]["fields"]["part_of"], "p2");
}

#[test]
fn items_are_selected_by_fields() {
    let sandbox = repository();
    for (with, expected) in [
        ("statuses: [pending, inProgress]", &["p2", "p2-1"][..]),
        ("ids: [p3, p1]", &["p1", "p3"]),
        ("tags: [database]", &["p1"]),
        ("text: THROUGHPUT", &["p2-1"]),
        ("statuses: [cancelled]", &[]),
    ] {
        let with = format!("file: work/plan.vcontext.json, {with}");
        let found = section(&step(&sandbox, "doc", &with).succeeds());
        let ids: Vec<&str> = (found["items"].as_array().unwrap().iter())
            .map(|item| item["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, expected, "{with}");
    }
}

#[test]
fn playbook_entries_are_folded() {
    let sandbox = repository();
    let found = section(&step(&sandbox, "playbook", "file: work/playbook.tron").succeeds());
    assert_eq!(
        items(&found),
        [
            "scale Scale last (warning) 6-6",
            "staging Staging first (rule) 4-4 5-5",
        ]
    );
    let says = serde_json::json!({"Overview": "Run migrations in staging.", "Risk": "Conflicts."});
    assert_eq!(found["items"][1]["fields"]["says"], says);
    assert_eq!(found["items"][1]["fields"]["helped"], 2);
    for (with, expected) in [
        ("any_tags: [database, other]", &["staging"][..]),
        ("tags: [latency]", &["scale"]),
        ("tags: [latency], kinds: [note]", &["note"]),
        ("kinds: []", &["note", "scale", "staging"]),
        ("targets: [scale]", &["scale"]),
    ] {
        let with = format!("file: work/playbook.tron, {with}");
        let found = section(&step(&sandbox, "playbook", &with).succeeds());
        let ids: Vec<&str> = (found["items"].as_array().unwrap().iter())
            .map(|item| item["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, expected, "{with}");
    }
}

#[test]
fn incomplete_selection_has_reason() {
    let sandbox = repository();
    let file = "work/plan.vcontext.json";
    for (uses, with, expected) in [
        (
            "doc",
            format!("file: {file}, ids: [p1, nothing]"),
            "unknown item `nothing`",
        ),
        (
            "doc",
            format!("file: {file}, ids: [p1], statuses: [pending]"),
            "the item `p1` is excluded by the other filters",
        ),
        (
            "playbook",
            "file: work/playbook.tron, targets: [stagin]".to_owned(),
            "unknown entry `stagin`; did you mean `staging`?",
        ),
        // The entry is deprecated, so it's not among those in force.
        (
            "playbook",
            "file: work/playbook.tron, targets: [old]".to_owned(),
            "the entry `old` is excluded by the other filters",
        ),
    ] {
        let found = section(&step(&sandbox, uses, &with).succeeds());
        assert_eq!(found["status"], "unknown", "{with}");
        assert_eq!(found["reason"], expected, "{with}");
    }

    // A document with an unknown status is still shown, but not as fresh.
    sandbox.edit(file, "\"blocked\"", "\"stuck\"");
    let found = section(&step(&sandbox, "doc", &format!("file: {file}")).succeeds());
    assert_eq!(found["status"], "unknown");
    let reason = found["reason"].as_str().unwrap();
    assert!(reason.contains("plan.vcontext.json:31:19: "), "{reason}");
    assert_eq!(items(&found).len(), 4);

    let fork = r#"  {"eventId": "e7", "targetId": "staging", "operation": "update", "prevEventId": "e1", "title": "Other", "createdAt": "2025-01-01T00:00:01Z"},
  Event("e6""#;
    sandbox.edit("work/playbook.tron", "  Event(\"e6\"", fork);
    let found = section(&step(&sandbox, "playbook", "file: work/playbook.tron").succeeds());
    let reason = found["reason"].as_str().unwrap();
    assert!(
        reason.contains("concurrent changes: `e7` and `e2`"),
        "{reason}"
    );
}

#[test]
fn invalid_document_fails_with_place() {
    let sandbox = repository();
    sandbox.write("broken.tron", "vContextInfo: {\"version\": 01}\n");
    sandbox.write(".env", "TOKEN=x\n");
    for (uses, file, code, expected) in [
        ("doc", "broken.tron", 1, "broken.tron:1:27: "),
        ("doc", "missing.json", 1, "`missing.json` cannot be read"),
        ("doc", ".env", 1, "cannot be read"),
        (
            "doc",
            "work/playbook.tron",
            1,
            "a Playbook has no work items",
        ),
        ("playbook", "work/plan.vcontext.json", 1, "has no playbook"),
        ("doc", "../outside.json", 2, "leads upwards"),
    ] {
        let answer = step(&sandbox, uses, &format!("file: {file}")).exits_with(code);
        let said = format!("{}{}", answer.stdout, answer.stderr);
        assert!(said.contains(expected), "{file}: {said}");
    }
    let answer = step(&sandbox, "doc", "file: a.json, statuses: [done]").exits_with(2);
    assert!(answer.stderr.contains("inProgress"), "{}", answer.stderr);
}

#[test]
fn document_secrets_are_redacted() {
    let sandbox = repository();
    let token = format!("ghp_{}", "A1b2C3d4E5f6".repeat(3));
    sandbox.edit(
        "work/plan.vcontext.json",
        "Roll out",
        &format!("Use {token} to roll out"),
    );
    sandbox.edit(
        "work/playbook.tron",
        "It hides the cause.",
        &format!("It hides {token}."),
    );
    let plan = step(&sandbox, "doc", "file: work/plan.vcontext.json").succeeds();
    let playbook = step(&sandbox, "playbook", "file: work/playbook.tron").succeeds();
    for answer in [plan, playbook] {
        assert!(!answer.stdout.contains(&token) && answer.stdout.contains("[redacted:"));
    }
}

#[test]
fn single_line_document_shows_item() {
    let sandbox = repository();
    let convert = ["doc", "convert", "work/plan.vcontext.json", "--to", "tron"];
    let out = ["--compact", "--out", "one.tron"];
    sandbox.windlass(&[&convert[..], &out].concat()).succeeds();
    let found = section(&step(&sandbox, "doc", "file: one.tron, ids: [p3]").succeeds());
    let at = &found["items"][0]["evidence"][0];
    assert_eq!(at["status"], "fresh");
    assert!(at["text"].as_str().unwrap().contains("Roll out"), "{at}");
}
