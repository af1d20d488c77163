//! Rules for merging order, derived fields, authors, events and locks.

use crate::merge::{NONE, merged};

fn list(names: &str) -> String {
    let items = names.chars().map(|name| format!(r#"{{"id":"{name}"}}"#));
    let items: Vec<String> = items.collect();
    format!(r#"{{"todoList":{{"items":[{}]}}}}"#, items.join(","))
}

#[test]
fn merge_additions_follow_predecessor() {
    for (base, ours, theirs, want) in [
        ("abc", "axbc", "abyc", "axbyc"),
        ("abc", "axbc", "aybc", "axybc"),
        ("abc", "xabc", "yabc", "xyabc"),
        ("abc", "abcx", "abcy", "abcxy"),
        // One side has another order.
        ("abc", "cba", "abcx", "cxba"),
        ("abc", "abxc", "cab", "cabx"),
        ("abc", "acb", "acb", "acb"),
        // An item behind a removed one stays where it was.
        ("abc", "ac", "abxyc", "axyc"),
        ("abc", "abxc", "ac", "axc"),
        ("abcd", "dabc", "bcd", "dbc"),
        ("ab", "abxy", "abyx", "abxy"),
    ] {
        let (text, conflicts) = merged(&list(base), &list(ours), &list(theirs));
        assert_eq!(
            (text, &conflicts[..]),
            (list(want), NONE),
            "{base} {ours} {theirs}"
        );
    }
    let (text, conflicts) = merged(&list("abc"), &list("bac"), &list("acb"));
    assert_eq!(text, list("bac"));
    assert_eq!(conflicts, ["order $.todoList.items"]);
}

fn plan(percent: &str, one: &str, two: &str) -> String {
    format!(
        r#"{{"plan":{{"items":[{{"id":"s","percentComplete":{percent},"subItems":[{{"id":"a","status":"{one}"}},{{"id":"b","status":"{two}"}}]}}]}}}}"#
    )
}

#[test]
fn merge_derives_stage_progress() {
    let base = plan("0", "pending", "pending");
    let done = plan("100", "completed", "completed");
    let ours = plan("50", "completed", "pending");
    assert_eq!(
        merged(&base, &ours, &plan("50", "pending", "completed")),
        (done, NONE.to_vec())
    );
    // If the sides have different percentages, we derive it as well.
    let (text, conflicts) = merged(&base, &ours, &plan("40", "pending", "blocked"));
    assert_eq!(
        (text, &conflicts[..]),
        (plan("50", "completed", "blocked"), NONE)
    );
    // A side whose parts are unchanged keeps its percentage.
    let theirs = plan("30", "pending", "pending");
    assert_eq!(merged(&base, &base, &theirs).0, theirs);
}

fn stamped(title: &str, tag: &str, by: &str, day: u32, sequence: u32) -> String {
    format!(
        r#"{{"todoList":{{"items":[{{"id":"a","title":"{title}","x":"{tag}","updated":"2025-01-0{day}T00:00:00Z","sequence":{sequence},"lastModifiedBy":{{"id":"{by}"}}}}],"sequence":{sequence},"lastModifiedBy":{{"id":"{by}"}}}}}}"#
    )
}

#[test]
fn merge_stamps_come_from_one_side() {
    let base = stamped("A", "x", "ann", 1, 3);
    let bob = stamped("B", "x", "bob", 2, 4);
    let cyn = stamped("A", "y", "cyn", 5, 6);
    let want = stamped("B", "y", "cyn", 5, 7);
    assert_eq!(merged(&base, &bob, &cyn), (want.clone(), NONE.to_vec()));
    assert_eq!(merged(&base, &cyn, &bob), (want.clone(), NONE.to_vec()));
    // The sequence stays the same if one version already includes the other, or only one side has
    // changes.
    assert_eq!(merged(&base, &want, &cyn).0, want);
    assert_eq!(merged(&bob, &want, &bob).0, want);
    assert_eq!(merged(&base, &base, &cyn).0, cyn);
}

#[test]
fn merge_sequence_accepts_float_form() {
    let of = |sequence: &str, what: &str| {
        format!(r#"{{"todoList":{{"items":[{{"id":"{what}"}}],"sequence":{sequence}}}}}"#)
    };
    let (text, conflicts) = merged(&of("1", "a"), &of("5.0", "b"), &of("1e1", "c"));
    assert!(text.ends_with(r#""sequence":11}}"#), "{text}");
    assert_eq!(conflicts, NONE);
}

fn events(events: &[(&str, &str)]) -> String {
    let events = events
        .iter()
        .map(|(id, says)| format!(r#"{{"eventId":"{id}","title":"{says}"}}"#));
    let events: Vec<String> = events.collect();
    format!(
        r#"{{"playbook":{{"version":1,"items":[{}]}}}}"#,
        events.join(",")
    )
}

#[test]
fn merge_events_stay_unchanged() {
    let (one, two) = (("1", "a"), ("2", "b"));
    let base = events(&[one, two]);
    for (ours, theirs, rule) in [
        (events(&[one]), base.clone(), "event-removed"),
        (base.clone(), events(&[two]), "event-removed"),
        (events(&[one]), events(&[one]), "event-removed"),
        (events(&[one, ("2", "z")]), base.clone(), "event-changed"),
        (base.clone(), events(&[("1", "z"), two]), "event-changed"),
    ] {
        let (text, conflicts) = merged(&base, &ours, &theirs);
        assert!(
            text.contains(r#""title":"a""#) && text.contains(r#""title":"b""#),
            "{text}"
        );
        assert!(!text.contains('z'), "{text}");
        assert_eq!(conflicts.len(), 1, "{conflicts:?}");
        assert!(conflicts[0].starts_with(rule), "{conflicts:?}");
    }
    // One side has removed the playbook as a whole.
    let whole = merged(&base, r#"{"x":1}"#, &base);
    assert!(whole.0.contains(r#""title":"b""#), "{}", whole.0);
    assert_eq!(whole.1, ["event-removed $.playbook"]);
    // Both sides have added an event with the same name, but not the same contents.
    let new = merged(
        &base,
        &events(&[one, two, ("3", "c")]),
        &events(&[one, two, ("3", "d")]),
    );
    assert_eq!(new.1, ["event-changed $.playbook.items[?(@.eventId=='3')]"]);
    let both = merged(
        &base,
        &events(&[one, two, ("3", "c")]),
        &events(&[one, two, ("4", "d")]),
    );
    let want =
        events(&[one, two, ("3", "c"), ("4", "d")]).replace("\"version\":1", "\"version\":2");
    assert_eq!(both, (want, NONE.to_vec()));
}

fn held(title: &str, lock: Option<&str>, part: &str) -> String {
    let lock = lock.map(|by| format!(r#","lockedBy":{{"agent":{{"id":"{by}"}},"type":"hard"}}"#));
    format!(
        r#"{{"plan":{{"items":[{{"id":"a","title":"{title}","percentComplete":0{},"subItems":[{{"id":"b","status":"{part}"}}]}}]}}}}"#,
        lock.unwrap_or_default()
    )
}

#[test]
fn merge_locked_item_stays() {
    let free = held("A", None, "pending");
    let bob = held("A", Some("bob"), "pending");
    let path = "locked $.plan.items[?(@.id=='a')]";
    // The lock may be on either side. The parts are items of their own, and can be changed.
    for (ours, theirs) in [
        (bob.clone(), held("Z", None, "completed")),
        (held("Z", None, "completed"), bob.clone()),
    ] {
        let (text, conflicts) = merged(&free, &ours, &theirs);
        assert_eq!(text, held("A", Some("bob"), "completed"));
        assert_eq!(conflicts, [path]);
    }
    // Another user can't remove the locked item.
    let (text, conflicts) = merged(&free, &bob, r#"{"plan":{"items":[]}}"#);
    assert_eq!((text, conflicts), (bob.clone(), vec![path.to_owned()]));
    // The owner of the lock can change the item, and so can anyone else once the lock is released.
    let own = held("B", Some("me"), "pending");
    assert_eq!(
        merged(&held("A", Some("me"), "pending"), &own, &own).1,
        NONE
    );
    let (text, conflicts) = merged(&bob, &bob, &held("C", None, "pending"));
    assert_eq!((text, &conflicts[..]), (held("C", None, "pending"), NONE));
    let (text, conflicts) = merged(&bob, &bob, &held("C", Some("bob"), "pending"));
    assert_eq!((text, conflicts), (bob, vec![path.to_owned()]));
}
