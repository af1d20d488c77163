//! JSON Schemas of plugins, and validation of values. Neither the schema nor the value can be
//! trusted, so we limit the work and the depth of the recursion.

use std::sync::OnceLock;

use serde_json::Value;
use windlass_base::Cancel;

use crate::plugin::counted_values::{self, Ended, MAX_WORK, counted};
use crate::plugin::effort::{self, Effort};

/// Maximum number of pairs of schema and value for which we describe a mismatch among alternatives.
///
/// The description lists every alternative that failed, so it could become huge.
const MAX_DESCRIBED: u64 = 20_000;
/// Stack size for recursive schemas.
///
/// The schema and the value may each be nested 128 levels deep, and the validator recurses through
/// both. Pages that are not used take no memory.
const DEEP_STACK: usize = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    /// The first mismatch, as a phrase with its location.
    #[error("does not fit its schema: {0}")]
    Wrong(String),
    #[error("is too large to validate against its schema")]
    TooMuch,
    #[error("was stopped during validation against its schema")]
    Stopped,
}

#[derive(Debug)]
pub(crate) struct Schema {
    text: Value,
    compiled: OnceLock<Result<Compiled, String>>,
    /// This is [`MAX_WORK`], except in tests.
    max_work: u64,
}

#[derive(Debug)]
struct Compiled {
    schema: jsonschema::Validator,
    effort: Effort,
}

/// Checks that `schema` is a JSON Schema that we can use.
///
/// # Errors
/// Returns a message if the schema is invalid or refers to another document.
pub(crate) fn check_schema(schema: &Value) -> Result<(), String> {
    Compiled::of(schema).map(drop)
}

impl Compiled {
    fn of(schema: &Value) -> Result<Self, String> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err("not a JSON Schema: expected an object".to_owned());
        }
        let (effort, places) = effort::check(schema)?;
        let mut schema = schema.clone();
        for place in places {
            if let Some(Value::Object(fields)) = schema.pointer_mut(&place) {
                let asked = counted_values::asked(fields);
                fields.insert(counted_values::KEYWORD.to_owned(), asked.into());
            }
        }
        let schema = counted_values::validator(&schema)?;
        Ok(Self { schema, effort })
    }
}

impl Schema {
    /// Creates the schema from `checked`, which [`check_schema`] must have accepted. We compile it
    /// when it is first used.
    pub(crate) fn new(checked: &Value) -> Self {
        Self {
            text: checked.clone(),
            compiled: OnceLock::new(),
            max_work: MAX_WORK,
        }
    }

    /// Validates `value` against the schema.
    ///
    /// # Errors
    /// Returns the first mismatch, or the reason for ending the validation early.
    pub(crate) fn check(&self, value: &Value, cancel: &Cancel) -> Result<(), Unfit> {
        let compiled = self.compiled.get_or_init(|| Compiled::of(&self.text));
        let mismatch = match compiled {
            Ok(compiled) => compiled.mismatch(value, self.max_work, cancel),
            Err(why) => Ok(Some(format!("/: its schema cannot be used: {why}"))),
        };
        match mismatch {
            Ok(None) => Ok(()),
            Ok(Some(wrong)) => Err(Unfit::Wrong(wrong)),
            Err(Ended::TooMuch) => Err(Unfit::TooMuch),
            Err(Ended::Stopped) => Err(Unfit::Stopped),
        }
    }
}

impl Compiled {
    fn mismatch(
        &self,
        value: &Value,
        max_work: u64,
        cancel: &Cancel,
    ) -> Result<Option<String>, Ended> {
        if !self.effort.recursive {
            return counted(max_work, cancel, || self.first_mismatch(value));
        }
        // The value decides how deep the recursion goes, so give it a thread with a larger stack.
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
            let check = || counted(max_work, cancel, || self.first_mismatch(value));
            let checking = thread.spawn_scoped(scope, check);
            let found = checking.ok().and_then(|checking| checking.join().ok());
            found.unwrap_or_else(|| Ok(Some("/: validation failed".to_owned())))
        })
    }

    fn first_mismatch(&self, value: &Value) -> Option<String> {
        if self.schema.is_valid(value) {
            return None;
        }
        let Effort {
            schemas,
            recursive,
            has_choices,
        } = self.effort;
        let is_bounded =
            || !recursive && count(value, MAX_DESCRIBED).saturating_mul(schemas) <= MAX_DESCRIBED;
        if has_choices && !is_bounded() {
            return Some("/: mismatch in a value too large to locate it".to_owned());
        }
        let error = self.schema.validate(value).err()?;
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "/" } else { &*place };
        // `masked` leaves out the value, which may be secret or very long.
        Some(format!("{place}: {}", error.masked()))
    }
}

