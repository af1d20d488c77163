//! Estimates the work of validating values against a schema.
//!
//! Even a small schema can keep a validator busy forever if its parts refer to each other many
//! times: a chain of 40 definitions, each with two references to the next one, expands to a
//! trillion schemas. We compute the number of schemas after expanding all references, but without
//! actually expanding them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Maximum number of schemas after replacing every reference with its target.
const MAX_SCHEMAS: u64 = 100_000;

/// Keywords whose value is a single subschema.
///
/// The lists below are for keywords with a list of subschemas, and with a subschema per name.
/// Keywords without subschemas aren't included.
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

/// Keywords that give a part of a schema its own name or meaning.
///
/// We refuse them, so that every reference is a path. The only exception is a declaration of the
/// dialect at the root.
const NAMING: [&str; 5] = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$schema"];
/// Schemas of JSON Schema itself. We allow references to them, because the validator knows them.
const META: [&str; 2] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];
/// Maximum nesting depth of schemas, including references. That's how deep the validator recurses.
const MAX_DEPTH: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Number of schemas after replacing every reference with its target. A recursive reference
    /// only counts once.
    pub(crate) schemas: u64,
    /// True if a schema refers to itself. In that case, the depth of the recursion depends on the
    /// value.
    pub(crate) recursive: bool,
    /// True if a value may match one of several schemas.
    pub(crate) has_choices: bool,
}

/// Computes the work of validating against `schema`, and lists the locations of all subschemas.
///
/// Returns an error if it's too much, or if a reference leads nowhere.
pub(crate) fn check(schema: &Value) -> Result<(Effort, Vec<String>), String> {
    unnamed(schema, true)?;
    let mut walk = Walk::of(schema);
    walk.run()?;
    let schemas = match walk.known.get("") {
        Some(Counted { schemas, .. }) => *schemas,
        None => 1,
    };
    if schemas > MAX_SCHEMAS {
        return Err(format!(
            "it expands to more than {MAX_SCHEMAS} schemas, counted per reference"
        ));
    }
    let effort = Effort {
        schemas,
        recursive: walk.recursive,
        has_choices: walk.has_choices,
    };
    Ok((effort, walk.known.into_keys().collect()))
}

/// Refuses any part of `value` with a name of its own.
///
/// The path of a reference may lead through any value, so we have to look everywhere. A field with
/// the name `$id` is fine, because its value is a schema rather than a string. This is recursive,
/// but the JSON parser limits the depth.
fn unnamed(value: &Value, is_root: bool) -> Result<(), String> {
    match value {
        Value::Array(list) => list.iter().try_for_each(|value| unnamed(value, false)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| match value {
            Value::String(text) if NAMING.contains(&&**key) => {
                let is_dialect = is_root && key == "$schema" && META.contains(&&**text);
                match is_dialect {
                    true => Ok(()),
                    false => Err(format!(
                        "`{key}` is not supported there: the dialect has to be {}, and references have to use paths, such as `#/$defs/NAME`",
                        META[0]
                    )),
                }
            }
            value => unnamed(value, false),
        }),
        _ => Ok(()),
    }
}

/// The result for the schema at one location. It's preliminary until `done`.
#[derive(Debug, Clone, Copy)]
struct Counted {
    schemas: u64,
    depth: usize,
    done: bool,
}

/// The schema being counted, with the subschemas that are left and their locations.
struct Frame<'a> {
    place: String,
    left: Vec<(String, &'a Value)>,
}

/// Walks a schema. We keep our own stack, since recursion could overflow the thread's.
struct Walk<'a> {
    root: &'a Value,
    stack: Vec<Frame<'a>>,
    known: BTreeMap<String, Counted>,
    recursive: bool,
    has_choices: bool,
}

impl<'a> Walk<'a> {
    fn of(root: &'a Value) -> Self {
        Self {
            root,
            stack: Vec::new(),
            known: BTreeMap::new(),
            recursive: false,
            has_choices: false,
        }
    }

