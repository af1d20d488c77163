use windlass_vcontext::{
    AgentKind, Author, CheckOptions, Document, EditError, Value, add_item, check, set_item,
};

use crate::support::{PAIRS, document, json_text, named};

const NOW: &str = "2026-01-01T00:00:00Z";

pub(crate) fn author(id: &str) -> Author {
    Author {
        id: id.to_owned(),
        kind: AgentKind::AiAgent,
        now: NOW.to_owned(),
    }
}

fn set(
    read: &Document,
    id: &str,
    fields: &str,
    who: &str,
) -> Result<windlass_vcontext::EditedItem, EditError> {
    let fields = Value::parse(fields).unwrap().into_owned();
    set_item(read, id, fields.as_object().unwrap(), &author(who), None)
}

fn at(value: &Value<'static>, path: &str) -> String {
    let mut at = value;
    for name in path.split('.') {
        at = match (name.parse::<usize>(), at) {
            (Ok(number), Value::Array(items)) => &items[number],
            _ => at.get(name).unwrap(),
        };
    }
    json_text(at)
}

#[test]
fn set_item_updates_all_bookkeeping() {
    let (_, json, _) = PAIRS[3];
    let read = named("t.json", json);
    let done = set(&read, "t1", r#"{"status":"completed"}"#, "me").unwrap();
    assert_eq!(
        done.asked_to_wait,
        Some("human-jt".to_owned()).filter(|_| false)
    );
    let me = r#"{"id":"me","type":"aiAgent"}"#;
    for (path, want) in [
        ("todoList.items.0.status", "\"completed\""),
        ("todoList.items.0.percentComplete", "100"),
        ("todoList.items.0.completed", "\"2026-01-01T00:00:00Z\""),
        ("todoList.items.0.updated", "\"2026-01-01T00:00:00Z\""),
        ("todoList.items.0.sequence", "4"),
        ("todoList.items.0.lastModifiedBy", me),
        ("todoList.sequence", "13"),
        ("todoList.lastModifiedBy", me),
        ("todoList.changeLog.2.sequence", "13"),
        ("todoList.changeLog.2.description", "\"item `t1`\""),
        ("vContextInfo.updated", "\"2026-01-01T00:00:00Z\""),
    ] {
        assert_eq!(at(&done.value, path), want, "{path}");
    }
    let options = CheckOptions {
        before: Some(&read),
        ..CheckOptions::default()
    };
    let found = check(&document(&json_text(&done.value)), &options);
    assert!(found.is_empty(), "{found}");
}

#[test]
fn set_item_derives_stage_progress() {
    let (_, json, _) = PAIRS[4];
    let read = named("p.json", json);
    let done = set(&read, "p1-1", r#"{"status":"completed"}"#, "me").unwrap();
    assert_eq!(at(&done.value, "plan.items.0.percentComplete"), "25");
    let fields = Value::parse(r#"{"id":"p1-3","title":"x","status":"completed"}"#)
        .unwrap()
        .into_owned();
    let more = add_item(
        &document(&json_text(&done.value)),
        Some("p1"),
        fields.as_object().unwrap(),
        &author("me"),
        Some(8),
    )
    .unwrap();
    assert_eq!(at(&more.value, "plan.items.0.percentComplete"), "40");
    assert_eq!(at(&more.value, "plan.items.0.subItems.2.id"), "\"p1-3\"");
    let found = check(&document(&json_text(&more.value)), &CheckOptions::default());
    assert!(!found.has_errors(), "{found}");
}

#[test]
fn set_item_preserves_the_rest() {
    let read = document(
        r#"{"x":1.0,"vContextInfo":{"version":"0.4"},"todoList":{"items":[{"y":null,"id":"a","title":"t","status":"pending","z":[1e400]}]}}"#,
    );
    let done = set(
        &read,
        "a",
        r#"{"status":"blocked","priority":"high"}"#,
        "me",
    )
    .unwrap();
    assert_eq!(
        json_text(&done.value),
        r#"{"x":1.0,"vContextInfo":{"version":"0.4"},"todoList":{"items":[{"y":null,"id":"a","title":"t","status":"blocked","z":[1e400],"priority":"high"}]}}"#
    );
    let back = set(
        &document(&json_text(&done.value)),
        "a",
        r#"{"status":"pending","priority":null}"#,
        "me",
    )
    .unwrap();
    assert_eq!(json_text(&back.value), json_text(read.value()));
}

#[test]
fn set_item_honours_locks() {
    let locked = |kind: &str, until: &str| {
        document(&format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"sequence":3,"items":[{{"id":"a","title":"t","status":"pending","lockedBy":{{"agent":{{"id":"other","type":"human"}},"acquiredAt":"2025-01-01T00:00:00Z","type":"{kind}"{until}}}}}]}}}}"#
        ))
    };
    let change = r#"{"status":"completed"}"#;
    let error = set(&locked("hard", ""), "a", change, "me").unwrap_err();
    assert_eq!(error.to_string(), "`other` has locked the item `a`");
    assert!(set(&locked("hard", ""), "a", change, "other").is_ok());
    assert!(
        set(
            &locked("hard", r#","expiresAt":"2025-06-01T00:00:00Z""#),
            "a",
            change,
            "me"
        )
        .is_ok()
    );
    let soft = set(
        &locked("soft", r#","expiresAt":"2027-01-01T00:00:00Z""#),
        "a",
        change,
        "me",
    )
    .unwrap();
    assert_eq!(soft.asked_to_wait.as_deref(), Some("other"));
    let fields = Value::parse(change).unwrap().into_owned();
    let late = set_item(
        &locked("soft", ""),
        "a",
        fields.as_object().unwrap(),
        &author("me"),
        Some(2),
    );
    assert!(matches!(
        late,
        Err(EditError::Changed {
            wanted: 2,
            found: 3
        })
    ));
}

#[test]
fn set_item_unknown_is_an_error() {
    let (_, json, _) = PAIRS[3];
    let error = set(&named("t.json", json), "t9", "{}", "me").unwrap_err();
    assert!(error.to_string().contains("unknown item `t9`"), "{error}");
    let (_, json, _) = PAIRS[5];
    assert!(matches!(
        set(&named("p.json", json), "x", "{}", "me"),
        Err(EditError::NoItems)
    ));
}

#[test]
fn set_item_aligns_status_and_percent() {
    let list = |item: &str| {
        document(&format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"items":[{{"id":"a","title":"x",{item}}}]}}}}"#
        ))
    };
    let summary_of = |item: &Value<'static>| {
        let percent = item.get("percentComplete").map(json_text);
        (
            json_text(item.get("status").unwrap()),
            percent.unwrap_or_default(),
        )
    };
    for (before, fields, status, percent) in [
        (
            r#""status":"pending""#,
            r#"{"percentComplete":100}"#,
            "inProgress",
            "100",
        ),
        (
            r#""status":"pending""#,
            r#"{"percentComplete":30}"#,
            "pending",
            "30",
        ),
        (
            r#""status":"completed""#,
            r#"{"percentComplete":30}"#,
            "inProgress",
            "30",
        ),
        (
            r#""status":"pending""#,
            r#"{"status":"completed","percentComplete":30}"#,
            "completed",
            "100",
        ),
        (
            r#""status":"completed""#,
            r#"{"status":"pending","percentComplete":100}"#,
            "pending",
            "0",
        ),
        (
            r#""status":"pending""#,
            r#"{"status":"inProgress","percentComplete":30}"#,
            "inProgress",
            "30",
        ),
    ] {
        let done = set(&list(before), "a", fields, "me").unwrap();
        let want = (format!("{status:?}"), percent.to_owned());
        assert_eq!(summary_of(&done.item), want, "{before} {fields}");
        let found = check(&document(&json_text(&done.value)), &CheckOptions::default());
        assert!(found.is_empty(), "{found}");
    }
    let fields = Value::parse(r#"{"id":"b","title":"y","status":"pending","percentComplete":100}"#);
    let fields = fields.unwrap().into_owned();
    let read = list(r#""status":"pending""#);
    let added = add_item(
        &read,
        None,
        fields.as_object().unwrap(),
        &author("me"),
        None,
    )
    .unwrap();
    assert_eq!(
        summary_of(&added.item),
        ("\"inProgress\"".to_owned(), "100".to_owned())
    );
}
