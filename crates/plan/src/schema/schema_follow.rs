use std::collections::BTreeSet;

use serde_json::Value;

use super::{MAX_HOPS, branches, target};
use crate::document::json_pointer;

/// Maximum number of alternatives. With more of them, we don't try to say anything about a value.
const MAX_ALTERNATIVES: usize = 64;

/// The possible schemas of a value, which are all parts of the same document.
#[derive(Debug, Clone)]
pub(crate) struct Shapes<'a> {
    root: &'a Value,
    schemas: Vec<&'a Value>,
}

/// The result of following a field or an index.
#[derive(Debug, Clone)]
pub(crate) enum Follow<'a> {
    /// There may be a value, with these shapes.
    To(Shapes<'a>),
    /// There may be a value, but we don't know its shape.
    Unknown,
    /// There can't be a value. We return the known fields to suggest one of them.
    Nowhere(Vec<&'a str>),
}

pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

static ANYTHING: Value = Value::Bool(true);

impl<'a> Shapes<'a> {
    pub(crate) fn anything() -> Self {
        Self::new(&ANYTHING)
    }

    pub(crate) fn new(root: &'a Value) -> Self {
        Self {
            root,
            schemas: vec![root],
        }
    }

    /// Follows one token of a JSON pointer. It's enough if one of the alternatives has such a part.
    pub(crate) fn follow(&self, token: &str) -> Follow<'a> {
        let Some(alternatives) = self.alternatives() else {
            return Follow::Unknown;
        };
        let mut found = Vec::new();
        let mut fields = Vec::new();
        for schema in alternatives {
            match part(schema, token) {
                Part::Of(schema) => found.push(schema),
                Part::Unknown => return Follow::Unknown,
                Part::None => fields.extend(names(schema)),
            }
        }
        if found.is_empty() {
            return Follow::Nowhere(fields);
        }
        Follow::To(Self {
            root: self.root,
            schemas: found,
        })
    }

    /// The shapes of a list's items.
    ///
    /// They're unknown if the value may also be a mapping, since `[*]` selects the fields of that.
    pub(crate) fn items(&self) -> Follow<'a> {
        let Some(alternatives) = self.alternatives() else {
            return Follow::Unknown;
        };
        let mut found = Vec::new();
        for schema in alternatives {
            match schema.get("items") {
                Some(items) if items.is_object() => found.push(items),
                _ if may_be(schema, "array") || may_be(schema, "object") => return Follow::Unknown,
                _ => {}
            }
        }
        if found.is_empty() {
            return Follow::Nowhere(Vec::new());
        }
        Follow::To(Self {
            root: self.root,
            schemas: found,
        })
    }

    /// The shapes of a list's items. Any other value is its own element.
    pub(crate) fn elements(&self) -> Self {
        let Some(alternatives) = self.alternatives() else {
            return Self::anything();
        };
        let mut found = Vec::new();
        for schema in alternatives {
            if may_be(schema, "array") {
                match schema.get("items") {
                    Some(items) if items.is_object() => found.push(items),
                    _ => return Self::anything(),
                }
            }
            // A value of several types may not be a list after all.
            if schema.get("type").and_then(Value::as_str) != Some("array") {
                found.push(schema);
            }
        }
        Self {
            root: self.root,
            schemas: found,
        }
    }

    /// The possible types. `None` stands for any type.
    pub(crate) fn types(&self) -> Option<BTreeSet<&'a str>> {
        let mut types = BTreeSet::new();
        for schema in self.alternatives()? {
            match schema.get("type") {
                Some(Value::String(name)) => {
                    types.insert(name.as_str());
                }
                Some(Value::Array(names)) => types.extend(names.iter().filter_map(Value::as_str)),
                _ => {
                    let values = schema.get("enum").and_then(Value::as_array);
                    let only = schema.get("const");
                    if values.is_none() && only.is_none() {
                        return None;
                    }
                    for value in values.into_iter().flatten().chain(only) {
                        types.insert(type_of(value));
                    }
                }
            }
        }
        Some(types)
    }

    /// Resolves references and branches.
    ///
    /// Returns `None` if there are too many, or if one of the schemas permits anything.
    fn alternatives(&self) -> Option<Vec<&'a Value>> {
        let mut todo: Vec<_> = self
            .schemas
            .iter()
            .rev()
            .map(|schema| (*schema, 0))
            .collect();
        let mut flat = Vec::new();
        while let Some((schema, hops)) = todo.pop() {
            // Each branch may refer back to its own schema, so limit both the chain and the total.
            if hops > MAX_HOPS || flat.len() + todo.len() > MAX_ALTERNATIVES {
                return None;
            }
            let schema = target(self.root, schema)?;
            let fields = schema.as_object()?;
            let all_of = fields.get("allOf").and_then(Value::as_array);
            let parts: Vec<_> = branches(schema)
                .chain(all_of.into_iter().flatten())
                .collect();
            let says_more = ["type", "properties", "items", "enum", "const"]
                .iter()
                .any(|keyword| fields.contains_key(*keyword));
            if parts.is_empty() && !says_more {
                return None;
            }
            if says_more {
                flat.push(schema);
            }
            todo.extend(parts.into_iter().rev().map(|part| (part, hops + 1)));
        }
        Some(flat)
    }
}

/// The schema of a field or index. Its references and branches aren't resolved yet.
enum Part<'a> {
    Of(&'a Value),
    Unknown,
    None,
}

fn part<'a>(schema: &'a Value, token: &str) -> Part<'a> {
    let field = schema
        .get("properties")
        .and_then(|fields| fields.get(token));
    if let Some(field) = field {
        return Part::Of(field);
    }
    if may_be(schema, "object") {
        match schema.get("additionalProperties") {
            Some(Value::Bool(true)) => return Part::Unknown,
            Some(Value::Bool(false)) => {}
            Some(fields) => return Part::Of(fields),
            // These schemas describe the output of programs. Contrary to the rules of JSON Schema,
            // we assume that the output only has fields from the schema, so that misspelled names
            // get reported.
            None if schema.get("properties").is_none()
                || schema.get("patternProperties").is_some() =>
            {
                return Part::Unknown;
            }
            None => {}
        }
    }
    let Some(index) = json_pointer::index(token).filter(|_| may_be(schema, "array")) else {
        return Part::None;
    };
    let listed = schema.get("prefixItems").and_then(|items| items.get(index));
    match listed.or_else(|| schema.get("items")) {
        Some(Value::Bool(false)) => Part::None,
        Some(Value::Bool(true)) | None => Part::Unknown,
        Some(items) => Part::Of(items),
    }
}

/// True if a value of type `name` may match the schema.
fn may_be(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|one| one == name),
        _ => schema.get("enum").is_none() && schema.get("const").is_none(),
    }
}

fn names(schema: &Value) -> impl Iterator<Item = &str> {
    let fields = schema.get("properties").and_then(Value::as_object);
    fields
        .into_iter()
        .flat_map(|fields| fields.keys())
        .map(String::as_str)
}
