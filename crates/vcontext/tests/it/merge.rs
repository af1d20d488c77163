use proptest::prelude::*;
use windlass_vcontext::{AgentKind, Author, Document, Value, merge_documents};

use crate::support::{any_json, json_text, object};

fn value(text: &str) -> Value<'static> {
    Document::parse("d.json", text.as_bytes())
        .unwrap()
        .value()
        .clone()
}

#[track_caller]
pub(crate) fn merged(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
    let merged = merge_documents(&value(base), &value(ours), &value(theirs), &author());
    let summary_of = merged.conflicts.into_iter().map(|one| match one.rule {
        Some(rule) => format!("{rule} {}", one.path),
        None => one.path,
    });
    (json_text(&merged.value), summary_of.collect())
}

pub(crate) const NONE: &[String] = &[];

#[test]
fn merge_disjoint_changes_are_joined() {
    let base = r#"{"items":[{"id":"a","status":"pending","x":1.0},{"id":"b","status":"pending"}],"tags":["p","q"],"sequence":3}"#;
    let ours = r#"{"items":[{"id":"a","status":"completed","x":1.0},{"id":"b","status":"pending"}],"tags":["q","r"],"sequence":5}"#;
    let theirs = r#"{"sequence":4,"items":[{"id":"c","status":"new"},{"id":"b","status":"blocked"},{"id":"a","status":"pending","x":1.0,"y":2}],"tags":["p","q","s"]}"#;
    let want = r#"{"items":[{"id":"c","status":"new"},{"id":"b","status":"blocked"},{"id":"a","status":"completed","x":1.0,"y":2}],"tags":["q","r","s"],"sequence":5}"#;
    let (text, conflicts) = merged(base, ours, theirs);
    assert_eq!((text.as_str(), &conflicts[..]), (want, NONE));
}

#[test]
fn merge_conflict_retains_ours() {
    let base = r#"{"plan":{"items":[{"id":"p1","status":"pending"}],"odd key":[1]}}"#;
    let ours = r#"{"plan":{"items":[{"id":"p1","status":"completed"}],"odd key":[2]}}"#;
    let theirs = r#"{"plan":{"items":[{"id":"p1","status":"blocked"}],"odd key":[3]}}"#;
    let (text, conflicts) = merged(base, ours, theirs);
    assert_eq!(text, ours);
    assert_eq!(
        conflicts,
        ["$.plan.items[?(@.id=='p1')].status", "$.plan['odd key']"]
    );
}

#[test]
fn merge_removal_yields_to_change() {
    let base = r#"{"items":[{"id":"a","s":1},{"id":"b","s":1}],"x":1}"#;
    let (text, conflicts) = merged(
        base,
        r#"{"items":[{"id":"b","s":1}],"x":1}"#,
        r#"{"items":[{"id":"a","s":1},{"id":"b","s":1}]}"#,
    );
    assert_eq!(
        (text.as_str(), &conflicts[..]),
        (r#"{"items":[{"id":"b","s":1}]}"#, NONE)
    );
    let (text, conflicts) = merged(
        base,
        r#"{"items":[{"id":"b","s":1}],"x":1}"#,
        r#"{"items":[{"id":"a","s":2},{"id":"b","s":1}],"x":1}"#,
    );
    assert_eq!(
        text,
        r#"{"items":[{"id":"a","s":2},{"id":"b","s":1}],"x":1}"#
    );
    assert_eq!(conflicts, ["$.items[?(@.id=='a')]"]);
}

pub(crate) fn author() -> Author {
    Author {
        id: "me".to_owned(),
        kind: AgentKind::Human,
        now: "2026-01-01T00:00:00Z".to_owned(),
    }
}

const PARENT: &str = r#"{"vContextInfo":{"version":"0.4"},"todoList":{"id":"L","uid":"parent","sequence":3,"items":[{"id":"a","title":"A","status":"pending"}]}}"#;

/// Returns the parent, and a fork in which the parent's item is done.
///
/// `log` goes before the items.
fn forked(log: &str) -> (String, String) {
    let base = PARENT.replace("\"items\"", &format!("{log}\"items\""));
    let fork = windlass_vcontext::fork(&value(&base), "fork", Some("to try"), &author()).unwrap();
    let fork = json_text(&fork)
        .replace("pending", "completed")
        .replace("\"sequence\":3,\"items\"", "\"sequence\":4,\"items\"");
    (base, fork)
}

#[test]
fn fork_has_parent_uid() {
    let (_, fork) = forked("");
    assert_eq!(
        fork,
        r#"{"vContextInfo":{"version":"0.4"},"todoList":{"id":"L","uid":"fork","sequence":4,"items":[{"id":"a","title":"A","status":"completed"}],"fork":{"parentUid":"parent","parentSequence":3,"forkedAt":"2026-01-01T00:00:00Z","forkReason":"to try","mergeStatus":"unmerged"}}}"#
    );
    let unnamed = value(r#"{"plan":{"title":"P"}}"#);
    assert!(windlass_vcontext::fork(&unnamed, "fork", None, &author()).is_err());
    let named = windlass_vcontext::forkable(&unnamed, "u").unwrap().unwrap();
    assert_eq!(
        json_text(&named),
        r#"{"plan":{"title":"P","uid":"u","sequence":0}}"#
    );
    assert_eq!(windlass_vcontext::forkable(&named, "v"), Ok(None));
}

#[test]
fn merge_of_fork_retains_parent_uid() {
    let (base, fork) = forked("");
    let changed = base
        .replace("\"sequence\":3", "\"sequence\":7")
        .replace("\"A\"", "\"A2\"");
    for (ours, sequence, title) in [(&base, 4, "A"), (&changed, 8, "A2")] {
        let done = merge_documents(&value(&base), &value(ours), &value(&fork), &author());
        let want = format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"id":"L","uid":"parent","sequence":{sequence},"items":[{{"id":"a","title":"{title}","status":"completed"}}]}}}}"#
        );
        assert_eq!(json_text(&done.value), want);
        let closed = json_text(&done.fork.unwrap());
        let record = r#""mergeStatus":"merged","mergedAt":"2026-01-01T00:00:00Z","mergedBy":{"id":"me","type":"human"}"#;
        assert!(
            closed.contains(record) && closed.contains(r#""uid":"fork""#),
            "{closed}"
        );
    }
    // A fork without changes leaves the parent as it is.
    let same = json_text(&windlass_vcontext::fork(&value(&base), "fork", None, &author()).unwrap());
    let done = merge_documents(&value(&base), &value(&changed), &value(&same), &author());
    assert_eq!(json_text(&done.value), changed);
}

