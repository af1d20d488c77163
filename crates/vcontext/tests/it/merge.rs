use proptest::prelude::*;
use windlass_vcontext::{Document, Value, merge_documents};

use crate::support::{any_json, object, told};

fn value(text: &str) -> Value<'static> {
    Document::parse("d.json", text.as_bytes())
        .unwrap()
        .value()
        .clone()
}

#[track_caller]
fn merged(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
    let merged = merge_documents(&value(base), &value(ours), &value(theirs));
    let paths = merged.conflicts.into_iter().map(|one| one.path).collect();
    (told(&merged.value), paths)
}

const NONE: &[String] = &[];

#[test]
fn changes_in_different_places_are_both_kept() {
    let base = r#"{"items":[{"id":"a","status":"pending","x":1.0},{"id":"b","status":"pending"}],"tags":["p","q"],"sequence":3}"#;
    let ours = r#"{"items":[{"id":"a","status":"completed","x":1.0},{"id":"b","status":"pending"}],"tags":["q","r"],"sequence":5}"#;
    let theirs = r#"{"sequence":4,"items":[{"id":"c","status":"new"},{"id":"b","status":"blocked"},{"id":"a","status":"pending","x":1.0,"y":2}],"tags":["p","q","s"]}"#;
    let want = r#"{"items":[{"id":"a","status":"completed","x":1.0,"y":2},{"id":"b","status":"blocked"},{"id":"c","status":"new"}],"tags":["q","r","s"],"sequence":5}"#;
    let (text, conflicts) = merged(base, ours, theirs);
    assert_eq!((text.as_str(), &conflicts[..]), (want, NONE));
}

#[test]
fn what_contradicts_is_told_and_ours_stays() {
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
fn what_one_side_takes_out_goes_unless_the_other_changed_it() {
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
        r#"{"items":[{"id":"b","s":1},{"id":"a","s":2}],"x":1}"#
    );
    assert_eq!(conflicts, ["$.items[?(@.id=='a')]"]);
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(96))]

    #[test]
    fn whoever_changed_nothing_takes_over_the_other(
        base in object(any_json()),
        other in object(any_json()),
    ) {
        let (base_text, other_text) = (told(&value(&base)), told(&value(&other)));
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
