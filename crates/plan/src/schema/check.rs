use serde_json::{Map, Value};

use super::{branches, target, type_of};
use crate::reference::is_reference;
use crate::words::{cut, near};

/// How often a value is looked at inside `anyOf`s inside `anyOf`s, before the rest of it is let pass: those
/// of a foreign schema could otherwise take exponential time.
const MAX_TRIES: usize = 100_000;

/// The most mismatches that are looked for.
const MAX_MISMATCHES: usize = 10_000;

/// How deep values and schemas are looked into; a document is at most 64 deep.
const MAX_DEPTH: usize = 200;

/// How many words of an `enum` are listed.
const MAX_LISTED: usize = 20;

/// A value that does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// The way to the value.
    pub(crate) path: Vec<String>,
    /// Whether the key is meant rather than the value.
    pub(crate) at_key: bool,
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Everything in `value` that does not fit `schema`. With `references`, a reference fits everywhere.
pub(crate) fn check(schema: &Value, value: &Value, references: bool) -> Vec<Mismatch> {
    let mut checker = Checker {
        root: schema,
        references,
        depth: 0,
        trials: 0,
        tries: 0,
        path: Vec::new(),
    };
    let mut found = Vec::new();
    checker.value(schema, value, &mut found);
    found
}

struct Checker<'a> {
    root: &'a Value,
    references: bool,
    depth: usize,
    /// In how many `anyOf`s.
    trials: usize,
    tries: usize,
    path: Vec<String>,
}

