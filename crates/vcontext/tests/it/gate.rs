//! Tests what every change has to preserve.

use windlass_vcontext::{EditError, Note, Value, accepted, set_item};

use crate::edit::author;
use crate::support::{document, json_text};

const LOCK: &str = r#","lockedBy":{"agent":{"id":"bob","type":"human"},"acquiredAt":"2025-01-01T00:00:00Z","type":"hard"}"#;

fn plan(lock: &str, percent: &str, part: &str, sequence: &str, log: &str) -> String {
    format!(
        r#"{{"vContextInfo":{{"version":"0.4"}},"plan":{{"title":"P","status":"draft","narratives":{{"proposal":"x"}},"sequence":{sequence},"changeLog":[{log}],"items":[{{"id":"s","title":"S","status":"pending","percentComplete":{percent}{lock},"subItems":[{{"id":"a","title":"A","status":"{part}"}}]}}]}}}}"#
    )
}

fn value(text: &str) -> Value<'static> {
    document(text).value().clone()
}

fn pass(before: &str, after: &str) -> Result<String, EditError> {
    let value = accepted(
        &document(before),
        value(after),
        &author("me"),
        &Note::update("it"),
    )?;
    Ok(json_text(&value))
}

#[test]
fn accepted_updates_derived_fields() {
    let before = plan("", "0", "pending", "4", "");
    let log = r#"{"sequence":5,"timestamp":"2026-01-01T00:00:00Z","agent":{"id":"me","type":"aiAgent"},"operation":"update","description":"it"}"#;
    let after = plan("", "0", "completed", "4", "");
    let want = plan("", "100", "completed", "5", log);
    assert_eq!(pass(&before, &after).unwrap(), want);
    // A change is recorded once, and only if there is one.
    assert_eq!(pass(&before, &want).unwrap(), want);
    assert_eq!(pass(&before, &before).unwrap(), before);
    // `4.0` is a valid sequence as well.
    let whole = plan("", "0", "pending", "4.0", "");
    let want = plan("", "100", "completed", "5", log);
    assert_eq!(
        pass(&whole, &after.replace("\"sequence\":4", "\"sequence\":4.0")).unwrap(),
        want
    );
}

#[test]
fn accepted_refuses_locked_change() {
    let before = plan(LOCK, "0", "pending", "4", "");
    for after in [
        before.replace("\"S\"", "\"Z\""),
        before.replace(LOCK, ""),
        before.replace("\"percentComplete\":0", "\"percentComplete\":100"),
        before.replace("\"id\":\"s\"", "\"id\":\"t\""),
    ] {
        let refused = pass(&before, &after).unwrap_err();
        assert!(matches!(refused, EditError::Locked { .. }), "{after}");
    }
    // The part is an item of its own. The stage's progress is updated after the lock.
    let read = document(&before);
    let fields = Value::parse(r#"{"status":"completed"}"#)
        .unwrap()
        .into_owned();
    let done = set_item(&read, "a", fields.as_object().unwrap(), &author("me"), None).unwrap();
    let text = json_text(&done.value);
    assert!(
        text.contains(r#""percentComplete":0,"#) && text.contains("completed"),
        "{text}"
    );
    assert!(accepted(&read, done.value, &author("me"), &Note::update("it")).is_ok());
    let own = set_item(
        &read,
        "a",
        fields.as_object().unwrap(),
        &author("bob"),
        None,
    )
    .unwrap();
    assert!(json_text(&own.value).contains(r#""percentComplete":100,"#));
}
