use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Runbook;

fn schemas() -> Vec<Value> {
    vec![
        Runbook::json_schema(),
        json!({
            "type": "object",
            "$defs": { "Node": {
                "type": "object",
                "properties": { "a": { "$ref": "#/$defs/Node" }, "b": { "type": ["integer", "null"], "minimum": 1, "maximum": 3 } },
                "additionalProperties": false,
            } },
            "properties": {
                "a": { "$ref": "#/$defs/Node" },
                "b": { "anyOf": [{ "type": "string", "maxLength": 2 }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }] },
                "c": { "oneOf": [{ "const": "x" }, { "enum": ["y", 1] }] },
                "d": { "allOf": [{ "type": "number", "exclusiveMinimum": 0 }, { "maximum": 2 }] },
                "e": { "type": "array", "prefixItems": [{ "type": "boolean" }], "items": { "type": "integer" } },
            },
            "required": ["a"],
            "additionalProperties": { "type": "boolean" },
        }),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1i64..5).prop_map(Value::from),
        Just(json!(1.5)),
        "[xya1]{0,3}".prop_map(Value::from),
        Just(json!("search")),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop_oneof![
            "[a-e]",
            "id|uses|with|steps|if|schema_version|inputs|policy|retry|from|outputs"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..5).prop_map(|fields| json!(fields)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// `jsonschema` accepts and rejects the same values.
    #[test]
    fn check_agrees_with_jsonschema(value in value()) {
        for schema in schemas() {
            let mut schema = schema;
            forget_patterns(&mut schema);
            let theirs = jsonschema::is_valid(&schema, &value);
            let ours = Schema::new(&schema).check(&value, false, usize::MAX);
            prop_assert_eq!(ours.is_empty(), theirs, "{} {:?}", value, ours);
        }
    }

    /// Any path into a valid value can be followed.
    #[test]
    fn follow_valid_value_succeeds(value in value()) {
        let schema = &schemas()[1];
        if !Schema::new(schema).check(&value, false, usize::MAX).is_empty() {
            return Ok(());
        }
        let mut todo = vec![(Shapes::new(schema), &value)];
        while let Some((shapes, value)) = todo.pop() {
            if let Some(types) = shapes.types() {
                let found = type_of(value);
                prop_assert!(types.contains(found) || (found == "integer" && types.contains("number")));
            }
            let parts: Vec<(String, &Value)> = match value {
                Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
                Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
                _ => Vec::new(),
            };
            for (token, part) in parts {
                match shapes.follow(&token) {
                    Follow::To(next) => todo.push((next, part)),
                    Follow::Unknown => {}
                    Follow::Nowhere(_) => prop_assert!(false, "{token} of {value}"),
                }
            }
        }
    }
}

/// Removes what we don't support, i.e. patterns and integers that are written as `1.0`.
fn forget_patterns(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("pattern").is_some_and(Value::is_string) {
                fields.remove("pattern");
            }
            fields.values_mut().for_each(forget_patterns);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_patterns),
        _ => {}
    }
}

#[test]
fn reference_loop_accepted() {
    let schema = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } });
    assert!(
        Schema::new(&schema)
            .check(&json!({ "x": 1 }), false, usize::MAX)
            .is_empty()
    );
    assert!(matches!(Shapes::new(&schema).follow("x"), Follow::Unknown));
    let schema = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] });
    assert!(
        Schema::new(&schema)
            .check(&json!(1), false, usize::MAX)
            .len()
            <= 1
    );
    assert!(matches!(Shapes::new(&schema).follow("x"), Follow::Unknown));
}

#[test]
fn reference_fits_any_type() {
    let schema = &schemas()[1];
    let value = json!({ "a": { "$ref": "#/inputs/x" }, "b": [{ "$ref": "#/inputs/x", "$default": 1 }], "c": { "$ref": "#/inputs/x" } });
    assert_eq!(Schema::new(schema).check(&value, true, usize::MAX), []);
    assert!(Schema::new(schema).check(&value, false, usize::MAX).len() >= 2);
}

#[test]
fn bounds_large_integers_exact() {
    let most = u64::MAX - 1;
    let schema = json!({ "type": "integer", "maximum": most, "exclusiveMinimum": i64::MIN });
    let fits = |value: Value| {
        Schema::new(&schema)
            .check(&value, false, usize::MAX)
            .is_empty()
    };
    assert!(fits(json!(most)) && fits(json!(i64::MIN + 1)));
    assert!(!fits(json!(u64::MAX)) && !fits(json!(i64::MIN)));
}
