//! Tests copies of playbooks, with concurrent events, duplicates and metrics.

use windlass_vcontext::{
    AppendError, CheckOptions, Document, NewEvent, Operation, PlaybookStatus, append_event, check,
    deduplicate, fold, merge_playbooks,
};

use crate::merge::author;
use crate::playbook::{first, items, log, new, update};
use crate::support::{document, json_text, rules};

#[test]
fn resolution_joins_heads() {
    let forked = log(&[
        first(),
        update("a", 5, "e1", r#","title":"A","delta":{"helpfulCount":1}"#),
        update("b", 4, "e1", r#","title":"B","delta":{"helpfulCount":2}"#),
    ]);
    let resolve = |keep: Option<&str>, over: &[&str], now: &str| NewEvent {
        after: keep.map(str::to_owned),
        resolves: Some(over.iter().map(|id| (*id).to_owned()).collect()),
        ..new(Operation::Update, "t", "r", now, r#"{"reason":"talked"}"#)
    };
    let late = "2025-02-01T00:00:00Z";
    let done = append_event(&forked, &resolve(Some("b"), &["a"], late)).unwrap();
    assert_eq!(
        json_text(&done.event),
        r#"{"eventId":"r","targetId":"t","operation":"update","prevEventId":"b","status":"active","metadata":{"resolvesEventIds":["a"]},"reason":"talked","createdAt":"2025-02-01T00:00:00Z"}"#
    );
    let resolved = document(&json_text(&done.value));
    let entry = fold(&items(&resolved)).entries.remove(0);
    assert!(entry.heads.is_empty(), "{:?}", entry.heads);
    assert_eq!((&*entry.head, entry.text("title")), ("r", Some("B")));
    assert_eq!(entry.helpful_count, 3);
    assert!(entry.fields.get("metadata").is_none());
    let found = check(&resolved, &CheckOptions::default());
    assert!(found.is_empty(), "{found}");
    // It's later than all heads, so readers that only compare times see the same one.
    let early = append_event(&forked, &resolve(None, &[], "2024-01-01T00:00:00Z")).unwrap();
    assert_eq!(
        early.event.get("createdAt").unwrap().as_str(),
        Some("2025-01-05T00:00:00.001Z")
    );
    assert_eq!(early.event.get("prevEventId").unwrap().as_str(), Some("a"));
    // A later event on the branch that was resolved creates a second head again.
    let more = update("a2", 6, "a", "");
    let text = json_text(resolved.value()).replace("]}}", &format!(",{more}]}}}}"));
    let again = document(&text);
    assert_eq!(fold(&items(&again)).entries[0].heads, ["a2", "r"]);
    assert_eq!(
        rules(&check(&again, &CheckOptions::default())),
        ["concurrent-events"]
    );
    let refused = |new: &NewEvent, of: &Document| append_event(of, new).unwrap_err();
    assert!(matches!(
        refused(&resolve(Some("b"), &["x"], late), &forked),
        AppendError::Moved { .. }
    ));
    assert!(matches!(
        refused(&resolve(Some("e1"), &[], late), &forked),
        AppendError::Moved { .. }
    ));
    let single = log(&[first()]);
    assert_eq!(
        refused(&resolve(None, &[], late), &single),
        AppendError::NotForked("t".to_owned())
    );
}

#[test]
fn deduplicate_equal_entries() {
    let entry = |target: &str, day: u32, text: &str, more: &str| {
        format!(
            r#"{{"eventId":"{target}-1","targetId":"{target}","createdAt":"2025-01-{day:02}T00:00:00Z","operation":"append","kind":"rule","narrative":{{"Overview":"{text}"}}{more}}}"#
        )
    };
    let events = [
        entry(
            "b",
            3,
            "Stage  first!",
            r#","tags":["y"],"delta":{"helpfulCount":2,"harmfulCount":1}"#,
        ),
        entry("a", 2, "Stage first", r#","tags":["x"]"#),
        entry("c", 4, "Stage first", r#","evidence":["PR-1"]"#),
        entry("code", 4, "Use `-V`", ""),
        entry("other", 4, "Use `-v`", ""),
        entry("ne", 4, "x != 1", ""),
        entry("eq", 4, "x = 1", ""),
    ];
    let read = log(&events);
    let done = deduplicate(&read, false).unwrap();
    let summary_of: Vec<(&str, &str, bool)> = done
        .duplicates
        .iter()
        .map(|one| (&*one.target_id, &*one.duplicate_of, one.exact))
        .collect();
    assert_eq!(summary_of, [("b", "a", false), ("c", "a", true)]);
    let after = document(&json_text(&done.value));
    let found = check(
        &after,
        &CheckOptions {
            before: Some(&read),
            ..CheckOptions::default()
        },
    );
    assert!(found.is_empty(), "{found}");
    let folded = fold(&items(&after)).entries;
    let of = |name: &str| folded.iter().find(|entry| entry.target_id == name).unwrap();
    assert_eq!((of("a").helpful_count, of("a").harmful_count), (2, 1));
    assert_eq!(
        (of("b").helpful_count, of("b").status),
        (0, PlaybookStatus::Deprecated)
    );
    assert_eq!(of("b").text("duplicateOf"), Some("a"));
    assert_eq!(
        json_text(of("a").fields.get("tags").unwrap()),
        r#"["x","y"]"#
    );
    assert_eq!(
        json_text(of("a").fields.get("evidence").unwrap()),
        r#"["PR-1"]"#
    );
    assert!(deduplicate(&after, false).unwrap().events.is_empty());
    assert_eq!(deduplicate(&read, true).unwrap().duplicates.len(), 1);
    // Deduplicating two copies separately counts nothing twice.
    let shuffled: Vec<String> = events.iter().rev().cloned().collect();
    let copy = deduplicate(&log(&shuffled), false).unwrap();
    let merged = merge_playbooks(&after, &document(&json_text(&copy.value)), &author()).unwrap();
    assert!(merged.added.is_empty() && merged.conflicts.is_empty());
    assert_eq!(json_text(&merged.value), json_text(after.value()));
}

#[test]
fn merge_copies_updates_metrics() {
    let with = |text: String| {
        text.replace(
            "\"version\":3",
            r#""metrics":{"totalEntries":1},"version":3"#,
        )
    };
    let ours = log(&[
        first(),
        first().replace("e1", "f1").replace("\"t\"", "\"u\""),
    ]);
    let theirs = document(&with(json_text(log(&[first()]).value())));
    let merged = merge_playbooks(&ours, &theirs, &author()).unwrap();
    let found = check(
        &document(&json_text(&merged.value)),
        &CheckOptions::default(),
    );
    assert_eq!(rules(&found), ["updated-behind"], "{found}");
    assert_eq!(merged.metrics.total_entries, 2);
    let theirs = log(&[
        first(),
        update("e2", 3, "e1", r#","delta":{"helpfulCount":2}"#),
    ]);
    let merged = merge_playbooks(&ours, &theirs, &author()).unwrap();
    let changed: Vec<(&str, i64)> = merged
        .changed
        .iter()
        .map(|entry| (&*entry.target_id, entry.helpful_count))
        .collect();
    assert_eq!(changed, [("t", 2)]);
}
