use proptest::prelude::*;
use windlass_vcontext::{
    AppendError, CheckOptions, Document, Folded, NewEvent, Operation, PlaybookStatus, Value,
    append_event, check, deduplicate, derived_metrics, fold, merge_playbooks,
};

use crate::support::{PAIRS, document, named, rules, told};

fn items(document: &Document) -> Vec<Value<'static>> {
    let items = document
        .value()
        .get("playbook")
        .unwrap()
        .get("items")
        .unwrap();
    items.as_array().unwrap().to_vec()
}

fn log(events: &[String]) -> Document {
    document(&format!(
        r#"{{"vContextInfo":{{"version":"0.4"}},"playbook":{{"x-kept":1.0,"version":3,"created":"2025-01-01T00:00:00Z","updated":"2025-01-01T00:00:00Z","items":[{}]}}}}"#,
        events.join(",")
    ))
}

fn event(id: &str, day: u32, more: &str) -> String {
    format!(
        r#"{{"eventId":"{id}","targetId":"t","createdAt":"2025-01-{day:02}T00:00:00Z",{more}}}"#
    )
}

fn first() -> String {
    event(
        "e1",
        2,
        r#""operation":"append","kind":"rule","narrative":{"Overview":"a","Risk":"b"},"tags":["x"],"status":"active","x-new":[1.0]"#,
    )
}

