//! JSON Schemas of plugins, and values against them.

use std::sync::OnceLock;

use serde_json::Value;
use windlass_base::Cancel;

use crate::plugin::counted_values::{self, Ended, MAX_WORK, counted};
use crate::plugin::effort::{self, Effort};

/// The most pairs of schemas and values for which it is said what does not fit where several schemas could: who looks for that
/// notes each that does not.
const MAX_NOTED: u64 = 20_000;
/// The stack for values against schemas that lead back to themselves: both go 128 deep. Only what is touched costs memory.
const DEEP_STACK: usize = 64 << 20;

/// Why a value is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    /// What of it does not fit first, in one phrase with its place.
    #[error("does not fit its schema: {0}")]
    Wrong(String),
    #[error("is more than can be held against its schema")]
    TooMuch,
    #[error("was stopped while it was held against its schema")]
    Stopped,
}

/// A schema to check values against.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Value,
    compiled: OnceLock<Result<Compiled, String>>,
    /// The most work of one value.
    most: u64,
}

#[derive(Debug)]
struct Compiled {
    schema: jsonschema::Validator,
    effort: Effort,
}

/// Makes sure that `schema` is one.
///
/// # Errors
/// Why it is no schema, or one that leads elsewhere.
pub(crate) fn check_schema(schema: &Value) -> Result<(), String> {
    Compiled::of(schema).map(drop)
}

impl Compiled {
    fn of(schema: &Value) -> Result<Self, String> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err("it is no JSON Schema: expected an object".to_owned());
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
    /// A schema that was checked; it is compiled when that is needed.
    pub(crate) fn new(checked: &Value) -> Self {
        Self {
            text: checked.clone(),
            compiled: OnceLock::new(),
            most: MAX_WORK,
        }
    }

    /// Holds `value` against it.
    ///
    /// # Errors
    /// What does not fit; that it is too much; or that `cancel` was called.
    pub(crate) fn check(&self, value: &Value, cancel: &Cancel) -> Result<(), Unfit> {
        let compiled = self.compiled.get_or_init(|| Compiled::of(&self.text));
        let mismatch = match compiled {
            Ok(compiled) => compiled.mismatch(value, self.most, cancel),
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
    /// What of `value` does not fit first, in one phrase with its place.
    fn mismatch(&self, value: &Value, most: u64, cancel: &Cancel) -> Result<Option<String>, Ended> {
        if !self.effort.recursive {
            return counted(most, cancel, || self.first_mismatch(value));
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
            let check = || counted(most, cancel, || self.first_mismatch(value));
            let checking = thread.spawn_scoped(scope, check);
            let found = checking.ok().and_then(|checking| checking.join().ok());
            found.unwrap_or_else(|| Ok(Some("/: it could not be checked".to_owned())))
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
            || !recursive && count(value, MAX_NOTED).saturating_mul(schemas) <= MAX_NOTED;
        if has_choices && !is_bounded() {
            return Some("/: somewhere in it; it is too large to say where".to_owned());
        }
        let error = self.schema.validate(value).err()?;
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "/" } else { &*place };
        Some(format!("{place}: {}", error.masked()))
    }
}

/// How many values are in `value`, counted to `most` or a little further.
fn count(value: &Value, most: u64) -> u64 {
    let mut all = 1;
    let mut add = |value| {
        all += count(value, most.saturating_sub(all));
        all > most
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

    /// With little room, so that what is too much is soon so.
    fn small(schema: &Value) -> Schema {
        Schema {
            most: 1_000_000,
            ..Schema::new(schema)
        }
    }

    /// A schema that leads to an integer, twice at each of so many steps.
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
    fn many_schemas_for_many_values_come_to_an_end() {
        let schema = small(&doubling(14));
        assert_eq!(schema.check(&json!(vec![0; 3]), &Cancel::default()), Ok(()));
        let many = json!(vec![0; 100_000]);
        assert_eq!(schema.check(&many, &Cancel::default()), Err(Unfit::TooMuch));
        let stop = Cancel::default();
        stop.cancel();
        assert_eq!(schema.check(&many, &stop), Err(Unfit::Stopped));
        // It is as good as before for the next one.
        assert_eq!(schema.check(&json!([0]), &Cancel::default()), Ok(()));
    }

    #[test]
    fn values_that_fit_a_schema_which_leads_to_itself_twice_come_to_an_end() {
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
    fn what_does_not_fit_is_told_with_its_place_and_without_its_value() {
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
    fn what_does_not_fit_is_not_gathered() {
        let again = json!({ "items": { "$ref": "#/$defs/a" } });
        for choices in ["allOf", "anyOf", "oneOf"] {
            let schema = json!({
                "$ref": "#/$defs/a",
                "$defs": { "a": { "type": "array", choices: [again, again] } },
            });
            // Each level would double the list of mismatches: it would never come to an end.
            let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
            assert!(mismatch(&schema, &deep).is_some());
        }
    }

    #[test]
    fn the_place_is_told_where_one_of_several_would_do() {
        let schema = json!({ "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] } });
        assert_eq!(mismatch(&schema, &json!(["a", null])), None);
        let wrong = mismatch(&schema, &json!(["a", 7])).unwrap();
        assert!(wrong.starts_with("/1: "), "{wrong}");
        let wrong = mismatch(&schema, &json!(vec![7; 20_000])).unwrap();
        assert!(wrong.contains("too large"), "{wrong}");
    }

    #[test]
    fn deep_values_and_deep_schemas_together_do_not_fill_the_stack() {
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
    fn a_schema_that_leads_elsewhere_is_none() {
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
