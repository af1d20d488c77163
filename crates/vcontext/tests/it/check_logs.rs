//! Tests logs of events, sequences, and relations between entries.

use windlass_vcontext::{CheckOptions, check};

use crate::check::{FIRST, event, finds, plan, playbook, todo};
use crate::support::{document, rules};

#[test]
fn check_playbook_threads() {
    let first = event("e1", "t", FIRST);
    let update = |id: &str, prev: &str| {
        event(
            id,
            "t",
            &format!(r#""operation": "update", "prevEventId": "{prev}""#),
        )
    };
    let log = |events: &[&str]| playbook(&events.join(",\n"));
    finds(
        &log(&[&first, &update("e2", "e1"), &update("e3", "e2")]),
        &[],
    );
    finds(&log(&[&update("e2", "e1"), &first]), &[]);
    finds(
        &log(&[&first, &first]),
        &["duplicate-event", "second-beginning"][..1],
    );
    finds(
        &log(&[&first, &event("e2", "t", FIRST)]),
        &["second-beginning"],
    );
    finds(&log(&[&first, &update("e2", "e9")]), &["unknown-previous"]);
    finds(
        &log(&[&first, &update("e2", "e2")]),
        &["previous-is-itself"],
    );
    finds(
        &log(&[&first, &update("e2", "e1"), &update("e3", "e1")]),
        &["concurrent-events"],
    );
    finds(
        &log(&[&update("e1", "e2"), &update("e2", "e1")]),
        &["event-cycle"],
    );
    // A valid head doesn't hide a cycle, and neither does another cycle.
    finds(
        &log(&[&first, &update("e2", "e3"), &update("e3", "e2")]),
        &["event-cycle"],
    );
    finds(
        &log(&[
            &first,
            &update("e2", "e3"),
            &update("e3", "e2"),
            &update("e4", "e6"),
            &update("e5", "e4"),
            &update("e6", "e5"),
        ]),
        &["event-cycle", "event-cycle"],
    );
    let other = event("f1", "u", FIRST);
    finds(
        &log(&[&first, &other, &update("e2", "f1")]),
        &["previous-of-other"],
    );
    let with_previous = event("e2", "u", &format!(r#"{FIRST}, "prevEventId": "e1""#));
    finds(&log(&[&first, &with_previous]), &["previous-of-first"]);
    finds(
        &log(&[&event("e1", "t", r#""operation": "append""#)]),
        &["missing-field", "missing-field"],
    );
    finds(
        &log(&[&event("e1", "t", r#""operation": "update""#)]),
        &["missing-field"],
    );
    finds(
        &log(&[&event("e1", "t", r#""kind": "rule""#)]),
        &["missing-field"],
    );
    let with = |more: &str| event("e1", "t", &format!("{FIRST}, {more}"));
    for (more, rule) in [
        (
            r#""delta": {"helpfulCount": 1, "likes": 2}"#,
            "unknown-field",
        ),
        (r#""delta": {"helpfulCount": 1.5}"#, "out-of-range"),
        (r#""confidence": 1.1"#, "out-of-range"),
        (r#""supersededBy": "t""#, "relation-to-itself"),
        (r#""supersedes": ["gone"]"#, "unknown-entry"),
        (r#""status": "retired""#, "unknown-word"),
    ] {
        finds(&log(&[&with(more)]), &[rule]);
    }
    let empty = event(
        "e1",
        "t",
        r#""operation": "append", "kind": "rule", "narrative": {}"#,
    );
    finds(&log(&[&empty]), &["empty-narrative"]);
    let duplicate = event(
        "f1",
        "u",
        &format!(r#"{FIRST}, "status": "active", "duplicateOf": "t""#),
    );
    finds(&log(&[&first, &duplicate]), &["active-duplicate"]);
    let late = first.replace("2025-01-02", "2025-01-10");
    finds(&log(&[&late]), &["updated-behind"]);
    finds(
        &log(&[&late, &update("e2", "e1")]),
        &["updated-behind", "event-time"],
    );
    let metrics = log(&[&first]).replace(
        "\"version\": 1",
        r#""metrics": {"totalEntries": 2, "lastUpdated": "2025-01-01T00:00:00Z"}, "version": 1"#,
    );
    finds(&metrics, &["metrics", "metrics"]);
    finds(
        &plan(r#", "playbook": {"version": 1}"#),
        &["missing-field", "missing-field", "missing-field"],
    );
}

#[test]
fn fork_finding_names_counting_event() {
    let update = |id: &str, more: &str| {
        let prev = r#""operation": "update", "prevEventId": "e1""#;
        event(id, "the entry", &format!("{prev}{more}"))
    };
    let first = event("e1", "the entry", FIRST);
    let text = playbook(&[first, update("e2", ""), update("e3", "")].join(","));
    let found = check(&document(&text), &CheckOptions::default());
    let help = found.iter().next().unwrap().help.clone().unwrap();
    let command = "`e3` counts; `windlass doc playbook show`";
    assert!(help.starts_with(command), "{help}");
    let stray = r#", "metadata": {"resolvesEventIds": ["gone"]}"#;
    let first = event("e1", "the entry", FIRST);
    let text = playbook(&[first, update("e2", stray)].join(","));
    finds(&text, &["unknown-resolved"]);
}

#[test]
fn check_entry_relations() {
    let entry =
        |target: &str, more: &str| event(&format!("{target}1"), target, &format!("{FIRST}{more}"));
    let log = |events: &[String]| playbook(&events.join(",\n"));
    let ended = r#", "status": "deprecated""#;
    let ended_by = |by: &str| format!(r#", "status": "deprecated", "supersededBy": "{by}""#);
    finds(&log(&[entry("a", &ended_by("b")), entry("b", "")]), &[]);
    finds(
        &log(&[entry("a", ended), entry("b", r#", "supersedes": ["a"]"#)]),
        &[],
    );
    finds(
        &log(&[entry("a", ""), entry("b", r#", "supersedes": ["a"]"#)]),
        &["superseded-active"],
    );
    finds(
        &log(&[entry("a", r#", "supersededBy": "b""#), entry("b", "")]),
        &["superseded-active"],
    );
    finds(
        &log(&[
            entry("a", &ended_by("c")),
            entry("b", r#", "supersedes": ["a"]"#),
            entry("c", ""),
        ]),
        &["relation-mismatch"],
    );
    // The replacement was replaced as well.
    finds(
        &log(&[
            entry("a", &ended_by("c")),
            entry("b", &format!(r#", "supersedes": ["a"]{}"#, ended_by("c"))),
            entry("c", ""),
        ]),
        &[],
    );
    finds(
        &log(&[
            entry("a", &format!(r#", "supersedes": ["b"]{ended}"#)),
            entry("b", &format!(r#", "supersedes": ["a"]{ended}"#)),
        ]),
        &["supersedes-cycle"],
    );
    finds(
        &log(&[
            entry("a", &ended_by("b")),
            entry("b", &ended_by("c")),
            entry("c", &ended_by("a")),
        ]),
        &["supersedes-cycle"],
    );
    let duplicate = |of: &str| format!(r#", "duplicateOf": "{of}"{ended}"#);
    finds(
        &log(&[entry("a", &duplicate("b")), entry("b", &duplicate("a"))]),
        &["duplicate-cycle"],
    );
    finds(&log(&[entry("a", &duplicate("gone"))]), &["unknown-entry"]);
    finds(
        &log(&[entry("a", r#", "duplicateOf": "a""#)]),
        &["relation-to-itself"],
    );
    // A later event without the relation breaks the cycle.
    let back = event(
        "b2",
        "b",
        r#""operation": "update", "prevEventId": "b1", "supersedes": []"#,
    );
    finds(
        &log(&[
            entry("a", &format!(r#", "supersedes": ["b"]{ended}"#)),
            entry("b", &format!(r#", "supersedes": ["a"]{ended}"#)),
            back,
        ]),
        &[],
    );
}

#[test]
fn item_sequence_decrease_is_error() {
    let stage = |sequence: u32, inner: u32, list: u32| {
        plan(&format!(
            r#", "sequence": 4, "items": [{{"id": "a", "title": "a", "status": "pending", "sequence": {sequence},
            "todoList": {{"sequence": {list}, "items": [{{"id": "a", "title": "x", "status": "pending", "sequence": {inner}}}]}}}}]"#
        ))
    };
    let before = document(&stage(3, 7, 2));
    let against = |text: &str| {
        let options = CheckOptions {
            before: Some(&before),
            ..CheckOptions::default()
        };
        rules(&check(&document(text), &options))
    };
    assert!(against(&stage(3, 7, 2)).is_empty());
    assert!(against(&stage(4, 8, 3)).is_empty());
    for text in [stage(2, 7, 2), stage(3, 3, 2), stage(3, 7, 1)] {
        assert_eq!(against(&text), ["sequence-decreased"], "{text}");
    }
    let back = stage(3, 7, 2).replace("\"sequence\": 4", "\"sequence\": 3");
    assert_eq!(against(&back), ["sequence-decreased"]);
}

#[test]
fn derived_percentage_is_accepted() {
    let stage = |status: &str, percent: u32, part: &str| {
        plan(&format!(
            r#", "items": [{{"title": "a", "status": "{status}", "percentComplete": {percent}, "subItems": [{{"title": "b", "status": "{part}"}}]}}]"#
        ))
    };
    finds(&stage("pending", 100, "completed"), &[]);
    finds(&stage("pending", 100, "pending"), &["percent-status"]);
    finds(&stage("completed", 50, "completed"), &["percent-status"]);
}

#[test]
fn empty_proposal_is_an_error() {
    finds(&plan("").replace("\"x\"", "\"\""), &["empty-text"]);
}

#[test]
fn event_log_must_only_grow() {
    let first = event("e1", "t", FIRST);
    let other = event("f1", "u", FIRST);
    let before = document(&playbook(&format!("{first},{other}")));
    let against = |text: &str| {
        let options = CheckOptions {
            before: Some(&before),
            ..CheckOptions::default()
        };
        rules(&check(&document(text), &options))
    };
    assert!(against(&playbook(&format!("{other},{first}"))).is_empty());
    assert_eq!(against(&playbook(&first)), ["event-removed"]);
    let changed = first.replace("\"rule\"", "\"note\"");
    assert_eq!(
        against(&playbook(&format!("{changed},{other}"))),
        ["event-changed"]
    );
    let back = playbook(&format!("{first},{other}")).replace("\"version\": 1", "\"version\": 0");
    assert_eq!(against(&back), ["sequence-decreased"]);
    assert_eq!(against(&todo("")), ["other-container"]);
}

/// Users filter findings by rule, so the list of rules must be complete.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the sources of the checks are read"
)]
fn every_rule_is_documented() {
    let listed = include_str!("../../../../docs/reference/vcontext-rules.md");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/check");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let named = text
            .split("Diagnostic::error(")
            .flat_map(|part| part.split("Diagnostic::warning("))
            .skip(1);
        for rule in named.filter_map(|part| part.trim_start().strip_prefix('"')?.split('"').next())
        {
            count += 1;
            assert!(listed.contains(&format!("| `{rule}` |")), "{rule}");
        }
    }
    assert!(count > 60, "{count}");
    for rule in [
        "supersedes-cycle",
        "duplicate-cycle",
        "json-syntax",
        "tron-syntax",
    ] {
        assert!(listed.contains(&format!("| `{rule}` |")), "{rule}");
    }
}
