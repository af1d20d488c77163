use proptest::prelude::*;
use windlass_vcontext::{Document, Encoding, Layout, lightest_tron, without_nulls, write};

use crate::support::{PAIRS, any_json, document, json_text, named, object};

/// Writes the whole document again, whatever its text is.
fn rewritten(read: &Document) -> String {
    write(read.value(), read.encoding(), read.layout())
}

#[test]
fn write_json_retains_layout() {
    for text in [
        "{\n  \"a\": [\n    1.0,\n    {\n      \"b\": \"\\n\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}\n",
        "{\n\t\"a\": 1\n}",
        "{\n    \"a\": {\n        \"b\": 1e400\n    }\n}\n",
        "{\"a\":1}",
    ] {
        let read = document(text);
        assert_eq!(rewritten(&read), text);
    }
}

#[test]
fn write_tron_retains_layout() {
    let text = "class A: id, title, notes\n\n{\n  \"items\": [\n    A(0, \"a title\", []),\n    A(1, \"a title\", []),\n    A(2, \"a title\", [])\n  ]\n}\n";
    let read = named("d.tron", text);
    assert_eq!(rewritten(&read), text);
    let compact =
        "class A: id,title,notes\n\n{\"items\":[A(0,\"a\",[]),A(1,\"b\",[]),A(2,\"c\",[])]}";
    let read = named("d.tron", compact);
    assert_eq!(rewritten(&read), compact);
}

#[test]
fn write_example_round_trips() {
    for (name, json, _) in PAIRS {
        let read = named(&format!("{name}.json"), json);
        for layout in [Layout::compact(), Layout::pretty()] {
            let tron = write(read.value(), Encoding::Tron, &layout);
            let back = named("x.tron", &tron);
            let again = write(back.value(), Encoding::Json, &layout);
            assert_eq!(
                json_text(named("x.json", &again).value()),
                json_text(read.value())
            );
        }
    }
}

fn items() -> impl Strategy<Value = String> {
    let item = ("[a-z]{0,5}", any_json(), any_json()).prop_map(|(title, known, unknown)| {
        format!(r#"{{"title":"{title}","x-new":{unknown},"status":"pending","metadata":{known}}}"#)
    });
    prop::collection::vec(item, 0..6).prop_map(|items| items.join(","))
}

proptest! {
    #[test]
    fn write_both_encodings_round_trip(
        items in items(),
        before in object(any_json()),
        after in any_json(),
        pretty in any::<bool>(),
    ) {
        let text = format!(
            r#"{{"x":{before},"vContextInfo":{{"version":"0.4","y":{after}}},"todoList":{{"z":{before},"items":[{items}]}}}}"#
        );
        let layout = if pretty { Layout::pretty() } else { Layout::compact() };
        let read = document(&text);
        let tron = write(read.value(), Encoding::Tron, &layout);
        let back = Document::parse("d.tron", tron.as_bytes()).unwrap();
        prop_assert_eq!(json_text(back.value()), json_text(read.value()));
        let json = write(back.value(), Encoding::Json, &layout);
        serde_json::from_str::<serde::de::IgnoredAny>(&json).unwrap();
        let again = Document::parse("d.json", json.as_bytes()).unwrap();
        prop_assert_eq!(json_text(again.value()), json_text(read.value()));
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "\\PC{0,40}", name in "d(.json|.tron)?") {
        if let Ok(read) = Document::parse(&name, text.as_bytes()) {
            let written = rewritten(&read);
            let again = Document::parse("d.tron", written.as_bytes()).unwrap();
            prop_assert_eq!(json_text(again.value()), json_text(read.value()));
        }
    }
}

/// The numbers of tokens in what `stringify` of `@tron-format/tron` 0.1.3 makes of the examples.
const BY_REFERENCE: [(&str, usize); 6] = [
    ("todo-minimal", 39),
    ("plan-minimal", 62),
    ("playbook-minimal", 123),
    ("todo-incident", 1151),
    ("plan-webhooks", 1414),
    ("playbook-reliability", 658),
];

#[test]
fn lightest_tron_needs_no_more_tokens_than_reference() {
    for (name, tokens) in BY_REFERENCE {
        let (_, json, _) = PAIRS.into_iter().find(|(own, ..)| *own == name).unwrap();
        let value = without_nulls(document(json).value());
        let text = lightest_tron(&value);
        let own = windlass_tokens::count(&text);
        assert!(own <= tokens, "{name}: {own} > {tokens}");
        let again = without_nulls(named("d.tron", &text).value());
        assert_eq!(json_text(&again), json_text(&value), "{name}");
    }
    let (_, json, _) = PAIRS[5];
    let padded = lightest_tron(&without_nulls(document(json).value()));
    assert!(
        windlass_tokens::count(&padded) < 630,
        "absent fields are not padded"
    );
}

/// A key with the same name elsewhere isn't a field of the specification, so `null` is a value
/// there.
#[test]
fn lightest_tron_pads_no_free_fields() {
    let entry = |nr: u32, more: &str| {
        format!(r#"{{"key number one":"a{nr}","key number two":"b{nr}"{more}}}"#)
    };
    let entries: Vec<String> = (0..40)
        .map(|nr| {
            entry(
                nr,
                if nr % 2 == 0 {
                    ""
                } else {
                    r#","key number three":1"#
                },
            )
        })
        .collect();
    let text = format!(
        r#"{{"vContextInfo":{{"version":"0.4","metadata":{{"list":[{}]}}}},"todoList":{{"items":[]}}}}"#,
        entries.join(",")
    );
    let value = document(&text).value().clone();
    let tron = lightest_tron(&value);
    assert_eq!(json_text(named("d.tron", &tron).value()), json_text(&value));
}
