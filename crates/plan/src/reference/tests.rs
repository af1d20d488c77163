use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::StepView;

struct Run {
    inputs: Value,
    steps: Value,
    item: Option<Value>,
}

impl Scope for Run {
    fn input(&self, name: &str) -> Option<&Value> {
        self.inputs.get(name)
    }

    fn step(&self, id: &str) -> Option<StepView<'_>> {
        let step = self.steps.get(id)?;
        Some(StepView {
            status: step["status"].as_str()?,
            output: step.get("output"),
        })
    }

    fn item(&self) -> Option<&Value> {
        self.item.as_ref()
    }

    fn index(&self) -> Option<usize> {
        self.item.as_ref().map(|_| 7)
    }
}

fn run() -> Run {
    Run {
        inputs: json!({ "focus": "src", "list": ["a", "b"] }),
        steps: json!({
            "ok": { "status": "completed", "output": {
                "files": ["x", { "name": "y" }], "a/b": 1, "m~n": 2, "none": null,
                "evil": { "$ref": "#/inputs/focus" },
            } },
            "bad": { "status": "failed" },
        }),
        item: Some(json!({ "name": "it" })),
    }
}

fn resolved(template: &Value) -> String {
    match resolve_references(template, &run(), usize::MAX) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

fn pointer(text: &str) -> String {
    resolved(&json!({ "$ref": text }))
}

#[test]
fn references_resolved() {
    for (text, want) in [
        ("#/inputs/focus", r#""src""#),
        ("#/inputs/list/1", r#""b""#),
        ("#/steps/ok/output/files/1/name", r#""y""#),
        ("#/steps/ok/output/a~1b", "1"),
        ("#/steps/ok/output/m~0n", "2"),
        ("#/steps/ok/output/none", "null"),
        ("#/steps/ok/status", r#""completed""#),
        ("#/steps/bad/status", r#""failed""#),
        ("#/item/name", r#""it""#),
        ("#/index", "7"),
    ] {
        assert_eq!(pointer(text), want, "{text}");
    }
    assert_eq!(
        resolved(&json!({ "a": [{ "$ref": "#/inputs/focus" }, 1] })),
        r#"{"a":["src",1]}"#
    );
}

#[test]
fn resolved_size_limited() {
    let within = |template: &Value, bytes| match resolve_references(template, &run(), bytes) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    };
    let twice = json!([{ "$ref": "#/inputs/focus" }, "written", { "$ref": "#/inputs/focus" }]);
    assert_eq!(within(&twice, 10), r#"["src","written","src"]"#);
    assert_eq!(
        within(&twice, 9),
        "error: with `#/inputs/focus` its input is larger than the limit of 9 bytes"
    );
    // A default replaces a missing value, but not an oversized one.
    let defaulted = json!({ "$ref": "#/inputs/focus", "$default": 1 });
    assert!(within(&defaulted, 4).starts_with("error"));
    assert_eq!(
        within(&json!({ "$ref": "#/inputs/x", "$default": "long" }), 0),
        "\"long\""
    );
}

#[test]
fn missing_target_reason_given() {
    for (text, want) in [
        (
            "#/inputs/x",
            "`#/inputs/x` cannot be resolved: input `x` was not given",
        ),
        (
            "#/steps/bad/output/a",
            "`#/steps/bad/output/a` cannot be resolved: step `bad` is `failed`, so it has no output",
        ),
        (
            "#/steps/no/output",
            "`#/steps/no/output` cannot be resolved: there is no step `no`",
        ),
        (
            "#/steps/ok/output/x",
            "`#/steps/ok/output/x` cannot be resolved: there is no field `x`",
        ),
        (
            "#/inputs/list/01",
            "`#/inputs/list/01` cannot be resolved: `01` is not an index of a list",
        ),
        (
            "#/inputs/list/2",
            "`#/inputs/list/2` cannot be resolved: the list has 2 items, none at 2",
        ),
        (
            "#/inputs/focus/0",
            "`#/inputs/focus/0` cannot be resolved: `0` is looked up in a value that is neither list nor mapping",
        ),
        (
            "inputs/focus",
            "`inputs/focus` is not a reference: it must start with `#/`",
        ),
        (
            "#/inputs/~2",
            "`#/inputs/~2` is not a reference: `~` must be followed by `0` (for `~`) or `1` (for `/`)",
        ),
        (
            "#/steps/ok/data",
            "`#/steps/ok/data` is not a reference: write `#/steps/ID/output/…` or `#/steps/ID/status`",
        ),
    ] {
        assert_eq!(pointer(text), format!("error: {want}"), "{text}");
    }
    assert_eq!(
        resolved(&json!({ "$ref": 5 })),
        "error: `$ref` must be a string"
    );
}

#[test]
fn default_replaces_missing() {
    let with = |text: &str| resolved(&json!({ "$ref": text, "$default": null }));
    assert_eq!(with("#/steps/bad/output/a"), "null");
    assert_eq!(with("#/inputs/x"), "null");
    assert_eq!(with("#/inputs/focus"), r#""src""#);
    assert!(with("nonsense").starts_with("error: "));
}

#[test]
fn resolved_values_not_resolved_again() {
    assert_eq!(
        pointer("#/steps/ok/output/evil"),
        r##"{"$ref":"#/inputs/focus"}"##
    );
    let nested = json!({ "$ref": "#/inputs/x", "$default": { "$ref": "#/inputs/focus" } });
    assert_eq!(resolved(&nested), r##"{"$ref":"#/inputs/focus"}"##);
    assert!(find_references(&nested).len() == 1);
}

#[test]
fn reference_extra_key_literal() {
    let literal = json!({ "$ref": "#/inputs/focus", "x": 1 });
    assert_eq!(resolved(&literal), literal.to_string());
    assert!(is_spoiled(&literal));
    assert!(!is_spoiled(&json!({ "$ref": "other.yaml", "x": 1 })));
    let only_default = json!({ "$default": 1 });
    assert_eq!(resolved(&only_default), only_default.to_string());
}

#[test]
fn references_found_in_order() {
    let template = json!({
        "a/b": [1, { "$ref": "#/inputs/x" }],
        "c": { "d": { "$ref": "#/item", "$default": 1 } },
        "e": { "$ref": 1 },
    });
    let found = find_references(&template);
    let places: Vec<_> = found.iter().map(|found| found.at.as_str()).collect();
    assert_eq!(places, ["/a~1b/1", "/c/d", "/e"]);
    assert_eq!(found[2].reference, Err(RefError::NotText));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "[$#/a-z]{0,12}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let key = prop_oneof![
            "[a-c]",
            Just("$ref".to_owned()),
            Just("$default".to_owned())
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..3)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

proptest! {
    /// A template without references resolves to itself, so the finder and the resolver have to
    /// agree on what a reference is.
    #[test]
    fn finder_agrees_with_resolver(template in any_value()) {
        let found = find_references(&template);
        match resolve_references(&template, &run(), usize::MAX) {
            Ok(value) if found.is_empty() => prop_assert_eq!(value, template),
            Ok(_) => prop_assert!(found.iter().all(|found| found.reference.is_ok())),
            Err(_) => prop_assert!(!found.is_empty()),
        }
    }

    #[test]
    fn reference_any_text_no_panic(text in "#?(/[a-z~0-9]{0,6}){0,5}|\\PC{0,12}") {
        pointer(&text);
    }
}
