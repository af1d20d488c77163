use proptest::prelude::*;
use windlass_vcontext::{Document, Value};

macro_rules! pair {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../tron/tests/data/spec/", $name, ".json")),
            include_str!(concat!("../../../tron/tests/data/spec/", $name, ".tron")),
        )
    };
}

/// The specification's examples, each with its name, JSON and TRON.
pub(crate) const PAIRS: [(&str, &str, &str); 6] = [
    pair!("todo-minimal"),
    pair!("plan-minimal"),
    pair!("playbook-minimal"),
    pair!("todo-incident"),
    pair!("plan-webhooks"),
    pair!("playbook-reliability"),
];

#[track_caller]
pub(crate) fn document(text: &str) -> Document {
    named("d.vcontext.json", text)
}

#[track_caller]
pub(crate) fn named(name: &str, text: &str) -> Document {
    match Document::parse(name, text.as_bytes()) {
        Ok(document) => document,
        Err(found) => panic!("{found}\n{text}"),
    }
}

/// Generates keys that are easily mistaken for other syntax.
pub(crate) fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "class",
            "true",
            "null",
            "__proto__",
            "",
            "a,b",
            "title",
            "status",
            "items",
            "narrative",
            "due-date",
            "description",
            "metadata",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z_]{1,6}",
        "\\PC{0,4}",
    ]
}

/// Generates any JSON as text, including numbers beyond the range of a double.
pub(crate) fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        prop::sample::select(vec![
            "1.0",
            "1e400",
            "-0",
            "12345678901234567890123",
            "0.10",
            "7"
        ])
        .prop_map(str::to_owned),
        "\\PC{0,8}".prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            object(inner),
        ]
    })
}

pub(crate) fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::btree_map(key(), value, 0..5).prop_map(|members| {
        let members: Vec<String> = members
            .into_iter()
            .map(|(key, value)| format!("{}:{value}", serde_json::to_string(&key).unwrap()))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Returns `value` as JSON text, with the keys in the same order and the numbers as written.
pub(crate) fn json_text(value: &Value<'_>) -> String {
    value.to_string()
}

pub(crate) fn rules(found: &windlass_base::Diagnostics) -> Vec<&'static str> {
    found.iter().map(|one| one.rule).collect()
}
