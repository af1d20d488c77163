use windlass_vcontext::{CheckOptions, Document, check};

use crate::support::{document, named, rules};

const INFO: &str = r#""vContextInfo": {"version": "0.4"}"#;

pub(crate) fn todo(items: &str) -> String {
    format!("{{{INFO}, \"todoList\": {{\"items\": [{items}]}}}}")
}

pub(crate) fn plan(more: &str) -> String {
    format!(
        "{{{INFO}, \"plan\": {{\"title\": \"P\", \"status\": \"draft\", \"narratives\": {{\"proposal\": \"x\"}}{more}}}}}"
    )
}

pub(crate) fn playbook(items: &str) -> String {
    format!(
        "{{{INFO}, \"playbook\": {{\"version\": 1, \"created\": \"2025-01-01T00:00:00Z\", \"updated\": \"2025-01-09T00:00:00Z\", \"items\": [{items}]}}}}"
    )
}

pub(crate) fn event(id: &str, target: &str, more: &str) -> String {
    format!(
        r#"{{"eventId": "{id}", "targetId": "{target}", "createdAt": "2025-01-02T00:00:00Z", {more}}}"#
    )
}

pub(crate) const FIRST: &str =
    r#""operation": "append", "kind": "rule", "narrative": {"Overview": "x"}"#;

#[track_caller]
pub(crate) fn finds(text: &str, want: &[&str]) {
    let found = check(&document(text), &CheckOptions::default());
    assert_eq!(rules(&found), want, "{text}\n{found}");
    for one in found.iter() {
        assert!(one.place.is_some(), "{one:?}");
    }
}