fn update(id: &str, day: u32, prev: &str, more: &str) -> String {
    event(
        id,
        day,
        &format!(r#""operation":"update","prevEventId":"{prev}"{more}"#),
    )
}

#[test]
fn the_example_folds_to_its_own_metrics() {
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
    assert_eq!(derived.total_entries.0, 3);
    assert_eq!(derived.average_confidence.unwrap().0, 0.9);
    assert_eq!(&*derived.last_updated.unwrap(), "2025-12-28T07:10:00Z");
}

#[test]
fn an_update_replaces_fields_and_adds_to_the_narrative() {
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
        told(&fields),
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
fn of_events_side_by_side_the_later_counts_but_the_end_counts_more() {
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
fn who_makes_an_entry_active_again_ends_its_end() {
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

#[test]
fn one_event_makes_one_head_of_several() {
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
        told(&done.event),
        r#"{"eventId":"r","targetId":"t","operation":"update","prevEventId":"b","status":"active","metadata":{"resolvesEventIds":["a"]},"reason":"talked","createdAt":"2025-02-01T00:00:00Z"}"#
    );
    let resolved = document(&told(&done.value));
    let entry = fold(&items(&resolved)).entries.remove(0);
    assert!(entry.heads.is_empty(), "{:?}", entry.heads);
    assert_eq!((&*entry.head, entry.text("title")), ("r", Some("B")));
    assert_eq!(entry.helpful_count, 3);
    assert!(entry.fields.get("metadata").is_none());
    let found = check(&resolved, &CheckOptions::default());
    assert!(found.is_empty(), "{found}");
    // Readers that go by the time alone have the same head: it is later than all of them.
    let early = append_event(&forked, &resolve(None, &[], "2024-01-01T00:00:00Z")).unwrap();
    assert_eq!(
        early.event.get("createdAt").unwrap().as_str(),
        Some("2025-01-05T00:00:00.001Z")
    );
    assert_eq!(early.event.get("prevEventId").unwrap().as_str(), Some("a"));
    // Somebody goes on with the branch that ended: again there are two.
    let more = update("a2", 6, "a", "");
    let text = told(resolved.value()).replace("]}}", &format!(",{more}]}}}}"));
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
fn entries_that_say_the_same_become_one() {
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
    let told_of: Vec<(&str, &str, bool)> = done
        .duplicates
        .iter()
        .map(|one| (&*one.target_id, &*one.duplicate_of, one.exact))
        .collect();
    assert_eq!(told_of, [("b", "a", false), ("c", "a", true)]);
    let after = document(&told(&done.value));
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
    assert_eq!(told(of("a").fields.get("tags").unwrap()), r#"["x","y"]"#);
    assert_eq!(told(of("a").fields.get("evidence").unwrap()), r#"["PR-1"]"#);
    assert!(deduplicate(&after, false).unwrap().events.is_empty());
    assert_eq!(deduplicate(&read, true).unwrap().duplicates.len(), 1);
    // Done apart in two copies, nothing counts twice.
    let shuffled: Vec<String> = events.iter().rev().cloned().collect();
    let copy = deduplicate(&log(&shuffled), false).unwrap();
    let merged = merge_playbooks(&after, &document(&told(&copy.value))).unwrap();
    assert!(merged.added.is_empty() && merged.conflicts.is_empty());
    assert_eq!(told(&merged.value), told(after.value()));
}

#[test]
fn metrics_of_the_other_copy_are_made_true() {
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
    let theirs = document(&with(told(log(&[first()]).value())));
    let merged = merge_playbooks(&ours, &theirs).unwrap();
    let found = check(&document(&told(&merged.value)), &CheckOptions::default());
    assert_eq!(rules(&found), ["updated-behind"], "{found}");
    assert_eq!(merged.metrics.total_entries.0, 2);
    let theirs = log(&[
        first(),
        update("e2", 3, "e1", r#","delta":{"helpfulCount":2}"#),
    ]);
    let merged = merge_playbooks(&ours, &theirs).unwrap();
    let changed: Vec<(&str, i64)> = merged
        .changed
        .iter()
        .map(|entry| (&*entry.target_id, entry.helpful_count))
        .collect();
    assert_eq!(changed, [("t", 2)]);
}

fn new(operation: Operation, target: &str, id: &str, now: &str, fields: &str) -> NewEvent {
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
fn an_event_is_appended_and_nothing_else_is_touched() {
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
    let before = told(read.value());
    let event = r#"{"eventId":"e3","targetId":"t","operation":"update","prevEventId":"e2","title":"T","createdAt":"2025-02-01T00:00:00Z"}"#;
    assert_eq!(told(&appended.event), event);
    let want = before
        .replace("]}}", &format!(",{event}]}}}}"))
        .replace("\"version\":3", "\"version\":4")
        .replace("\"updated\":\"2025-01-01", "\"updated\":\"2025-02-01");
    assert_eq!(told(&appended.value), want);
    let after = document(&told(&appended.value));
    let options = CheckOptions {
        before: Some(&read),
        ..CheckOptions::default()
    };
    assert!(check(&after, &options).is_empty());
}

#[test]
fn a_clock_that_is_behind_makes_no_earlier_event() {
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
fn what_cannot_be_appended_is_refused() {
    let read = log(&[first(), update("e2", 3, "e1", "")]);
    let now = "2025-02-01T00:00:00Z";
    let refused =
        |read: &Document, new: &NewEvent| append_event(read, new).unwrap_err().to_string();
    let update_of = |target: &str| new(Operation::Update, target, "e3", now, "{}");
    assert!(refused(&read, &update_of("nothing")).contains("no entry `nothing`"));
    assert!(refused(&read, &new(Operation::Append, "t", "e3", now, "{}")).contains("already"));
    assert!(
        refused(&read, &new(Operation::Update, "t", "e1", now, "{}"))
            .contains("event `e1` already")
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
fn metrics_that_are_there_are_kept_true() {
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
    let found = check(&document(&told(&appended.value)), &CheckOptions::default());
    assert!(found.is_empty(), "{found}");
    let metrics = appended
        .value
        .get("playbook")
        .unwrap()
        .get("metrics")
        .unwrap();
    assert_eq!(
        told(metrics),
        r#"{"totalEntries":4,"averageConfidence":0.7,"lastUpdated":"2026-01-01T00:00:00Z"}"#
    );
}

#[test]
fn copies_are_merged_to_all_events_of_both() {
    let ours = log(&[first(), update("a", 5, "e1", "")]);
    let theirs = log(&[update("c", 6, "b", ""), update("b", 4, "e1", ""), first()]);
    let merged = merge_playbooks(&ours, &theirs).unwrap();
    assert_eq!(merged.added, ["b", "c"]);
    assert_eq!(merged.conflicts, []);
    let found = check(
        &document(&told(&merged.value)),
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
    let again = merge_playbooks(&document(&told(&merged.value)), &theirs).unwrap();
    assert_eq!(told(&again.value), told(&merged.value));
    let changed = log(&[first().replace("\"rule\"", "\"note\"")]);
    let merged = merge_playbooks(&ours, &changed).unwrap();
    assert_eq!(merged.conflicts.len(), 1);
    assert_eq!(merged.conflicts[0].at, "e1");
    assert_eq!(told(&merged.value), told(ours.value()));
}

/// Events of a few entries, each of which follows any event.
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
    fn the_order_of_delivery_decides_nothing(events in events(), seed in any::<u64>()) {
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
    fn copies_merge_to_the_same_entries_whichever_comes_first(events in events(), cut in 0..14_usize, from in 0..14_usize) {
        // Of one log no event has two contents.
        let mut seen = std::collections::BTreeSet::new();
        let whole: Vec<String> = events.into_iter().filter(|event| seen.insert(event[12..14].to_owned())).collect();
        let ours = log(&whole[..cut.min(whole.len())]);
        let theirs = log(&whole[from.min(whole.len())..]);
        let one = merge_playbooks(&ours, &theirs).unwrap();
        let other = merge_playbooks(&theirs, &ours).unwrap();
        prop_assert!(one.conflicts.is_empty() && other.conflicts.is_empty());
        let folded = |value: &Value<'_>| serde_json::to_string(&fold(&items(&document(&told(value))))).unwrap();
        prop_assert_eq!(folded(&one.value), folded(&other.value));
        if cut >= from {
            let all = serde_json::to_string(&fold(&items(&log(&whole)))).unwrap();
            prop_assert_eq!(folded(&one.value), all);
        }
    }
}
