//! How much work a schema can make of one value: schemas that lead to each other many times over take a checker longer than
//! anybody waits.

use std::collections::BTreeMap;

use serde_json::Value;

/// The most schemas that a schema may stand for with all it leads to, each as often as it is led to.
const MAX_SCHEMAS: u64 = 100_000;

/// What a keyword's schemas are: one, a list, or one for each name. Keywords that only look like some are left out.
const SINGLE: [&str; 12] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: [&str; 4] = [
    "dependentSchemas",
    "patternProperties",
    "properties",
    "dependencies",
];

/// Where the schemas of JSON Schema itself stand, which the checker brings along.
const META: &str = "https://json-schema.org/";

/// Says what is wrong with `schema` where it stands for more schemas than can be looked at, or leads where that cannot be said. One that leads back to itself
/// counts once: how far that goes is up to the value.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    let mut known = BTreeMap::new();
    let all = Walk { root: schema }.count(schema, "", &mut known)?;
    match all <= MAX_SCHEMAS {
        true => Ok(()),
        false => Err(format!(
            "it leads to more than {MAX_SCHEMAS} schemas, each counted as often as it is led to"
        )),
    }
}

struct Walk<'a> {
    root: &'a Value,
}

impl<'a> Walk<'a> {
    /// How many schemas `schema` stands for; those that references lead to are `known` by their place, with 1 while they are
    /// being counted.
    fn count(
        &self,
        schema: &'a Value,
        place: &str,
        known: &mut BTreeMap<String, u64>,
    ) -> Result<u64, String> {
        let Value::Object(fields) = schema else {
            return Ok(1);
        };
        if let Some(count) = known.get(place) {
            return Ok(*count);
        }
        known.insert(place.to_owned(), 1);
        let mut all: u64 = 1;
        for (keyword, value) in fields {
            let below = |name: &str| format!("{place}/{keyword}{name}");
            let mut add = |schema: &'a Value, place: &str| {
                all = all.saturating_add(self.count(schema, place, known)?);
                Ok::<(), String>(())
            };
            match value {
                Value::String(reference) if keyword == "$ref" || keyword == "$dynamicRef" => {
                    if let Some((target, schema)) = self.target(reference)? {
                        add(schema, target)?;
                    }
                }
                Value::Array(list) if LISTS.contains(&&**keyword) || keyword == "items" => {
                    for (nr, schema) in list.iter().enumerate() {
                        add(schema, &below(&format!("/{nr}")))?;
                    }
                }
                Value::Object(named) if NAMED.contains(&&**keyword) => {
                    for (name, schema) in named {
                        add(schema, &below(&format!("/{}", escaped(name))))?;
                    }
                }
                schema if SINGLE.contains(&&**keyword) => add(schema, &below(""))?,
                _ => {}
            }
        }
        known.insert(place.to_owned(), all);
        Ok(all)
    }

    /// The schema that a reference leads to, with its place; none where that is one of JSON Schema itself.
    fn target<'r>(&self, reference: &'r str) -> Result<Option<(&'r str, &'a Value)>, String> {
        if reference.starts_with(META) {
            return Ok(None);
        }
        let place = reference.strip_prefix('#');
        let found = place.and_then(|place| Some((place, self.root.pointer(place)?)));
        found.map(Some).ok_or_else(|| {
            format!("`{reference}` leads to no part of it by its path, such as `#/$defs/NAME`")
        })
    }
}

/// As a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_doubles_itself_at_each_step_is_too_much() {
        let mut definitions = serde_json::Map::new();
        for nr in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", nr + 1) });
            definitions.insert(format!("d{nr}"), json!({ "anyOf": [next, next] }));
        }
        definitions.insert("d40".to_owned(), json!({ "type": "string" }));
        let schema =
            |from: usize| json!({ "$ref": format!("#/$defs/d{from}"), "$defs": definitions });
        assert!(check(&schema(0)).unwrap_err().contains("100000"));
        assert_eq!(check(&schema(30)), Ok(()));
    }

    #[test]
    fn schemas_that_lead_back_to_themselves_are_counted_once() {
        let schema = json!({
            "$defs": {
                "tree": {
                    "type": "object",
                    "properties": { "a/b": { "$ref": "#/$defs/tree" }, "rest": { "$ref": "#" } },
                },
            },
            "anyOf": [{ "$ref": "#/$defs/tree" }, true],
            "enum": [{ "anyOf": 7 }],
        });
        assert_eq!(check(&schema), Ok(()));
    }

    #[test]
    fn nothing_is_led_to_behind_the_count() {
        for reference in ["#/%24defs/a", "#a", "a.json", "#/$defs/nobody"] {
            let schema = json!({
                "$ref": reference,
                "$defs": { "a": { "$anchor": "a", "$id": "a.json" } },
            });
            assert!(check(&schema).unwrap_err().contains(reference));
        }
        let meta = json!({ "$ref": "https://json-schema.org/draft/2020-12/schema" });
        assert_eq!(check(&meta), Ok(()));
    }
}
