//! JSON Schemas of plugins, and values against them.

use jsonschema::Validator;
use serde_json::Value;

use crate::effort;

/// The most mismatches that are told.
const MAX_TOLD: usize = 3;

/// Makes `schema` ready.
///
/// # Errors
/// Why it is no schema, or one that leads elsewhere.
pub(crate) fn validator(schema: &Value) -> Result<Validator, String> {
    if !schema.is_object() && !schema.is_boolean() {
        return Err("it is no JSON Schema: expected an object".to_owned());
    }
    effort::check(schema)?;
    jsonschema::draft202012::new(schema).map_err(|error| error.to_string())
}

/// What of `value` does not fit, in one phrase with places; `None` if all does.
pub(crate) fn mismatch(validator: &Validator, value: &Value) -> Option<String> {
    if validator.is_valid(value) {
        return None;
    }
    let told = validator.iter_errors(value).take(MAX_TOLD).map(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "/" } else { &*place };
        format!("{place}: {}", error.masked())
    });
    Some(told.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_told_with_its_place_and_without_its_value() {
        let schema = json!({
            "type": "object",
            "properties": { "names": { "type": "array", "items": { "type": "string" } } },
            "required": ["names"],
        });
        let schema = validator(&schema).unwrap();
        assert_eq!(mismatch(&schema, &json!({ "names": ["a"] })), None);
        let wrong = mismatch(&schema, &json!({ "names": ["a", 731_519] })).unwrap();
        assert!(wrong.starts_with("/names/1: "), "{wrong}");
        assert!(!wrong.contains("731519"), "{wrong}");
        assert!(mismatch(&schema, &json!({})).unwrap().contains("names"));
    }

    #[test]
    fn a_schema_that_leads_elsewhere_is_none() {
        for schema in [
            json!({ "$ref": "https://example.com/schema.json" }),
            json!({ "$ref": "file:///etc/passwd" }),
            json!({ "type": 7 }),
            json!([]),
        ] {
            assert!(validator(&schema).is_err(), "{schema}");
        }
    }
}
