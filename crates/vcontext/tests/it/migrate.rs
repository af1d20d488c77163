use proptest::prelude::*;
use windlass_vcontext::{
    CheckOptions, Document, MigrateError, NO_TIME, check, merge_playbooks, migrate,
};

use crate::merge::author;
use crate::support::{any_json, document, json_text, named, object};

/// Returns the migrated `text` as JSON, and the number of changes.
#[track_caller]
fn migrated(text: &str) -> (String, usize) {
    let done = migrate(document(text).value()).unwrap();
    let again = migrate(&done.value).unwrap();
    assert_eq!(again.changes, []);
    assert_eq!(json_text(&again.value), json_text(&done.value));
    let found = check(&document(&json_text(&done.value)), &CheckOptions::default());
    assert!(!found.has_errors(), "{found}\n{}", json_text(&done.value));
    (json_text(&done.value), done.changes.len())
}

#[test]
fn migrate_version_0_1() {
    let old = r#"{"plan": {"version": "0.1", "title": "P", "status": "draft",
        "sections": [{"title": "Proposal", "content": "do", "order": 2}, {"title": "Rollout Notes", "content": "slowly", "order": 1}],
        "phases": [{"title": "b", "status": "pending", "order": 2}, {"title": "a", "status": "pending", "order": 1, "phases": [{"title": "c", "status": "pending"}]}],
        "references": [{"type": "file", "path": "src/a.rs", "line": 3}]}}"#;
    let want = concat!(
        r#"{"vContextInfo":{"version":"0.4"},"plan":{"title":"P","status":"draft","#,
        r#""narratives":{"Rollout Notes":"slowly","proposal":"do"},"#,
        r#""items":[{"title":"a","status":"pending","subItems":[{"title":"c","status":"pending"}]},{"title":"b","status":"pending"}],"#,
        r#""uris":[{"uri":"file://./src/a.rs#L3","type":"file"}]}}"#
    );
    assert_eq!(migrated(old), (want.to_owned(), 6));
}

#[test]
fn migrate_keyed_sections_retain_keys() {
    let old = r#"{"plan": {"version": "0.1", "title": "P", "status": "draft",
        "sections": {"proposal": {"title": "Proposal", "content": "do", "order": 1}, "risks": "few"}}}"#;
    let want = concat!(
        r#"{"vContextInfo":{"version":"0.4"},"plan":{"title":"P","status":"draft","#,
        r#""narratives":{"proposal":"do","risk":"few"}}}"#
    );
    assert_eq!(migrated(old).0, want);
}

#[test]
fn migrate_version_0_3() {
    let old = r#"{"vAgendaInfo": {"version": "0.3", "author": "a"}, "plan": {"title": "P", "status": "draft",
        "narratives": {"proposal": {"title": "Proposal", "content": "do"}, "context": {"title": "Why now", "content": "because"},
            "alternatives": [{"title": "A", "content": "x"}, {"title": "B", "content": "y"}], "custom": [{"title": "T", "content": "z"}]},
        "items": [{"title": "a", "status": "pending", "description": "what", "x-kept": 1.0}]}}"#;
    let want = concat!(
        r#"{"vContextInfo":{"version":"0.4","author":"a"},"plan":{"title":"P","status":"draft","#,
        r###""narratives":{"proposal":"do","background":"## Why now\n\nbecause","alternative":"## A\n\nx\n\n## B\n\ny","custom":["## T\n\nz"]},"###,
        r#""items":[{"title":"a","status":"pending","narrative":{"Overview":"what"},"x-kept":1.0}]}}"#
    );
    assert_eq!(migrated(old).0, want);
}

#[test]
fn migrate_every_narrative_form() {
    for (old, want) in [
        (r#""narrative":"x""#, r#""narrative":{"Overview":"x"}"#),
        (
            r#""narrative":{"title":"Risk","content":"x"}"#,
            r#""narrative":{"Risk":"x"}"#,
        ),
        (
            r#""narrative":[{"title":"Risk","content":"x"},{"title":"Risk","content":"y"}]"#,
            r#""narrative":{"Risk":"x","Risk 2":"y"}"#,
        ),
        (r#""description":"x""#, r#""narrative":{"Overview":"x"}"#),
        (
            r#""narrative":{"Risk":"y"},"description":"x""#,
            r#""narrative":{"Risk":"y","Overview":"x"}"#,
        ),
        (
            r#""narrative":{"Overview":"y"},"description":"x""#,
            r#""narrative":{"Overview":"y"},"description":"x""#,
        ),
        (
            r#""narrative":{"content":1}"#,
            r#""narrative":{"content":1}"#,
        ),
    ] {
        let text = |part: &str| {
            format!(
                r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"items":[{{"title":"t","status":"pending",{part},"z":0}}]}}}}"#
            )
        };
        let done = migrate(document(&text(old)).value()).unwrap();
        assert_eq!(json_text(&done.value), text(want));
    }
}

