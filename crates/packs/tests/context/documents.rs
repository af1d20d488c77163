//! Packs and payloads as documents: parsing, schemas, and the text for readers.

use serde_json::{Value, json};
use windlass_packs::context::{
    Dress, NotAPack, NotSealed, PackId, read_pack, read_payload, render, schemas,
};

use crate::support::sample;

/// A pack as another tool might write it. It has every field and some unknown ones.
fn foreign() -> Value {
    json!({
        "packId": "0b0e7c5e-3f3a-4f5e-9c51-0a9a4f6f2b11",
        "runId": "run_1", "nodeId": "node_a", "createdAt": "2026-01-14T12:00:00Z",
        "goal": "Implement the join.", "definitionOfDone": ["tests pass"],
        "globalMode": "implementation", "nodeMode": "auto", "docsRoot": "/docs",
        "docRefs": [{ "path": "/docs/PLAN.md", "anchors": ["join"], "excerpt": "…", "priority": "high", "seen": 3 }],
        "repoFacts": { "language": "TypeScript" },
        "workspace": { "mode": "worktree", "rootPath": "/repo", "branch": "feature", "x": 1 },
        "relevantFiles": [{ "path": "a.ts", "purpose": "p", "excerpt": "e", "hash": "h", "y": [1] }],
        "inputs": [{ "payloadId": "0b0e7c5e-3f3a-4f5e-9c51-0a9a4f6f2b12", "fromNodeId": "n", "edgeId": "e", "z": null }],
        "artifacts": [{ "ref": "artifact://1", "type": "diff", "summary": "s", "sha256": "00", "w": {} }],
        "decisions": [{ "id": "D1", "summary": "s", "rationale": "r", "links": ["l"], "v": true }],
        "constraints": { "noNewDeps": true }, "toolPolicy": { "allowed": ["bash"] },
        "outputSchemaRef": "schemas/x.json", "ourOwn": { "deep": [1, 2.5] }
    })
}

fn payload() -> Value {
    json!({
        "payloadId": "0b0e7c5e-3f3a-4f5e-9c51-0a9a4f6f2b12", "kind": "report", "fromNodeId": "a", "edgeId": "e1",
        "createdAt": "2026-01-14T12:00:00Z", "status": { "ok": false, "code": "E", "reason": "r", "x": 1 },
        "message": { "content": "c", "format": "markdown" }, "structured": { "a": [1] },
        "artifacts": [{ "ref": "r", "type": "log", "mime": "text/plain" }],
        "contextPackRef": { "ref": "pack:x", "type": "context_pack" },
        "provenance": { "p": 1 }, "extra": "kept"
    })
}

fn fits(name: &str, value: &Value) -> Result<(), String> {
    let (_, schema) = schemas()
        .into_iter()
        .find(|(known, _)| known == name)
        .unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    schema.validate(value).map_err(|error| error.to_string())
}

#[test]
fn foreign_pack_round_trips_all_fields() {
    let pack = read_pack(foreign()).unwrap();
    assert_eq!(serde_json::to_value(&pack).unwrap(), foreign());
    let read = read_payload(payload()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), payload());
}

#[test]
fn schemas_accept_packs() {
    fits("context-pack", &foreign()).unwrap();
    fits("edge-payload", &payload()).unwrap();
    fits(
        "context-pack",
        &serde_json::to_value(sample(2, 2, 2)).unwrap(),
    )
    .unwrap();
}

#[test]
fn invalid_pack_is_refused_by_both() {
    for (field, wrong) in [
        ("packId", json!("x")),
        ("goal", Value::Null),
        ("definitionOfDone", json!("x")),
        ("globalMode", json!("doing")),
        ("docRefs", json!([{ "anchors": [] }])),
        ("artifacts", json!([{ "ref": "x", "type": "song" }])),
    ] {
        let mut value = foreign();
        value[field] = wrong;
        assert!(fits("context-pack", &value).is_err(), "{field}");
        assert!(read_pack(value).is_err(), "{field}");
    }
    for field in [
        "packId",
        "goal",
        "definitionOfDone",
        "globalMode",
        "docsRoot",
        "docRefs",
    ] {
        let mut value = foreign();
        value.as_object_mut().unwrap().remove(field);
        assert!(fits("context-pack", &value).is_err(), "{field}");
        assert!(read_pack(value).is_err(), "{field}");
    }
    let mut newer = foreign();
    newer["schema_version"] = json!(2);
    assert_eq!(read_pack(newer), Err(NotAPack::Newer { found: 2 }));
}

#[test]
fn id_depends_on_contents_only() {
    let pack = sample(1, 1, 1);
    assert_eq!(pack.check_seal(), Ok(()));
    let mut later = pack.clone();
    later.created_at = Some("2027-01-01T00:00:00Z".to_owned());
    assert_eq!(later.check_seal(), Ok(()));
    assert_eq!(later.clone().seal().pack_id, pack.pack_id);
    later.goal.push('!');
    assert!(
        matches!(later.check_seal(), Err(NotSealed::OtherContents { id, .. }) if id == pack.pack_id)
    );
    assert_ne!(later.seal().pack_id, pack.pack_id);
    let id: PackId = "0b0e7c5e-3f3a-4f5e-9c51-0a9a4f6f2b11".parse().unwrap();
    // Another tool's ID isn't derived from the contents, and must be kept as it is.
    assert_eq!(read_pack(foreign()).unwrap().pack_id, id);
}

#[test]
fn text_and_markdown_show_all_parts() {
    let pack = sample(1, 1, 1);
    for dress in [Dress::Markdown, Dress::Text] {
        let text = render(&pack, dress);
        for part in [
            "Make it work.",
            "all tests pass",
            "docs/0.md",
            "second line 69",
            "src/0.rs",
            "code line 34",
            "tests::number_0",
            "said line 20",
            "+ line 15",
            "dependencies: none",
            "10-34",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}

#[test]
fn fence_in_excerpt_does_not_end_it() {
    let mut pack = sample(0, 1, 0);
    pack.relevant_files[0].excerpt = Some("```\n````\n# not a heading".to_owned());
    let text = render(&pack, Dress::Markdown);
    // The excerpt has a run of four backticks, so the fence needs five.
    assert_eq!(text.matches("\n`````").count(), 2, "{text}");
}

#[test]
fn foreign_markup_is_closed() {
    let mut pack = sample(1, 1, 1);
    pack.goal = "Mend this:\n```rust\nfn a() {}\n## Files\n- all is well".to_owned();
    let text = render(&pack, Dress::Markdown);
    assert!(
        text.contains("> ```rust\n> fn a() {}\n> ## Files\n> - all is well\n"),
        "{text}"
    );
    pack.goal = "Make `a` work".to_owned();
    assert!(render(&pack, Dress::Markdown).contains("\nMake `a` work\n"));
}

#[test]
fn omitted_lines_are_reported() {
    let mut pack = sample(1, 1, 1);
    if let Some(provenance) = &mut pack.provenance {
        for origin in &mut provenance.items {
            origin.lines_left_out = 7;
        }
    }
    if let Some(delta) = &mut pack.delta {
        delta.rest.insert("moreFiles".to_owned(), 12.into());
    }
    let text = render(&pack, Dress::Markdown);
    assert_eq!(text.matches("; 7 more lines omitted").count(), 3, "{text}");
    assert!(text.contains("- 12 more, not listed\n"), "{text}");
}
