use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::{branches, target, type_of};

/// A schema, with cached rules for its parts.
///
/// The cache matters for long lists, where the same rules apply to every item. Without it, a fifth
/// of the time to load a large runbook went into reading rules again.
#[derive(Debug)]
pub struct Schema<'a> {
    root: &'a Value,
    /// Rules by the address of their part in memory.
    ///
    /// The addresses cannot change while the schema is borrowed.
    rules: BTreeMap<usize, Option<Rc<Rules<'a>>>>,
}

impl<'a> Schema<'a> {
    /// Creates the cache. We only read rules when they are needed.
    #[must_use]
    pub fn new(root: &'a Value) -> Self {
        Self {
            root,
            rules: BTreeMap::new(),
        }
    }

    pub(super) fn root(&self) -> &'a Value {
        self.root
    }

    /// The rules for a part of the schema. Returns `None` for a broken reference.
    pub(super) fn rules(&mut self, part: &'a Value) -> Option<Rc<Rules<'a>>> {
        let root = self.root;
        let read = || Some(Rc::new(Rules::read(target(root, part)?)));
        self.rules
            .entry(std::ptr::from_ref(part).addr())
            .or_insert_with(read)
            .clone()
    }
}

/// The rules of a schema, after following its reference.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    /// True for the schema `false`, which permits no value.
    pub(super) forbidden: bool,
    /// The permitted types. If there are none, any type will do.
    pub(super) types: Vec<&'a str>,
    /// The permitted values, from `enum` and `const`.
    pub(super) words: Vec<&'a Value>,
    pub(super) example: Option<&'a Value>,
    pub(super) fields: Option<&'a Map<String, Value>>,
    pub(super) other_fields: Option<&'a Value>,
    pub(super) required: Vec<&'a str>,
    pub(super) first_items: &'a [Value],
    pub(super) items: Option<&'a Value>,
    /// Minimum and maximum number of items.
    pub(super) item_count: [Option<u64>; 2],
    /// Minimum and maximum length of a text, in characters.
    pub(super) length: [Option<u64>; 2],
    /// Inclusive minimum and maximum.
    pub(super) bounds: [Option<&'a Value>; 2],
    /// Exclusive minimum and maximum.
    pub(super) open_bounds: [Option<&'a Value>; 2],
    pub(super) all_of: &'a [Value],
    pub(super) branches: Vec<&'a Value>,
}

impl<'a> Rules<'a> {
    fn read(schema: &'a Value) -> Self {
        let list = |keyword: &str| {
            let list = schema.get(keyword).and_then(Value::as_array);
            list.map_or(&[][..], Vec::as_slice)
        };
        let count = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let number = |keyword: &str| schema.get(keyword).filter(|bound| bound.is_number());
        Self {
            forbidden: schema == &Value::Bool(false),
            types: types(schema),
            words: list("enum").iter().chain(schema.get("const")).collect(),
            example: schema.get("examples").and_then(|examples| examples.get(0)),
            fields: schema.get("properties").and_then(Value::as_object),
            other_fields: schema.get("additionalProperties"),
            required: list("required").iter().filter_map(Value::as_str).collect(),
            first_items: list("prefixItems"),
            items: schema.get("items"),
            item_count: ["minItems", "maxItems"].map(count),
            length: ["minLength", "maxLength"].map(count),
            bounds: ["minimum", "maximum"].map(number),
            open_bounds: ["exclusiveMinimum", "exclusiveMaximum"].map(number),
            all_of: list("allOf"),
            branches: branches(schema).collect(),
        }
    }

    /// True if the rules only ask for a scalar type. The check of a list then does not have to look
    /// at each item in detail.
    pub(super) fn asks_for_scalars(&self) -> bool {
        !self.types.is_empty()
            && !self
                .types
                .iter()
                .any(|name| matches!(*name, "object" | "array"))
            && self.words.is_empty()
            && self.length == [None, None]
            && self.bounds == [None, None]
            && self.open_bounds == [None, None]
            && self.all_of.is_empty()
            && self.branches.is_empty()
    }

    pub(super) fn admit(&self, value: &Value) -> bool {
        self.types.is_empty() || self.types.iter().any(|name| admits(name, value))
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn admits(name: &str, value: &Value) -> bool {
    // In JSON Schema, an integer is also a number.
    match type_of(value) {
        "integer" => name == "integer" || name == "number",
        found => found == name,
    }
}