    fn run(&mut self) -> Result<(), String> {
        self.enter(String::new(), self.root)?;
        while let Some(frame) = self.stack.last_mut() {
            if let Some((place, schema)) = frame.left.pop() {
                self.enter(place, schema)?;
                continue;
            }
            let Some(frame) = self.stack.pop() else {
                break;
            };
            if let Some(counted) = self.known.get_mut(&frame.place) {
                counted.done = true;
                let counted = *counted;
                self.add(counted)?;
            }
        }
        Ok(())
    }

    /// Starts to count the schema at `place`. If we've counted it before, we just add the result.
    fn enter(&mut self, place: String, schema: &'a Value) -> Result<(), String> {
        if let Some(counted) = self.known.get(&place) {
            let counted = *counted;
            // A schema that isn't done is still on the stack, so it contains this reference to
            // itself.
            self.recursive |= !counted.done;
            return self.add(counted);
        }
        let counted = Counted {
            schemas: 1,
            depth: 1,
            done: false,
        };
        let Value::Object(fields) = schema else {
            return self.add(counted);
        };
        if self.stack.len() >= MAX_DEPTH {
            return Err(too_deep());
        }
        let left = self.below(&place, fields)?;
        self.known.insert(place.clone(), counted);
        self.stack.push(Frame { place, left });
        Ok(())
    }

    /// Adds the result of a schema to the schema on top of the stack, which refers to it.
    fn add(&mut self, of: Counted) -> Result<(), String> {
        let Some(counted) = self
            .stack
            .last()
            .and_then(|frame| self.known.get_mut(&frame.place))
        else {
            return Ok(());
        };
        counted.schemas = counted.schemas.saturating_add(of.schemas);
        counted.depth = counted.depth.max(of.depth + 1);
        match counted.depth <= MAX_DEPTH {
            true => Ok(()),
            false => Err(too_deep()),
        }
    }

    fn below(
        &mut self,
        place: &str,
        fields: &'a Map<String, Value>,
    ) -> Result<Vec<(String, &'a Value)>, String> {
        let mut all = Vec::new();
        for (keyword, value) in fields {
            self.has_choices |= keyword == "anyOf" || keyword == "oneOf";
            let below = |name: &str| format!("{place}/{keyword}{name}");
            match value {
                Value::String(reference) if keyword == "$ref" => {
                    all.extend(self.target(reference)?);
                }
                Value::Array(list) if LISTS.contains(&&**keyword) || keyword == "items" => {
                    let list = list.iter().enumerate();
                    all.extend(list.map(|(nr, schema)| (below(&format!("/{nr}")), schema)));
                }
                Value::Object(named) if NAMED.contains(&&**keyword) => {
                    all.extend(
                        named
                            .iter()
                            .map(|(name, schema)| (below(&format!("/{}", escaped(name))), schema)),
                    );
                }
                schema if SINGLE.contains(&&**keyword) => all.push((below(""), schema)),
                _ => {}
            }
        }
        Ok(all)
    }

    /// Resolves a reference to a schema and its location. Returns `None` if it refers to JSON
    /// Schema itself.
    fn target(&self, reference: &str) -> Result<Option<(String, &'a Value)>, String> {
        if META.contains(&reference) {
            return Ok(None);
        }
        let place = reference.strip_prefix('#');
        let found = place.and_then(|place| Some((place.to_owned(), self.root.pointer(place)?)));
        found.map(Some).ok_or_else(|| {
            format!("`{reference}` is not the path of a part of it, such as `#/$defs/NAME`")
        })
    }
}

