//! How much work a schema can make of one value: schemas that lead to each other many times over take a checker longer than
//! anybody waits.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

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

/// What would give a part of a schema a name or a meaning of its own: references go by paths alone. The dialect may be
/// named at the root.
const NAMING: [&str; 5] = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$schema"];
/// The schemas of JSON Schema itself that the checker brings along.
const META: [&str; 2] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];
/// The most schemas that are inside of each other, or behind each other's references: who compiles them goes as deep.
const MAX_DEPTH: usize = 128;

/// How much work a schema can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// How many schemas it stands for, each as often as it is led to. One that leads back to itself counts once.
    pub(crate) schemas: u64,
    /// Whether a schema leads back to itself: how far that goes is up to the value.
    pub(crate) recursive: bool,
    /// Whether a value may fit one of several schemas.
    pub(crate) has_choices: bool,
}

/// How much work `schema` can make, with the places of all schemas in it; why where that is too much, or leads where it cannot
/// be said.
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
            "it leads to more than {MAX_SCHEMAS} schemas, each counted as often as it is led to"
        ));
    }
    let effort = Effort {
        schemas,
        recursive: walk.recursive,
        has_choices: walk.has_choices,
    };
    Ok((effort, walk.known.into_keys().collect()))
}

/// Says which part of `value` names itself, wherever that stands: a path may lead through anything. What are fields by such a name
/// have schemas, not texts. It is no deeper than what JSON is read at all.
fn unnamed(value: &Value, is_root: bool) -> Result<(), String> {
    match value {
        Value::Array(list) => list.iter().try_for_each(|value| unnamed(value, false)),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| match value {
            Value::String(text) if NAMING.contains(&&**key) => {
                let is_dialect = is_root && key == "$schema" && META.contains(&&**text);
                match is_dialect {
                    true => Ok(()),
                    false => Err(format!(
                        "`{key}` is not taken there: it is of the dialect {}, and its parts go by their paths, such as `#/$defs/NAME`",
                        META[0]
                    )),
                }
            }
            value => unnamed(value, false),
        }),
        _ => Ok(()),
    }
}

/// What is known of the schema at a place.
#[derive(Debug, Clone, Copy)]
struct Counted {
    schemas: u64,
    /// How many are below it, one in the other.
    depth: usize,
    done: bool,
}

/// A schema that is being counted, with the places of those it leads to that were not looked at yet.
struct Frame<'a> {
    place: String,
    left: Vec<(String, &'a Value)>,
}

/// Counts with a stack of its own: a schema must not decide how deep this program calls.
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

    /// Begins to count the schema at `place`, or takes what is known of it.
    fn enter(&mut self, place: String, schema: &'a Value) -> Result<(), String> {
        if let Some(counted) = self.known.get(&place) {
            let counted = *counted;
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

    /// Adds what is known of a schema to the one that leads to it.
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

    /// The schemas that the one at `place` leads to.
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

    /// The schema that a reference leads to, with its place; none where that is one of JSON Schema itself.
    fn target(&self, reference: &str) -> Result<Option<(String, &'a Value)>, String> {
        if META.contains(&reference) {
            return Ok(None);
        }
        let place = reference.strip_prefix('#');
        let found = place.and_then(|place| Some((place.to_owned(), self.root.pointer(place)?)));
        found.map(Some).ok_or_else(|| {
            format!("`{reference}` leads to no part of it by its path, such as `#/$defs/NAME`")
        })
    }
}

fn too_deep() -> String {
    format!("more than {MAX_DEPTH} schemas are in it one in the other, or one behind the other")
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
        assert!(!check(&schema(30)).unwrap().0.recursive);
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
        let (effort, _) = check(&schema).unwrap();
        assert!(
            effort.recursive && effort.has_choices && effort.schemas < 20,
            "{effort:?}"
        );
    }

    #[test]
    fn nothing_is_led_to_behind_the_count() {
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
    fn no_part_has_a_name_of_its_own() {
        let heavy = |name: &str| {
            let mut definitions = serde_json::Map::new();
            for nr in 0..22 {
                let next = json!({ "$ref": format!("#/$defs/d{}", nr + 1) });
                definitions.insert(format!("d{nr}"), json!({ "anyOf": [next, next] }));
            }
            definitions.insert("d22".to_owned(), json!({ "type": "string" }));
            json!({ "$id": name, "$defs": definitions, "$ref": "#/$defs/d0" })
        };
        // One calls itself a part of JSON Schema; in one, paths would begin elsewhere.
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
        // It may well be the name of a field.
        let fields = json!({ "properties": { "$id": { "type": "string" } } });
        assert!(check(&fields).is_ok());
    }

    /// Definitions of which each leads to the next one; `wrapped` says how.
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
    fn long_chains_are_refused_on_a_small_stack() {
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
        // However it is come to: here each is known before the one that leads to it.
        let mut chained = chain(300, |next| next);
        let all: Vec<_> = (0..300)
            .map(|nr| json!({ "$ref": format!("#/$defs/{nr}") }))
            .collect();
        chained["allOf"] = Value::Array(all);
        assert!(check(&chained).is_err());
    }
}