#[test]
fn merge_of_fork_is_logged_in_parent() {
    let log = r#""changeLog":[{"sequence":3,"timestamp":"2025-12-01T00:00:00Z","agent":{"id":"x","type":"human"},"operation":"create"}],"#;
    let (base, fork) = forked(log);
    for ours in [base.clone(), base.replace("\"A\"", "\"A2\"")] {
        let done = merge_documents(&value(&base), &value(&ours), &value(&fork), &author());
        let text = json_text(&done.value);
        let noted = r#"{"sequence":4,"timestamp":"2026-01-01T00:00:00Z","agent":{"id":"me","type":"human"},"operation":"merge","description":"the fork `fork` was merged"}],"#;
        assert!(
            text.contains(noted) && text.contains(r#""sequence":4,"#),
            "{text}"
        );
    }
}

#[test]
fn fork_conflicts_are_recorded() {
    let (base, fork) = forked("");
    let ours = base.replace("pending", "blocked");
    let done = merge_documents(&value(&base), &value(&ours), &value(&fork), &author());
    assert_eq!(done.conflicts.len(), 1);
    let closed = json_text(&done.fork.unwrap());
    let record = r#""mergeStatus":"conflict","conflictResolution":{"strategy":"threeWayMerge","conflicts":[{"path":"$.todoList.items[?(@.id=='a')].status","baseValue":"pending","oursValue":"blocked","theirsValue":"completed","status":"unresolved"}]}"#;
    assert!(closed.contains(record), "{closed}");
}

#[test]
fn parent_merge_leaves_fork_a_fork() {
    let (base, fork) = forked("");
    let parent = base
        .replace("\"sequence\":3", "\"sequence\":9")
        .replace("\"A\"", "\"A2\"");
    let done = merge_documents(&value(&base), &value(&fork), &value(&parent), &author());
    let text = json_text(&done.value);
    assert!(
        text.contains(r#""uid":"fork""#) && text.contains(r#""parentSequence":9"#),
        "{text}"
    );
    assert!(text.contains(r#""A2""#) && done.fork.is_none(), "{text}");
    // Two versions of the same fork are merged like any other document.
    let done = merge_documents(&value(&fork), &value(&fork), &value(&text), &author());
    assert_eq!(json_text(&done.value), text);
    assert!(done.fork.is_none());
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(96))]

    #[test]
    fn merge_unchanged_side_takes_other(
        base in object(any_json()),
        other in object(any_json()),
    ) {
        let (base_text, other_text) = (json_text(&value(&base)), json_text(&value(&other)));
        let (text, conflicts) = merged(&base, &base, &other);
        prop_assert!(conflicts.is_empty());
        prop_assert_eq!(value(&text), value(&other_text));
        let (text, conflicts) = merged(&base, &other, &base);
        prop_assert!(conflicts.is_empty());
        prop_assert_eq!(text, other_text);
        let (text, conflicts) = merged(&base, &base, &base);
        prop_assert!(conflicts.is_empty());
        prop_assert_eq!(text, base_text);
    }
}

#[test]
fn merge_derived_fields_never_conflict() {
    let event = |id: &str, confidence: &str| {
        format!(
            r#"{{"eventId":"{id}","targetId":"t{id}","operation":"append","kind":"note","narrative":{{"Overview":"x"}},"confidence":{confidence},"createdAt":"2025-01-0{id}T00:00:00Z"}}"#
        )
    };
    let playbook = |version: u32, events: &[String], updated: &str, metrics: &str| {
        format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"playbook":{{"version":{version},"created":"2025-01-01T00:00:00Z","updated":"{updated}","items":[{}],"metrics":{{{metrics}}}}}}}"#,
            events.join(",")
        )
    };
    let (one, two, three) = (event("1", "0.5"), event("2", "0.7"), event("3", "0.9"));
    let base = playbook(
        1,
        std::slice::from_ref(&one),
        "2025-01-01T00:00:00Z",
        r#""totalEntries":1,"averageConfidence":0.5"#,
    );
    let ours = playbook(
        2,
        &[one.clone(), two.clone()],
        "2025-01-02T00:00:00Z",
        r#""totalEntries":2,"averageConfidence":0.6"#,
    );
    let theirs = playbook(
        2,
        &[one.clone(), three.clone()],
        "2025-01-03T00:00:00Z",
        r#""totalEntries":2,"averageConfidence":0.7"#,
    );
    let want = playbook(
        3,
        &[one, two, three],
        "2025-01-03T00:00:00Z",
        r#""totalEntries":3,"averageConfidence":0.7"#,
    );
    let (text, conflicts) = merged(&base, &ours, &theirs);
    assert_eq!((text.as_str(), &conflicts[..]), (want.as_str(), NONE));
}