fn too_deep() -> String {
    format!("its schemas or references are nested more than {MAX_DEPTH} deep")
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn check_exponential_schema_is_refused() {
        let mut definitions = serde_json::Map::new();
        for nr in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", nr + 1) });
            definitions.insert(format!("d{nr}"), json!({ "anyOf": [next, next] }));
        }
        definitions.insert("d40".to_owned(), json!({ "type": "string" }));
        let schema =
            |from: usize| json!({ "$ref": format!("#/$defs/d{from}"), "$defs": definitions });
        // Starting at the first definition, there are 2^40 schemas. The last ten only make about a
        // thousand.
        assert!(check(&schema(0)).unwrap_err().contains("100000"));
        assert!(!check(&schema(30)).unwrap().0.recursive);
    }

    #[test]
    fn check_recursive_schema_counts_once() {
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
        let (effort, _) = check(&schema).unwrap();
        assert!(
            effort.recursive && effort.has_choices && effort.schemas < 20,
            "{effort:?}"
        );
    }

    #[test]
    fn check_unknown_reference_is_refused() {
        for reference in ["#/%24defs/a", "#a", "a.json", "#/$defs/nobody"] {
            let schema = json!({
                "$ref": reference,
                "$defs": { "a": { "type": "string" } },
            });
            assert!(check(&schema).unwrap_err().contains(reference));
        }
        let meta = json!({ "$ref": "https://json-schema.org/draft/2020-12/schema" });
        assert!(check(&meta).is_ok());
        let meta = json!({ "$ref": "https://json-schema.org/draft/2020-12/schema#/$defs/x" });
        assert!(check(&meta).is_err());
    }

    #[test]
    fn check_named_part_is_refused() {
        let heavy = |name: &str| {
            let mut definitions = serde_json::Map::new();
            for nr in 0..22 {
                let next = json!({ "$ref": format!("#/$defs/d{}", nr + 1) });
                definitions.insert(format!("d{nr}"), json!({ "anyOf": [next, next] }));
            }
            definitions.insert("d22".to_owned(), json!({ "type": "string" }));
            json!({ "$id": name, "$defs": definitions, "$ref": "#/$defs/d0" })
        };
        // The first part poses as a part of JSON Schema, and the second one would change the base
        // of paths.
        let meta = "https://json-schema.org/x";
        let posing = json!({ "$ref": format!("{meta}#/$defs/d0"), "$defs": { "h": heavy(meta) } });
        assert!(check(&posing).is_err());
        let mut definitions = serde_json::Map::new();
        for nr in 0..23 {
            definitions.insert(format!("d{nr}"), json!(true));
        }
        definitions.insert("h".to_owned(), heavy("h.json"));
        let decoys = json!({ "$ref": "#/$defs/h", "$defs": definitions });
        assert!(check(&decoys).unwrap_err().contains("$id"));
        let through = json!({ "$ref": "#/$defs/h/$defs/d0", "$defs": { "h": heavy("h.json") } });
        assert!(check(&through).is_err());
        for keyword in ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef"] {
            assert!(check(&json!({ keyword: "#a" })).is_err(), "{keyword}");
        }
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        assert!(check(&json!({ "$schema": dialect })).is_ok());
        let below = json!({ "properties": { "a": { "$schema": dialect } } });
        assert!(check(&below).is_err());
        // As the name of a field, it's fine.
        let fields = json!({ "properties": { "$id": { "type": "string" } } });
        assert!(check(&fields).is_ok());
    }

    /// Makes definitions that each have a reference to the next one, wrapped by `wrapped`.
    fn chain(length: usize, wrapped: impl Fn(Value) -> Value) -> Value {
        let mut definitions = serde_json::Map::new();
        for nr in 0..length {
            let next = json!({ "$ref": format!("#/$defs/{}", nr + 1) });
            definitions.insert(nr.to_string(), wrapped(next));
        }
        definitions.insert(length.to_string(), json!(true));
        json!({ "$ref": "#/$defs/0", "$defs": definitions })
    }

    #[test]
    fn check_long_chain_is_refused() {
        // With a small stack, this test would crash if the walk were recursive.
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let checking = small.spawn(|| {
            assert!(
                check(&chain(8_600, |next| next))
                    .unwrap_err()
                    .contains("128")
            );
            assert!(check(&chain(60, |next| next)).is_ok());
            let nested = |next| json!({ "not": { "not": { "not": next } } });
            assert!(check(&chain(60, nested)).is_err());
        });
        checking.unwrap().join().unwrap();
        // The order makes no difference. Here, each definition is known before the reference to it.
        let mut chained = chain(300, |next| next);
        let all: Vec<_> = (0..300)
            .map(|nr| json!({ "$ref": format!("#/$defs/{nr}") }))
            .collect();
        chained["allOf"] = Value::Array(all);
        assert!(check(&chained).is_err());
    }
}