impl<'a> Checker<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value, found: &mut Vec<Mismatch>) {
        if self.trials > 1 {
            self.tries += 1;
        }
        if self.tries > MAX_TRIES || self.depth > MAX_DEPTH || found.len() >= MAX_MISMATCHES {
            return;
        }
        self.depth += 1;
        self.value_within(schema, value, found);
        self.depth -= 1;
    }

    fn value_within(&mut self, schema: &'a Value, value: &Value, found: &mut Vec<Mismatch>) {
        if self.references && is_reference(value) {
            return;
        }
        if schema == &Value::Bool(false) {
            found.push(self.mismatch("unknown-field", "nothing may stand here".to_owned()));
            return;
        }
        let Some(schema) = target(self.root, schema) else {
            return;
        };
        if !self.type_fits(schema, value, found) || !self.word_fits(schema, value, found) {
            return;
        }
        match value {
            Value::Object(fields) => self.object(schema, fields, found),
            Value::Array(items) => self.array(schema, items, found),
            Value::String(text) => self.length(schema, text, found),
            Value::Number(_) => self.bounds(schema, value, found),
            Value::Null | Value::Bool(_) => {}
        }
        for part in schema
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.value(part, value, found);
        }
        self.any_of(schema, value, found);
    }

    fn type_fits(&self, schema: &Value, value: &Value, found: &mut Vec<Mismatch>) -> bool {
        let expected = types(schema);
        if expected.is_empty() || expected.iter().any(|name| admits(name, value)) {
            return true;
        }
        let mut wrong = self.wrong_type(&expected, value);
        let example = schema.get("examples").and_then(|examples| examples.get(0));
        if let Some(example) = example {
            wrong.help = Some(format!("write it like `{}`", plain(example)));
        }
        found.push(wrong);
        false
    }

    fn wrong_type(&self, expected: &[&str], value: &Value) -> Mismatch {
        let mut wanted: Vec<_> = expected
            .iter()
            .filter(|name| **name != "null")
            .map(|name| described(name))
            .collect();
        wanted.dedup();
        let wanted = match wanted.as_slice() {
            [] => "nothing".to_owned(),
            wanted => wanted.join(" or "),
        };
        let message = format!(
            "{}expected {wanted}, found {}",
            self.subject(),
            shown(value)
        );
        let mut mismatch = self.mismatch("wrong-type", message);
        let scalar = value.is_number() || value.is_boolean();
        if scalar
            && expected
                .iter()
                .all(|name| matches!(*name, "string" | "null"))
        {
            mismatch.help = Some("put the value in quotes".to_owned());
        } else if expected.contains(&"array") && value.is_string() {
            mismatch.help = Some(format!("write a list: `[{}]`", plain(value)));
        }
        mismatch
    }

    /// `enum` and `const`.
    fn word_fits(&self, schema: &Value, value: &Value, found: &mut Vec<Mismatch>) -> bool {
        let words = words(schema);
        if words.is_empty() || words.contains(&value) {
            return true;
        }
        found.push(self.wrong_word(&words, value));
        false
    }

    fn wrong_word(&self, words: &[&Value], value: &Value) -> Mismatch {
        let listed: Vec<_> = words
            .iter()
            .take(MAX_LISTED)
            .map(|word| format!("`{}`", plain(word)))
            .collect();
        let one_of = if listed.len() == 1 { "" } else { "one of " };
        let message = format!(
            "{}expected {one_of}{}, found {}",
            self.subject(),
            listed.join(", "),
            shown(value)
        );
        let mut mismatch = self.mismatch("not-allowed", message);
        let near = value
            .as_str()
            .and_then(|given| near(given, words.iter().filter_map(|word| word.as_str())));
        mismatch.help = near.map(|near| format!("did you mean `{near}`?"));
        mismatch
    }

    fn object(
        &mut self,
        schema: &'a Value,
        fields: &Map<String, Value>,
        found: &mut Vec<Mismatch>,
    ) {
        let known = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (name, value) in fields {
            let field = known.and_then(|known| known.get(name));
            if field.is_none() && others == Some(&Value::Bool(false)) {
                self.path.push(name.clone());
                found.push(self.unknown_field(name, known, fields));
                self.path.pop();
            } else if let Some(field) = field.or(others) {
                self.path.push(name.clone());
                self.value(field, value, found);
                self.path.pop();
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(self.missing_field(name, known));
            }
        }
    }

    fn unknown_field(
        &self,
        name: &str,
        known: Option<&Map<String, Value>>,
        given: &Map<String, Value>,
    ) -> Mismatch {
        let names = || {
            known
                .into_iter()
                .flat_map(|known| known.keys())
                .map(String::as_str)
        };
        let mut mismatch = self.mismatch(
            "unknown-field",
            format!("there is no field `{}`", cut(name)),
        );
        mismatch.at_key = true;
        let missing = names().filter(|name| !given.contains_key(*name));
        let all: Vec<_> = names().map(|name| format!("`{name}`")).collect();
        mismatch.help = Some(match near(name, missing) {
            Some(near) => format!("did you mean `{near}`?"),
            None if all.is_empty() => "it has no fields: remove this".to_owned(),
            None => format!("the fields are {}", all.join(", ")),
        });
        mismatch
    }

    fn missing_field(&self, name: &str, known: Option<&Map<String, Value>>) -> Mismatch {
        let mut mismatch = self.mismatch(
            "missing-field",
            format!("{}the field `{name}` is missing", self.subject()),
        );
        mismatch.at_key = true;
        let about = known
            .and_then(|known| known.get(name)?.get("description")?.as_str())
            .map(|text| {
                text.split('\n')
                    .next()
                    .unwrap_or(text)
                    .trim_end_matches('.')
            });
        mismatch.help = Some(match about {
            Some(about) => format!("add `{name}: …` ({about})"),
            None => format!("add `{name}: …`"),
        });
        mismatch
    }

    fn array(&mut self, schema: &'a Value, items: &[Value], found: &mut Vec<Mismatch>) {
        self.size(
            schema,
            ["minItems", "maxItems"],
            items.len(),
            "items",
            found,
        );
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let rest = schema.get("items");
        for (at, item) in items.iter().enumerate() {
            if let Some(schema) = first.and_then(|first| first.get(at)).or(rest) {
                self.path.push(at.to_string());
                self.value(schema, item, found);
                self.path.pop();
            }
        }
    }

    fn length(&self, schema: &Value, text: &str, found: &mut Vec<Mismatch>) {
        let bounds = ["minLength", "maxLength"];
        if bounds.iter().any(|bound| schema.get(bound).is_some()) {
            self.size(schema, bounds, text.chars().count(), "characters", found);
        }
    }

    fn size(
        &self,
        schema: &Value,
        [min, max]: [&str; 2],
        size: usize,
        unit: &str,
        found: &mut Vec<Mismatch>,
    ) {
        let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let size = size as u64;
        let message = match (bound(min), bound(max)) {
            (Some(1), _) if size == 0 => "must not be empty".to_owned(),
            (Some(min), _) if size < min => format!("needs at least {min} {unit}, has {size}"),
            (_, Some(max)) if size > max => format!("may have at most {max} {unit}, has {size}"),
            _ => return,
        };
        found.push(self.mismatch("out-of-range", format!("{}{message}", self.subject())));
    }

    fn bounds(&self, schema: &Value, value: &Value, found: &mut Vec<Mismatch>) {
        let bound = |keyword: &str| schema.get(keyword).filter(|bound| bound.is_number());
        let less = |a: &Value, b: &Value| a.as_f64() < b.as_f64();
        let message = match (bound("minimum"), bound("maximum")) {
            (Some(min), Some(max)) if less(value, min) || less(max, value) => {
                format!("expected a number from {min} to {max}, found {value}")
            }
            (Some(min), _) if less(value, min) => {
                format!("expected a number of at least {min}, found {value}")
            }
            (_, Some(max)) if less(max, value) => {
                format!("expected a number of at most {max}, found {value}")
            }
            _ => match (bound("exclusiveMinimum"), bound("exclusiveMaximum")) {
                (Some(min), _) if !less(min, value) => {
                    format!("expected a number greater than {min}, found {value}")
                }
                (_, Some(max)) if !less(value, max) => {
                    format!("expected a number less than {max}, found {value}")
                }
                _ => return,
            },
        };
        found.push(self.mismatch("out-of-range", format!("{}{message}", self.subject())));
    }

    /// Of the branches none of which fits, the one that comes nearest is reported.
    fn any_of(&mut self, schema: &'a Value, value: &Value, found: &mut Vec<Mismatch>) {
        let root = self.root;
        let all: Vec<_> = branches(schema)
            .filter_map(|branch| target(root, branch))
            .collect();
        if all.is_empty() {
            return;
        }
        let admitted: Vec<_> = all
            .iter()
            .copied()
            .filter(|branch| {
                let types = types(branch);
                types.is_empty() || types.iter().any(|name| admits(name, value))
            })
            .collect();
        if admitted.is_empty() {
            let mut expected: Vec<_> = all.iter().flat_map(|branch| types(branch)).collect();
            expected.dedup();
            found.push(self.wrong_type(&expected, value));
            return;
        }
        if admitted.iter().all(|branch| !words(branch).is_empty()) {
            let words: Vec<_> = admitted.iter().flat_map(|branch| words(branch)).collect();
            if !words.contains(&value) {
                found.push(self.wrong_word(&words, value));
            }
            return;
        }
        let mut nearest: Option<Vec<Mismatch>> = None;
        for branch in admitted {
            let mut tried = Vec::new();
            self.trials += 1;
            self.value(branch, value, &mut tried);
            self.trials -= 1;
            if tried.is_empty() {
                return;
            }
            if nearest
                .as_ref()
                .is_none_or(|nearest| tried.len() < nearest.len())
            {
                nearest = Some(tried);
            }
        }
        found.extend(nearest.into_iter().flatten());
    }

    /// What a message is about: `` `timeout`:  ``.
    fn subject(&self) -> String {
        match self.path.as_slice() {
            [] => String::new(),
            [.., list, at] if at.bytes().all(|b| b.is_ascii_digit()) => match at.parse::<usize>() {
                Ok(at) => format!("item {} of `{}`: ", at + 1, cut(list)),
                Err(_) => format!("`{at}`: "),
            },
            [.., name] => format!("`{}`: ", cut(name)),
        }
    }

    fn mismatch(&self, rule: &'static str, message: String) -> Mismatch {
        Mismatch {
            path: self.path.clone(),
            at_key: false,
            rule,
            message,
            help: None,
        }
    }
}

/// The types a schema names.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The values a schema lists.
fn words(schema: &Value) -> Vec<&Value> {
    let listed = schema.get("enum").and_then(Value::as_array);
    listed
        .into_iter()
        .flatten()
        .chain(schema.get("const"))
        .collect()
}

fn admits(name: &str, value: &Value) -> bool {
    match type_of(value) {
        "integer" => name == "integer" || name == "number",
        found => found == name,
    }
}

/// A type as people call it.
pub(crate) fn described(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "`true` or `false`",
        "array" => "a list",
        "object" => "a mapping",
        _ => "nothing",
    }
}

/// A value as messages name what was found.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::String(_) => format!("the string `{}`", plain(value)),
        Value::Bool(_) => format!("`{value}`"),
        Value::Number(_) => format!("the number {value}"),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}
