use proptest::prelude::*;
use windlass_vcontext::{
    AppendError, CheckOptions, Document, Folded, NewEvent, Operation, PlaybookStatus, Value,
    append_event, check, derived_metrics, fold, merge_playbooks,
};

use crate::merge::author;
use crate::support::{PAIRS, document, json_text, named, rules};

pub(crate) fn items(document: &Document) -> Vec<Value<'static>> {
    let items = document
        .value()
        .get("playbook")
        .unwrap()
        .get("items")
        .unwrap();
    items.as_array().unwrap().to_vec()
}

pub(crate) fn log(events: &[String]) -> Document {
    document(&format!(
        r#"{{"vContextInfo":{{"version":"0.4"}},"playbook":{{"x-kept":1.0,"version":3,"created":"2025-01-01T00:00:00Z","updated":"2025-01-01T00:00:00Z","items":[{}]}}}}"#,
        events.join(",")
    ))
}

pub(crate) fn event(id: &str, day: u32, more: &str) -> String {
    format!(
        r#"{{"eventId":"{id}","targetId":"t","createdAt":"2025-01-{day:02}T00:00:00Z",{more}}}"#
    )
}

pub(crate) fn first() -> String {
    event(
        "e1",
        2,
        r#""operation":"append","kind":"rule","narrative":{"Overview":"a","Risk":"b"},"tags":["x"],"status":"active","x-new":[1.0]"#,
    )
}

pub(crate) fn update(id: &str, day: u32, prev: &str, more: &str) -> String {
    event(
        id,
        day,
        &format!(r#""operation":"update","prevEventId":"{prev}"{more}"#),
    )
}

#[test]
fn fold_example_matches_its_metrics() {
    let (_, json, _) = PAIRS[5];
    let read = named("p.json", json);
    let folded = fold(&items(&read));
    let names: Vec<&str> = folded
        .entries
        .iter()
        .map(|entry| entry.target_id.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "pb-latency-regression-triage",
            "pb-rollback-drill",
            "pb-scale-first-antipattern"
        ]
    );
    assert_eq!(folded.entries[0].helpful_count, 2);
    assert_eq!(folded.entries[0].events, 2);
    assert_eq!(folded.entries[0].head, "evt-0901");
    let derived = derived_metrics(&items(&read));
    assert_eq!(derived.total_entries, 3);
    assert_eq!(derived.average_confidence, Some(0.9));
    assert_eq!(derived.last_updated.unwrap(), "2025-12-28T07:10:00Z");
}

#[test]
fn fold_update_merges_narrative() {
    let events = [
        first(),
        update(
            "e2",
            3,
            "e1",
            r#","narrative":{"Risk":"c"},"tags":[],"title":"T","delta":{"helpfulCount":2}"#,
        ),
        update(
            "e3",
            4,
            "e2",
            r#","delta":{"helpfulCount":-1,"harmfulCount":1},"reason":null"#,
        ),
    ];
    let folded = fold(&items(&log(&events)));
    let entry = &folded.entries[0];
    let fields = Value::from(entry.fields.clone());
    assert_eq!(
        json_text(&fields),
        r#"{"kind":"rule","narrative":{"Overview":"a","Risk":"c"},"tags":[],"x-new":[1.0],"title":"T"}"#
    );
    assert_eq!(
        (entry.helpful_count, entry.harmful_count, entry.events),
        (1, 1, 3)
    );
    assert_eq!(
        (&*entry.created_at, &*entry.updated_at),
        ("2025-01-02T00:00:00Z", "2025-01-04T00:00:00Z")
    );
    assert!(entry.heads.is_empty());
}