#[test]
fn check_core_rules() {
    finds(&todo(""), &[]);
    finds("[]", &["not-an-object"]);
    finds("{}", &["missing-info", "no-container"]);
    finds(r#"{"vContextInfo": {"version": "0.4"}}"#, &["no-container"]);
    finds(
        r#"{"vContextInfo": {}, "todoList": {"items": []}}"#,
        &["missing-field"],
    );
    finds(
        r#"{"vContextInfo": {"version": "zero"}, "todoList": {"items": []}}"#,
        &["wrong-version"],
    );
    finds(
        &format!("{{{INFO}, \"todoList\": {{\"items\": []}}, \"plan\": {{}}}}"),
        &["several-containers"],
    );
    finds(
        &format!("{{{INFO}, \"todoList\": {{}}}}"),
        &["missing-field"],
    );
    finds(&format!("{{{INFO}, \"todoList\": []}}"), &["wrong-type"]);
    finds(&todo(r#"{"title": "x"}"#), &["missing-field"]);
    finds(
        &todo(r#"{"title": "", "status": "pending"}"#),
        &["empty-text"],
    );
    finds(
        &todo(r#"{"title": 1, "status": "pending"}"#),
        &["wrong-type"],
    );
    finds(
        &todo(r#"{"title": "x", "status": "in-progress"}"#),
        &["unknown-word"],
    );
    finds(&todo("3"), &["wrong-type"]);
    finds(&plan(""), &[]);
    finds(&plan(r#", "items": null"#), &["null-member"]);
    finds(
        &format!("{{{INFO}, \"plan\": {{\"title\": \"P\", \"status\": \"pending\"}}}}"),
        &["missing-field", "unknown-word"],
    );
}

#[test]
fn finding_has_location_and_help() {
    let text = todo("\n  {\"title\": \"ü\", \"status\": \"in_progress\"}\n");
    let found = check(
        &named("tasks/a.vcontext.json", &text),
        &CheckOptions::default(),
    );
    let one = found.iter().next().unwrap();
    assert_eq!(
        one.to_string(),
        "tasks/a.vcontext.json:2:28: `in_progress` is not a valid `status`"
    );
    assert_eq!(one.help.as_deref(), Some("did you mean `inProgress`?"));
}

#[test]
fn later_version_is_refused() {
    finds(
        r#"{"xBRIEFInfo": {"version": "0.9"}, "plan": {}}"#,
        &["later-version"],
    );
    finds(
        r#"{"vContextInfo": {"version": "0.5"}, "vSpec": {}}"#,
        &["later-version"],
    );
    finds(
        r#"{"vContextInfo": {"version": "1.0"}, "plan": {}}"#,
        &["later-version"],
    );
}

#[test]
fn check_extension_fields() {
    let item = |more: &str| todo(&format!(r#"{{"title": "x", "status": "pending", {more}}}"#));
    for (more, rule) in [
        (r#""created": "2025-12-28T07:35:00""#, "date-time"),
        (r#""created": "yesterday""#, "date-time"),
        (r#""created": 1"#, "wrong-type"),
        (r#""timezone": "+02:00""#, "time-zone"),
        (r#""percentComplete": 101"#, "out-of-range"),
        (r#""percentComplete": 100"#, "percent-status"),
        (r#""sequence": 1.5"#, "out-of-range"),
        (r#""sequence": -1"#, "out-of-range"),
        (r#""priority": "urgent""#, "unknown-word"),
        (r#""tags": "x""#, "wrong-type"),
        (r#""tags": [1]"#, "wrong-type"),
        (r#""narrative": "x""#, "older-shape"),
        (r#""narrative": {"Overview": 1}"#, "wrong-type"),
        (r#""narrative": {"overview": "x"}"#, "narrative-title"),
        (r#""participants": [{"id": "a"}]"#, "missing-field"),
        (
            r#""participants": [{"id": "a", "role": "boss"}]"#,
            "unknown-word",
        ),
        (r#""uris": [{"uri": "not a uri"}]"#, "uri"),
        (r#""uris": [{}]"#, "missing-field"),
        (
            r#""dueDate": "2025-01-01T00:00:00Z", "recurrence": {"frequency": "weekly", "byDay": ["XX"]}"#,
            "unknown-word",
        ),
        (
            r#""reminders": [{"trigger": "soon", "action": "display"}]"#,
            "duration",
        ),
        (r#""reminders": [{"trigger": "-PT15M"}]"#, "missing-field"),
        (r#""timezone": "Europe/Zurch""#, "time-zone"),
        (r#""dueDate": "2026-02-30T09:00:00Z""#, "date-time"),
        (r#""classification": "secret""#, "unknown-word"),
        (
            r#""lockedBy": {"agent": {"id": "a", "type": "human"}, "acquiredAt": "2025-01-01T00:00:00Z"}"#,
            "missing-field",
        ),
        (
            r#""created": "2025-01-02T00:00:00Z", "updated": "2025-01-01T00:00:00Z""#,
            "time-order",
        ),
        (r#""completed": "2025-01-02T00:00:00Z""#, "completed-status"),
        (r#""prioritty": "high""#, "misspelt-field"),
        (r#""description": "x""#, "older-shape"),
    ] {
        finds(&item(more), &[rule]);
    }
    finds(&item(r#""x-anything": null, "owner": {"y": [null]}"#), &[]);
    finds(
        &plan(r#", "references": [{"uri": "file://./a", "type": "text/plain"}]"#),
        &["unknown-word"],
    );
    finds(
        &plan(r#", "items": [{"title": "a", "status": "pending", "location": {"geo": [91, 0]}}]"#),
        &["location"],
    );
    finds(
        &plan(
            r#", "narratives2": 1, "sequence": 3, "fork": {"parentUid": "u", "parentSequence": 9, "forkedAt": "2025-01-01T00:00:00Z", "mergeStatus": "merged"}"#,
        ),
        &["fork-sequence", "merged-when"],
    );
}

#[test]
fn tron_null_field_is_absent() {
    let text = "class T: title, status, priority\nvContextInfo: {version: \"0.4\"}\ntodoList: {items: [T(\"a\", \"pending\", null)]}";
    assert!(check(&named("d.tron", text), &CheckOptions::default()).is_empty());
    let text = text.replace("\"pending\"", "null");
    let found = check(&named("d.tron", &text), &CheckOptions::default());
    assert_eq!(rules(&found), ["missing-field"]);
}

#[test]
fn check_dependencies() {
    let items = |items: &[(&str, &str)]| -> String {
        let each = items.iter().map(|(id, needs)| {
            format!(r#"{{"id": "{id}", "title": "{id}", "status": "pending", "dependencies": [{needs}]}}"#)
        });
        each.collect::<Vec<_>>().join(",\n")
    };
    finds(&todo(&items(&[("a", ""), ("b", r#""a""#)])), &[]);
    finds(&todo(&items(&[("a", ""), ("a", "")])), &["duplicate-id"]);
    finds(
        &todo(&items(&[("a", r#""c""#), ("b", "")])),
        &["unknown-dependency"],
    );
    finds(
        &todo(&items(&[("a", ""), ("b", r#""a", "a""#)])),
        &["duplicate-dependency"],
    );
    let circle = todo(&items(&[("a", r#""c""#), ("b", r#""a""#), ("c", r#""b""#)]));
    finds(&circle, &["dependency-cycle"]);
    let found = check(&document(&circle), &CheckOptions::default());
    assert!(
        found.to_string().contains("`a` -> `c` -> `b` -> `a`"),
        "{found}"
    );
    finds(&todo(&items(&[("a", r#""a""#)])), &["dependency-cycle"]);
    let nested = |inner: &str| {
        plan(&format!(
            r#", "items": [{{"id": "a", "title": "a", "status": "pending", "subItems": [{inner}]}}, {{"id": "z", "title": "z", "status": "pending"}}]"#
        ))
    };
    finds(&nested(&items(&[("b", r#""z""#)])), &[]);
    finds(&nested(&items(&[("b", r#""a""#)])), &["dependency-cycle"]);
    finds(&nested(&items(&[("z", "")])), &["duplicate-id"]);
    let done = r#"{"id": "a", "title": "a", "status": "pending"}, {"id": "b", "title": "b", "status": "completed", "dependencies": ["a"]}"#;
    finds(&todo(done), &["completed-early"]);
    let uids = r#"{"uid": "u", "title": "a", "status": "pending"}, {"uid": "u", "title": "b", "status": "pending"}"#;
    finds(&todo(uids), &["duplicate-uid"]);
}

#[test]
fn stage_list_has_its_own_scope() {
    let text = plan(
        r#", "items": [
        {"id": "a", "title": "a", "status": "pending", "todoList": {"items": [
            {"id": "a", "title": "x", "status": "pending"},
            {"id": "y", "title": "y", "status": "pending", "dependencies": ["z"]}]}},
        {"id": "z", "title": "z", "status": "pending"}]"#,
    );
    finds(&text, &[]);
}

#[test]
fn nesting_too_deep_is_reported() {
    let mut item = r#"{"title": "x", "status": "pending"}"#.to_owned();
    for _ in 0..3 {
        item = format!(r#"{{"title": "x", "status": "pending", "subItems": [{item}]}}"#);
    }
    finds(&plan(&format!(r#", "items": [{item}]"#)), &[]);
    let deeper = format!(r#"{{"title": "x", "status": "pending", "subItems": [{item}]}}"#);
    finds(
        &plan(&format!(r#", "items": [{deeper}]"#)),
        &["nesting-depth"],
    );
}

#[test]
fn sequence_decrease_is_reported() {
    let change = |sequence: u32, day: u32| {
        format!(
            r#"{{"sequence": {sequence}, "timestamp": "2025-01-0{day}T00:00:00Z", "agent": {{"id": "a", "type": "human"}}, "operation": "update"}}"#
        )
    };
    let log = |own: u32, changes: &[String]| {
        plan(&format!(
            r#", "sequence": {own}, "changeLog": [{}]"#,
            changes.join(",")
        ))
    };
    finds(&log(2, &[change(1, 1), change(2, 2)]), &[]);
    finds(&log(2, &[change(2, 1), change(1, 2)]), &["sequence-order"]);
    finds(&log(1, &[change(1, 1), change(2, 2)]), &["sequence-behind"]);
    finds(&log(2, &[change(1, 2), change(2, 1)]), &["change-order"]);
}

#[test]
fn findings_are_limited() {
    let items = vec![r#"{"title": "", "status": "x", "dependencies": ["nothing"]}"#; 500];
    let found = check(&document(&todo(&items.join(","))), &CheckOptions::default());
    assert_eq!(found.iter().len(), 201);
    assert!(found.to_string().ends_with("and 1300 more"), "{found}");
}

#[test]
fn older_form_is_reported_once() {
    let text = r#"{"vAgendaInfo": {"version": "0.3"}, "plan": {"title": "P", "status": "draft", "narratives": {"proposal": {"title": "Proposal", "content": "x"}}, "phases": []}}"#;
    finds(
        text,
        &["older-shape", "older-shape", "older-shape", "older-shape"],
    );
    let core = r#"{"vContextInfo": {"version": "0.4"}, "playbook": {"title": "Ops", "description": "d", "items": [{"title": "Stage first", "status": "active", "content": "Always."}]}}"#;
    let found = check(&document(core), &CheckOptions::default());
    assert!(
        rules(&found).iter().all(|rule| *rule == "older-shape"),
        "{found}"
    );
    assert!(found.has_errors());
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn any_document_is_checked(text in crate::support::object(crate::support::any_json())) {
        let document = Document::parse("d.json", text.as_bytes()).unwrap();
        let found = check(&document, &CheckOptions::default());
        proptest::prop_assert!(found.has_errors());
    }
}