#[test]
fn merge_joins_change_logs() {
    let list = |sequence: u32, log: &str| {
        format!(r#"{{"todoList":{{"items":[],"sequence":{sequence},"changeLog":[{log}]}}}}"#)
    };
    let change = |sequence: u32, hour: u32, what: &str| {
        format!(
            r#"{{"sequence":{sequence},"timestamp":"2025-01-01T0{hour}:00:00Z","operation":"update","description":"{what}"}}"#
        )
    };
    let first = change(1, 1, "first");
    let base = list(1, &first);
    let ours = list(
        3,
        &format!(
            "{first},{},{}",
            change(2, 2, "ours"),
            change(3, 5, "ours late")
        ),
    );
    let theirs = list(2, &format!("{first},{}", change(2, 3, "theirs")));
    let want = list(
        5,
        &format!(
            "{first},{},{},{},{}",
            change(2, 2, "ours"),
            change(3, 3, "theirs"),
            change(4, 5, "ours late"),
            r#"{"sequence":5,"timestamp":"2026-01-01T00:00:00Z","agent":{"id":"me","type":"human"},"operation":"merge","description":"two versions were merged"}"#
        ),
    );
    let (text, conflicts) = merged(&base, &ours, &theirs);
    assert_eq!((text.as_str(), &conflicts[..]), (want.as_str(), NONE));
    assert_eq!(merged(&base, &theirs, &ours).0, want);
}

#[test]
fn merge_matches_unnamed_by_contents() {
    let list = |items: &str| format!(r#"{{"items":[{items}]}}"#);
    let base = list(
        r#"{"id":"a","title":"A","s":1},{"title":"B","s":1},{"title":"C","s":1},{"title":"C","s":2}"#,
    );
    let ours = list(
        r#"{"id":"a","title":"A","s":2},{"title":"B","s":2},{"title":"C","s":1},{"title":"C","s":2},{"title":"N"}"#,
    );
    let theirs = list(
        r#"{"id":"a","title":"A","s":1,"x":1},{"id":"b","title":"B","s":1},{"title":"C","s":1},{"title":"C","s":3},{"title":"N"}"#,
    );
    let want = list(
        r#"{"id":"a","title":"A","s":2,"x":1},{"title":"B","s":2,"id":"b"},{"title":"C","s":1},{"title":"C","s":3},{"title":"N"}"#,
    );
    let (text, conflicts) = merged(&base, &ours, &theirs);
    assert_eq!((text.as_str(), &conflicts[..]), (want.as_str(), NONE));
    // The title has changed at the same position.
    let ours = base.replace(r#""title":"B""#, r#""title":"B2""#);
    let theirs = base.replace(r#"{"title":"B","s":1}"#, r#"{"title":"B","s":9}"#);
    let (text, conflicts) = merged(&base, &ours, &theirs);
    assert_eq!(
        text,
        base.replace(r#"{"title":"B","s":1}"#, r#"{"title":"B2","s":9}"#)
    );
    assert_eq!(conflicts, NONE);
    // Both sides change the value, but differently.
    let ours = base.replace(r#"{"title":"B","s":1}"#, r#"{"title":"B","s":8}"#);
    assert_eq!(
        merged(&base, &ours, &theirs).1,
        ["$.items[?(@.title=='B')].s"]
    );
}