#[test]
fn migrate_entries_become_events() {
    let old = r#"{"vContextInfo": {"version": "0.4", "updated": "2025-12-28T12:00:00Z"}, "playbook": {"title": "Ops", "description": "d",
        "items": [{"title": "Stage first!", "status": "active", "content": "Always.", "tags": ["db"]}, {"kind": "warning", "text": "Never."}]}}"#;
    let want = concat!(
        r#"{"vContextInfo":{"version":"0.4","updated":"2025-12-28T12:00:00Z"},"playbook":{"title":"Ops","description":"d","items":["#,
        r#"{"eventId":"evt-e1f26185180247df","targetId":"entry-stage-first-e1f26185","operation":"append","kind":"note","createdAt":"2025-12-28T12:00:00Z","title":"Stage first!","status":"active","narrative":{"Overview":"Always."},"tags":["db"]},"#,
        r#"{"eventId":"evt-32e11857601f1afd","targetId":"entry-32e11857","operation":"append","kind":"warning","createdAt":"2025-12-28T12:00:00Z","narrative":{"Overview":"Never."}}"#,
        r#"],"version":1,"created":"2025-12-28T12:00:00Z","updated":"2025-12-28T12:00:00Z"}}"#
    );
    assert_eq!(migrated(old).0, want);
    let lists = r#"{"playbook": {"version": "0.1", "strategies": [{"id": "s1", "content": "x"}], "learnings": ["y"]}}"#;
    let (text, _) = migrated(lists);
    assert!(
        text.contains(r#""targetId":"entry-s1","operation":"append","kind":"strategy""#),
        "{text}"
    );
    assert!(
        text.contains(r#""kind":"learning""#) && text.contains(NO_TIME),
        "{text}"
    );
}

/// Copies that are migrated separately contain the same events, while different playbooks contain
/// different ones.
#[test]
fn migrated_playbooks_merge() {
    let old = |info: &str, items: &str| {
        format!(
            r#"{{"vContextInfo": {{"version": "0.4"{info}}}, "playbook": {{"items": [{items}]}}}}"#
        )
    };
    let stage = r#"{"title": "Stage", "content": "Always."}"#;
    let turned = r#"{"content": "Always.", "title": "Stage"}"#;
    let other = r#"{"title": "Stage", "content": "Never."}"#;
    let times = r#", "created": "2025-01-01T00:00:00Z", "updated": "2025-06-01T00:00:00Z""#;
    let early = r#", "created": "2025-01-01T00:00:00Z""#;
    let merge = |ours: &str, theirs: &str| {
        let [ours, theirs] = [ours, theirs].map(|text| document(&migrated(text).0));
        let merged = merge_playbooks(&ours, &theirs, &author()).unwrap();
        assert_eq!(merged.conflicts, []);
        let text = json_text(&merged.value);
        let found = check(&document(&text), &CheckOptions::default());
        assert!(!found.has_errors(), "{found}");
        merged.metrics.total_entries
    };
    assert_eq!(merge(&old(times, stage), &old(early, turned)), 1);
    assert_eq!(merge(&old(early, stage), &old(early, other)), 2);
    assert_eq!(merge(&old("", stage), &old("", other)), 2);
    let twice = format!("{stage},{stage},{other}");
    assert_eq!(merge(&old("", &twice), &old("", other)), 3);
    let (text, _) = migrated(&old(times, stage));
    assert!(
        text.contains(r#""createdAt":"2025-01-01T00:00:00Z""#)
            && text.contains(r#""updated":"2025-06-01T00:00:00Z"}"#),
        "{text}"
    );
}

#[test]
fn migrate_stale_example_is_valid() {
    let tron = include_str!("../../../tron/tests/data/spec/playbook-reliability.tron");
    let read = named("p.tron", tron);
    let done = migrate(read.value()).unwrap();
    assert_eq!(done.changes.len(), 3);
    let text = read.rewritten(&done.value);
    let found = check(&named("p.tron", &text), &CheckOptions::default());
    assert!(found.is_empty(), "{found}");
}

/// Only the user knows which field is right.
#[test]
fn migrate_duplicate_field_is_left() {
    let both = r#"{"vContextInfo":{"version":"0.4","author":"bob"},"vAgendaInfo":{"author":"ann"},"plan":{"title":"P","status":"draft","narratives":{"proposal":"do","risk":"one","risks":"two"},"items":[{"id":"a","title":"A","status":"pending","description":"more","narrative":{"Overview":"what"}}],"phases":[{"id":"b","title":"Other","status":"pending"}]}}"#;
    let done = migrate(document(both).value()).unwrap();
    assert_eq!(json_text(&done.value), both);
    assert!(done.changes.iter().all(|change| change.left) && done.changes.len() == 4);
    let found = check(&document(both), &CheckOptions::default());
    let rules: Vec<&str> = found.iter().map(|one| one.rule).collect();
    assert_eq!(rules, ["two-names"; 4], "{found}");
}

#[test]
fn migrate_counts_become_deltas() {
    let old = r#"{"vContextInfo":{"version":"0.2"},"playbook":{"entries":[{"id":"e","kind":"rule","text":"Always.","helpfulCount":3}]}}"#;
    let (text, _) = migrated(old);
    assert!(text.contains(r#""delta":{"helpfulCount":3}"#), "{text}");
}

#[test]
fn migrate_foreign_value_is_refused() {
    for text in [
        "{}",
        "[]",
        "3",
        r#"{"name": "x", "version": "1.0.0"}"#,
        r#"{"plan": "free", "playbook": null}"#,
        r#"[{"vContextInfo": {}}]"#,
    ] {
        let error = migrate(document(text).value()).unwrap_err();
        assert_eq!(error, MigrateError::NoDocument, "{text}");
    }
}

#[test]
fn migrate_later_version_is_refused() {
    let later = document(r#"{"vContextInfo": {"version": "0.6"}, "plan": {"phases": []}}"#);
    let error = migrate(later.value()).unwrap_err();
    assert!(error.to_string().contains("version 0.6"), "{error}");
}

/// Generates keys that the migration knows, with any values.
fn older() -> impl Strategy<Value = String> {
    let keys = [
        "phases",
        "subPhases",
        "items",
        "subItems",
        "entries",
        "narrative",
        "narratives",
        "description",
        "text",
        "content",
        "title",
        "sections",
        "references",
        "path",
        "proposal",
        "context",
        "custom",
        "version",
        "order",
        "strategies",
        "playbook",
        "todoList",
        "eventId",
        "createdAt",
        "uris",
    ];
    any_json().prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(prop::sample::select(keys.to_vec()), inner, 0..5).prop_map(
                |members| {
                    let members: Vec<String> = members
                        .iter()
                        .map(|(key, value)| format!("\"{key}\":{value}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }
            ),
        ]
    })
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(96))]

    #[test]
    fn migrate_twice_changes_nothing(
        container in prop::sample::select(vec!["todoList", "plan", "playbook"]),
        body in older(),
        more in object(any_json()),
        info in prop_oneof![Just(""), Just(r#""vContextInfo":{"version":"0.3"},"#), Just(r#""vAgendaInfo":{},"#)],
    ) {
        let text = format!("{{{info}\"x\":{more},\"{container}\":{body}}}");
        let read = Document::parse("d.json", text.as_bytes()).unwrap();
        let Ok(done) = migrate(read.value()) else {
            return Ok(());
        };
        let again = migrate(&done.value).unwrap();
        prop_assert!(again.changes.iter().all(|change| change.left), "{:?}", again.changes);
        prop_assert_eq!(json_text(&again.value), json_text(&done.value));
        prop_assert_eq!(json_text(done.value.get("x").unwrap()), more);
        if done.changes.iter().all(|change| change.left) {
            prop_assert_eq!(json_text(&done.value), json_text(read.value()));
        }
    }
}