/// Counts the values in `value`. We stop soon after the count has exceeded `max_work`.
fn count(value: &Value, max_work: u64) -> u64 {
    let mut all = 1;
    let mut add = |value| {
        all += count(value, max_work.saturating_sub(all));
        all > max_work
    };
    match value {
        Value::Array(list) => {
            let _ = list.iter().any(&mut add);
        }
        Value::Object(fields) => {
            let _ = fields.values().any(&mut add);
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mismatch(schema: &Value, value: &Value) -> Option<String> {
        check_schema(schema).unwrap();
        match Schema::new(schema).check(value, &Cancel::default()) {
            Ok(()) => None,
            Err(Unfit::Wrong(wrong)) => Some(wrong),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn small(schema: &Value) -> Schema {
        Schema {
            max_work: 1_000_000,
            ..Schema::new(schema)
        }
    }

    /// Makes a schema in which each of `steps` definitions refers to the next one twice.
    fn doubling(steps: usize) -> Value {
        let mut definitions = serde_json::Map::new();
        for nr in 0..steps {
            let next = json!({ "$ref": format!("#/$defs/d{}", nr + 1) });
            definitions.insert(format!("d{nr}"), json!({ "allOf": [next, next] }));
        }
        definitions.insert(format!("d{steps}"), json!({ "type": "integer" }));
        json!({ "type": "array", "items": { "$ref": "#/$defs/d0" }, "$defs": definitions })
    }

    #[test]
    fn check_large_work_is_bounded() {
        let schema = small(&doubling(14));
        assert_eq!(schema.check(&json!(vec![0; 3]), &Cancel::default()), Ok(()));
        let many = json!(vec![0; 100_000]);
        assert_eq!(schema.check(&many, &Cancel::default()), Err(Unfit::TooMuch));
        let stop = Cancel::default();
        stop.cancel();
        assert_eq!(schema.check(&many, &stop), Err(Unfit::Stopped));
        // Ending a validation early does no harm to the schema.
        assert_eq!(schema.check(&json!([0]), &Cancel::default()), Ok(()));
    }

    #[test]
    fn check_doubly_recursive_is_bounded() {
        let again = json!({ "items": { "$ref": "#/$defs/a" } });
        for (choices, negated) in [("allOf", false), ("anyOf", true), ("oneOf", false)] {
            let again = if negated {
                json!({ "not": again })
            } else {
                again.clone()
            };
            let schema =
                json!({ "$ref": "#/$defs/a", "$defs": { "a": { choices: [again, again] } } });
            let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
            let checked = small(&schema).check(&deep, &Cancel::default());
            assert!(
                !matches!(checked, Err(Unfit::Stopped)),
                "{choices}: {checked:?}"
            );
        }
    }

    #[test]
    fn mismatch_has_location_not_value() {
        let schema = json!({
            "type": "object",
            "properties": { "names": { "type": "array", "items": { "type": "string" } } },
            "required": ["names"],
        });
        assert_eq!(mismatch(&schema, &json!({ "names": ["a"] })), None);
        let wrong = mismatch(&schema, &json!({ "names": ["a", 731_519] })).unwrap();
        assert!(wrong.starts_with("/names/1: "), "{wrong}");
        assert!(!wrong.contains("731519"), "{wrong}");
        assert!(mismatch(&schema, &json!({})).unwrap().contains("names"));
    }

    #[test]
    fn mismatch_reports_first_only() {
        let again = json!({ "items": { "$ref": "#/$defs/a" } });
        for choices in ["allOf", "anyOf", "oneOf"] {
            let schema = json!({
                "$ref": "#/$defs/a",
                "$defs": { "a": { "type": "array", choices: [again, again] } },
            });
            // With a list of all mismatches, each level would double its length.
            let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
            assert!(mismatch(&schema, &deep).is_some());
        }
    }

    #[test]
    fn mismatch_of_alternatives_has_location() {
        let schema = json!({ "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] } });
        assert_eq!(mismatch(&schema, &json!(["a", null])), None);
        let wrong = mismatch(&schema, &json!(["a", 7])).unwrap();
        assert!(wrong.starts_with("/1: "), "{wrong}");
        let wrong = mismatch(&schema, &json!(vec![7; 20_000])).unwrap();
        assert!(wrong.contains("too large"), "{wrong}");
    }

    #[test]
    fn check_deep_input_does_not_overflow() {
        let deep = (0..100).fold(
            json!({ "$ref": "#/$defs/a" }),
            |inner, _| json!({ "allOf": [inner] }),
        );
        let schema = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "items": deep } } });
        let value = (0..126).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(mismatch(&schema, &value), None);
        let circle = json!({ "$ref": "#" });
        assert_eq!(mismatch(&circle, &json!(1)), None);
    }

    #[test]
    fn foreign_reference_is_refused() {
        for schema in [
            json!({ "$ref": "https://example.com/schema.json" }),
            json!({ "$ref": "file:///etc/passwd" }),
            json!({ "type": 7 }),
            json!([]),
        ] {
            assert!(check_schema(&schema).is_err(), "{schema}");
        }
    }
}
