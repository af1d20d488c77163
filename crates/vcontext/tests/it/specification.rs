//! Tests every document that the specification prints.

use windlass_vcontext::{
    CheckOptions, Encoding, Value, Version, check, document_schema, without_nulls,
};

use crate::support::{PAIRS, document, json_text, named, rules};

#[test]
fn example_parses_in_both_encodings() {
    for (name, json, tron) in PAIRS {
        let json = named(&format!("{name}.json"), json);
        let tron = named(&format!("{name}.tron"), tron);
        assert_eq!(json.encoding(), Encoding::Json);
        assert_eq!(tron.encoding(), Encoding::Tron);
        let container = json.container().unwrap().0;
        assert_eq!(tron.container().unwrap().0, container);
    }
}

#[test]
fn example_is_valid_unless_older() {
    let validator = jsonschema::validator_for(&document_schema(Version::first())).unwrap();
    for (name, json, tron) in PAIRS {
        let found = check(
            &named(&format!("{name}.json"), json),
            &CheckOptions::default(),
        );
        assert!(found.is_empty(), "{name}: {found}");
        let parsed: serde_json::Value = serde_json::from_str(json).unwrap();
        assert!(validator.is_valid(&parsed), "{name}");
        let found = check(
            &named(&format!("{name}.tron"), tron),
            &CheckOptions::default(),
        );
        if name == "playbook-reliability" {
            assert_eq!(rules(&found), ["older-shape"; 3], "{found}");
            assert!(found.to_string().contains("`text` becomes the narrative"));
        } else {
            assert!(found.is_empty(), "{name}: {found}");
        }
    }
}

#[test]
fn example_encodings_are_equal() {
    for (name, json, tron) in PAIRS {
        let json = named(&format!("{name}.json"), json);
        let tron = named(&format!("{name}.tron"), tron);
        let same = without_nulls(tron.value()) == without_nulls(json.value());
        assert_eq!(same, name != "playbook-reliability", "{name}");
    }
}

#[test]
fn snippet_is_not_a_document() {
    let snippet = include_str!("../../../tron/tests/data/spec/snippet.json");
    let found = check(&document(snippet), &CheckOptions::default());
    assert_eq!(rules(&found), ["missing-info", "no-container"]);
}

/// These are the two documents that link to each other, with `...` filled in.
#[test]
fn mutual_links_are_valid() {
    for text in [
        r#"{"vContextInfo": {"version": "0.4"}, "plan": {"title": "Feature Implementation", "status": "draft", "narratives": {"proposal": "x"}, "uris": [{"uri": "file://./tasks.vcontext.json", "type": "x-vcontext/todoList"}]}}"#,
        r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"items": [{"title": "Implement auth feature", "status": "pending", "uris": [{"uri": "file://./auth-plan.vcontext.json", "type": "x-vcontext/plan"}]}]}}"#,
    ] {
        let found = check(&document(text), &CheckOptions::default());
        assert!(found.is_empty(), "{found}");
    }
}

#[test]
fn nulls_of_unknown_fields_stay() {
    let read = document(
        r#"{"vContextInfo": {"version": "0.4", "author": null, "x": null}, "todoList": {"items": [{"title": "a", "status": "pending", "metadata": {"y": null}, "tags": null, "z": [null]}]}}"#,
    );
    let value: Value<'_> = without_nulls(read.value());
    assert_eq!(
        json_text(&value),
        r#"{"vContextInfo":{"version":"0.4","x":null},"todoList":{"items":[{"title":"a","status":"pending","metadata":{"y":null},"z":[null]}]}}"#
    );
}