#[test]
fn fold_concurrent_deprecation_wins() {
    let deprecate = |id: &str, day: u32, prev: &str| {
        event(
            id,
            day,
            &format!(r#""operation":"deprecate","prevEventId":"{prev}","deprecatedReason":"old""#),
        )
    };
    let fold = |events: &[String]| fold(&items(&log(events))).entries.remove(0);
    let later = fold(&[
        first(),
        update("a", 5, "e1", r#","title":"A""#),
        update("b", 4, "e1", r#","title":"B""#),
    ]);
    assert_eq!((&*later.head, later.text("title")), ("a", Some("A")));
    assert_eq!(later.heads, ["b", "a"]);
    let tie = fold(&[first(), update("b", 4, "e1", ""), update("a", 4, "e1", "")]);
    assert_eq!(tie.head, "b");
    let ended = fold(&[first(), deprecate("a", 3, "e1"), update("b", 4, "e1", "")]);
    assert_eq!(
        (&*ended.head, ended.status),
        ("a", PlaybookStatus::Deprecated)
    );
    let again = fold(&[
        first(),
        deprecate("a", 3, "e1"),
        update("b", 4, "e1", r#","status":"active""#),
    ]);
    assert_eq!((&*again.head, again.status), ("b", PlaybookStatus::Active));
    let chain = fold(&[
        first(),
        deprecate("a", 3, "e1"),
        update("b", 4, "a", r#","status":"active""#),
    ]);
    assert_eq!((&*chain.head, chain.status), ("b", PlaybookStatus::Active));
}

#[test]
fn fold_reactivation_clears_reason() {
    let end = event(
        "e2",
        3,
        r#""operation":"deprecate","prevEventId":"e1","status":"deprecated","deprecatedReason":"old","supersededBy":"u","duplicateOf":"u""#,
    );
    let again = update("e3", 4, "e2", r#","status":"active""#);
    let ended = fold(&items(&log(&[first(), end.clone()])))
        .entries
        .remove(0);
    assert_eq!(ended.text("supersededBy"), Some("u"));
    let active = fold(&items(&log(&[first(), end, again]))).entries.remove(0);
    for name in ["deprecatedReason", "supersededBy", "duplicateOf"] {
        assert!(active.fields.get(name).is_none(), "{name}");
    }
    assert_eq!(active.status, PlaybookStatus::Active);
}

pub(crate) fn new(
    operation: Operation,
    target: &str,
    id: &str,
    now: &str,
    fields: &str,
) -> NewEvent {
    let fields = Value::parse(fields).unwrap().into_owned();
    NewEvent {
        operation,
        target: target.to_owned(),
        after: None,
        resolves: None,
        fields: fields.as_object().unwrap().clone(),
        event_id: id.to_owned(),
        now: now.to_owned(),
    }
}

#[test]
fn append_event_preserves_the_rest() {
    let read = log(&[first(), update("e2", 3, "e1", "")]);
    let appended = append_event(
        &read,
        &new(
            Operation::Update,
            "t",
            "e3",
            "2025-02-01T00:00:00Z",
            r#"{"title":"T"}"#,
        ),
    )
    .unwrap();
    let before = json_text(read.value());
    let event = r#"{"eventId":"e3","targetId":"t","operation":"update","prevEventId":"e2","title":"T","createdAt":"2025-02-01T00:00:00Z"}"#;
    assert_eq!(json_text(&appended.event), event);
    let want = before
        .replace("]}}", &format!(",{event}]}}}}"))
        .replace("\"version\":3", "\"version\":4")
        .replace("\"updated\":\"2025-01-01", "\"updated\":\"2025-02-01");
    assert_eq!(json_text(&appended.value), want);
    let after = document(&json_text(&appended.value));
    let options = CheckOptions {
        before: Some(&read),
        ..CheckOptions::default()
    };
    assert!(check(&after, &options).is_empty());
}

#[test]
fn append_event_slow_clock_is_fixed() {
    let read = log(&[first()]);
    let appended = append_event(
        &read,
        &new(Operation::Update, "t", "e2", "2024-01-01T00:00:00Z", "{}"),
    )
    .unwrap();
    assert_eq!(
        appended.event.get("createdAt").unwrap().as_str(),
        Some("2025-01-02T00:00:00Z")
    );
}

#[test]
fn append_event_invalid_is_refused() {
    let read = log(&[first(), update("e2", 3, "e1", "")]);
    let now = "2025-02-01T00:00:00Z";
    let refused =
        |read: &Document, new: &NewEvent| append_event(read, new).unwrap_err().to_string();
    let update_of = |target: &str| new(Operation::Update, target, "e3", now, "{}");
    assert!(refused(&read, &update_of("nothing")).contains("unknown entry `nothing`"));
    assert!(refused(&read, &new(Operation::Append, "t", "e3", now, "{}")).contains("already"));
    assert!(
        refused(&read, &new(Operation::Update, "t", "e1", now, "{}"))
            .contains("event `e1` exists already")
    );
    let behind = NewEvent {
        after: Some("e1".to_owned()),
        ..update_of("t")
    };
    assert!(matches!(
        append_event(&read, &behind),
        Err(AppendError::Moved { .. })
    ));
    let forked = log(&[
        first(),
        update("e2", 3, "e1", ""),
        update("f2", 3, "e1", ""),
    ]);
    assert!(refused(&forked, &update_of("t")).contains("`e2` and `f2`"));
    let chosen = NewEvent {
        after: Some("e2".to_owned()),
        ..update_of("t")
    };
    assert!(append_event(&forked, &chosen).is_ok());
    let plan = document(r#"{"plan":{}}"#);
    assert_eq!(
        append_event(&plan, &update_of("t")).unwrap_err(),
        AppendError::NoPlaybook
    );
}

#[test]
fn append_event_updates_metrics() {
    let (_, json, _) = PAIRS[5];
    let read = named("p.json", json);
    let fields = r#"{"kind":"note","narrative":{"Overview":"x"},"confidence":0.1}"#;
    let appended = append_event(
        &read,
        &new(
            Operation::Append,
            "n",
            "evt-1",
            "2026-01-01T00:00:00Z",
            fields,
        ),
    )
    .unwrap();
    let found = check(
        &document(&json_text(&appended.value)),
        &CheckOptions::default(),
    );
    assert!(found.is_empty(), "{found}");
    let metrics = appended
        .value
        .get("playbook")
        .unwrap()
        .get("metrics")
        .unwrap();
    assert_eq!(
        json_text(metrics),
        r#"{"totalEntries":4,"averageConfidence":0.7,"lastUpdated":"2026-01-01T00:00:00Z"}"#
    );
}

#[test]
fn merge_copies_have_all_events() {
    let ours = log(&[first(), update("a", 5, "e1", "")]);
    let theirs = log(&[update("c", 6, "b", ""), update("b", 4, "e1", ""), first()]);
    let merged = merge_playbooks(&ours, &theirs, &author()).unwrap();
    assert_eq!(merged.added, ["b", "c"]);
    assert_eq!(merged.conflicts, []);
    let found = check(
        &document(&json_text(&merged.value)),
        &CheckOptions {
            before: Some(&ours),
            ..CheckOptions::default()
        },
    );
    assert_eq!(
        rules(&found),
        ["updated-behind", "concurrent-events"],
        "{found}"
    );
    let again = merge_playbooks(&document(&json_text(&merged.value)), &theirs, &author()).unwrap();
    assert_eq!(json_text(&again.value), json_text(&merged.value));
    let changed = log(&[first().replace("\"rule\"", "\"note\"")]);
    let merged = merge_playbooks(&ours, &changed, &author()).unwrap();
    assert_eq!(merged.conflicts.len(), 1);
    assert_eq!(merged.conflicts[0].path, "$.items[?(@.eventId=='e1')]");
    assert_eq!(json_text(&merged.value), json_text(ours.value()));
}

/// Generates events of a few entries, where each event may follow any other.
fn events() -> impl Strategy<Value = Vec<String>> {
    let one = (
        0..9_u32,
        0..3_u32,
        1..5_u32,
        0..10_u32,
        0..4_u32,
        any::<bool>(),
    );
    prop::collection::vec(one, 1..14).prop_map(|all| {
        let each = all.into_iter().map(|(id, target, day, prev, what, helps)| {
            let (operation, more) = match what {
                0 => ("append", r#","kind":"rule","narrative":{"Overview":"x"}"#.to_owned()),
                1 => ("deprecate", format!(r#","prevEventId":"e{prev}""#)),
                2 => ("update", format!(r#","prevEventId":"e{prev}","status":"active","title":"{id}""#)),
                _ => ("update", format!(r#","prevEventId":"e{prev}","narrative":{{"Risk":"{day}"}}"#)),
            };
            let delta = if helps { r#","delta":{"helpfulCount":1}"# } else { "" };
            format!(
                r#"{{"eventId":"e{id}","targetId":"t{target}","createdAt":"2025-01-0{day}T00:00:00Z","operation":"{operation}"{more}{delta}}}"#
            )
        });
        each.collect()
    })
}

fn folded(events: &[String]) -> Folded {
    fold(&items(&log(events)))
}

proptest! {
    #[test]
    fn fold_ignores_order_of_delivery(events in events(), seed in any::<u64>()) {
        let mut shuffled = events.clone();
        let mut state = seed | 1;
        for at in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = usize::try_from(state >> 33).unwrap() % (at + 1);
            shuffled.swap(at, other);
        }
        let one = serde_json::to_string(&folded(&events)).unwrap();
        prop_assert_eq!(&one, &serde_json::to_string(&folded(&shuffled)).unwrap());
        let mut twice = events;
        twice.extend(shuffled);
        prop_assert_eq!(one, serde_json::to_string(&folded(&twice)).unwrap());
    }

    #[test]
    fn merge_copies_is_commutative(events in events(), cut in 0..14_usize, from in 0..14_usize) {
        // In a single log, an event can't have two contents.
        let mut seen = std::collections::BTreeSet::new();
        let whole: Vec<String> = events.into_iter().filter(|event| seen.insert(event[12..14].to_owned())).collect();
        let ours = log(&whole[..cut.min(whole.len())]);
        let theirs = log(&whole[from.min(whole.len())..]);
        let one = merge_playbooks(&ours, &theirs, &author()).unwrap();
        let other = merge_playbooks(&theirs, &ours, &author()).unwrap();
        prop_assert!(one.conflicts.is_empty() && other.conflicts.is_empty());
        let folded = |value: &Value<'_>| serde_json::to_string(&fold(&items(&document(&json_text(value))))).unwrap();
        prop_assert_eq!(folded(&one.value), folded(&other.value));
        if cut >= from {
            let all = serde_json::to_string(&fold(&items(&log(&whole)))).unwrap();
            prop_assert_eq!(folded(&one.value), all);
        }
    }
}
