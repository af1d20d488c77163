//! Writes the pages made of JSON Schemas: step kinds with their inputs, and a list of all schemas.

use serde_json::Value;

use super::{Page, table};

/// Documents that people write, with the titles of their pages.
const DOCUMENTS: [(&str, &str); 2] = [
    ("runbook", "Fields of a runbook"),
    ("formula", "Fields of a formula"),
];

pub(super) fn all(schemas: &[(String, Value)]) -> Vec<Page> {
    let mut pages = vec![step_kinds(schemas), list(schemas)];
    for (name, title) in DOCUMENTS {
        let schema = schemas.iter().find(|(known, _)| known == name);
        pages.extend(schema.map(|(_, schema)| document(name, title, schema)));
    }
    pages
}

fn document(name: &str, title: &str, schema: &Value) -> Page {
    let mut body = format!(
        "{} The JSON Schema is `windlass schema {name}`.\n\n{}",
        description(schema),
        fields("field", schema)
    );
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        let details = match part["oneOf"].as_array() {
            Some(words) => values(words),
            None => fields("field", part),
        };
        body.push_str(&format!(
            "\n## {name}\n\n{}\n\n{details}",
            description(part)
        ));
    }
    Page::new(&format!("{name}-fields.md"), title, body)
}

fn values(words: &[Value]) -> String {
    let rows = words.iter().map(|word| {
        let value = word["const"].as_str().unwrap_or_default();
        [format!("`{value}`"), description(word)]
    });
    table(["value", "meaning"], rows)
}

fn step_kinds(schemas: &[(String, Value)]) -> Page {
    let mut body = "A step names its kind with `uses` and passes its input with `with`. `windlass schema step-KIND.input` and \
                    `step-KIND.output` print the complete schemas.\n"
        .to_owned();
    for (name, input) in schemas {
        let kind = name.strip_prefix("step-");
        let Some(kind) = kind.and_then(|kind| kind.strip_suffix(".input")) else {
            continue;
        };
        let output_name = format!("step-{kind}.output");
        let output = schemas.iter().find(|(name, _)| *name == output_name);
        body.push_str(&format!("\n## {kind}\n\n{}\n\n", description(input)));
        body.push_str(&fields("input", input));
        if let Some((_, output)) = output {
            body.push_str(&format!("\n{}", fields("output", output)));
        }
    }
    Page::new("step-kinds.md", "Step kinds", body)
}

fn list(schemas: &[(String, Value)]) -> Page {
    let rows = schemas
        .iter()
        .filter(|(name, _)| !name.starts_with("step-"))
        .map(|(name, schema)| [format!("`{name}`"), description(schema)]);
    let body = format!(
        "`windlass schema NAME` prints a JSON Schema, `windlass schema --out-dir DIR` writes all of them. The schemas of inputs and \
         outputs of steps are on the page [Step kinds](step-kinds.md).\n\n{}",
        table(["schema", "document"], rows)
    );
    Page::new("schemas.md", "JSON Schemas", body)
}

fn description(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Formats the fields of an object as a table, and marks required inputs.
fn fields(title: &str, schema: &Value) -> String {
    let required = schema["required"].as_array().into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let rows = properties.map(|(name, field)| {
        let is_required = title != "output" && required.contains(&name.as_str());
        let mark = if is_required { " (required)" } else { "" };
        [
            format!("`{name}`{mark}"),
            type_name(field),
            description(field) + &default(field),
        ]
    });
    table([title, "type", "meaning"], rows)
}

/// Returns the default value of a field as a sentence, or nothing if it is absent or an empty list.
fn default(field: &Value) -> String {
    match &field["default"] {
        Value::Null => String::new(),
        Value::Array(list) if list.is_empty() => String::new(),
        value => format!(" Default: `{value}`."),
    }
}

/// Describes the type of a field in a few words. Objects that the same page describes become links.
fn type_name(field: &Value) -> String {
    if let Some(pointer) = field["$ref"].as_str() {
        let name = pointer.rsplit('/').next().unwrap_or(pointer);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = field.get("const") {
        return format!("`{word}`");
    }
    // Here and below, `null` just means that the field may be missing, so we don't mention it.
    if let Some(words) = field["enum"].as_array() {
        let words = words.iter().filter(|word| !word.is_null());
        return joined(words.map(|word| format!("`{word}`")));
    }
    let choices = ["oneOf", "anyOf"].into_iter();
    if let Some(choices) = choices.filter_map(|key| field[key].as_array()).next() {
        let choices = choices.iter().filter(|choice| choice["type"] != "null");
        return joined(choices.map(type_name));
    }
    let names: Vec<&str> = match &field["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    };
    let names = names.into_iter().filter(|name| *name != "null");
    let names = joined(names.map(|name| match name {
        "array" => format!("list of {}", type_name(&field["items"])),
        name => name.to_owned(),
    }));
    if names.is_empty() {
        "any".to_owned()
    } else {
        names
    }
}

fn joined(alternatives: impl Iterator<Item = String>) -> String {
    let mut known: Vec<String> = Vec::new();
    for alternative in alternatives {
        if !known.contains(&alternative) {
            known.push(alternative);
        }
    }
    known.join(" or ")
}
