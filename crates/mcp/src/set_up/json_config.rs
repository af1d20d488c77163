//! Edits a JSON file of another tool. Comments, order and indentation stay as they are.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;
use windlass::Error;

use super::client_hooks::Hook;
use super::server_entry::{ServerEntry, TAKEN};

/// The JSON that clients accept: with comments and trailing commas.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) enum Odd {
    Shape,
    /// Another entry has the name `windlass`.
    Taken,
}

/// An addition to a configuration. We keep what's there, even an earlier addition that the user has
/// edited.
#[derive(Debug, Clone)]
pub(super) enum JsonEdit {
    /// Adds the server `windlass` to the object `key`.
    Server { key: &'static str, entry: Value },
    /// Adds a client hook to its event's list.
    Hook(Hook),
    /// Adds `name` to the names in `object.field`. If there are none, the client uses `default`, so
    /// we have to add that as well.
    Name {
        object: &'static str,
        field: &'static str,
        name: &'static str,
        default: &'static str,
    },
}

impl JsonEdit {
    /// Applies the edit, unless it is there already.
    ///
    /// # Errors
    /// Returns what's in the way.
    pub(super) fn apply(&self, document: &CstObject) -> Result<(), Odd> {
        match self {
            Self::Server { key, entry } => {
                let servers = object_at(document, key)?;
                let Some(there) = servers.get("windlass") else {
                    servers.append("windlass", input(entry.clone()));
                    return Ok(());
                };
                // This may be our own entry after the user has edited it, so it doesn't have to be
                // the same. But don't replace an entry that starts something else.
                let there = there.value().and_then(|there| there.to_serde_value());
                let there = ServerEntry::of_json(&there.unwrap_or_default());
                there.starts_server().then_some(()).ok_or(Odd::Taken)
            }
            Self::Hook(hook) => {
                let hooks = object_at(document, "hooks")?;
                let there = hooks.array_value_or_create(hook.event).ok_or(Odd::Shape)?;
                // The user may have edited the rest of the command, such as the limit. Look for its
                // beginning only.
                if !there.to_string().contains(hook.call) {
                    there.append(input(hook.entry()));
                }
                Ok(())
            }
            Self::Name {
                object,
                field,
                name,
                default,
            } => add_name(&object_at(document, object)?, field, name, default),
        }
    }
}

/// Adds `name` to the value of `field`, which may be a single name or a list.
fn add_name(object: &CstObject, field: &str, name: &str, default: &str) -> Result<(), Odd> {
    let there = object.get(field);
    let value = there
        .as_ref()
        .and_then(|there| there.value()?.to_serde_value());
    match (there, value) {
        (_, Some(Value::Array(names))) if names.iter().any(|there| there == name) => {}
        (_, Some(Value::Array(_))) => {
            let names = object.array_value_or_create(field).ok_or(Odd::Shape)?;
            names.append(input(Value::from(name)));
        }
        (_, Some(Value::String(there))) if there == name => {}
        (Some(there), Some(Value::String(own))) => {
            there.set_value(input(Value::from(vec![own, name.to_owned()])));
        }
        // With a list, the client no longer uses its default, so the list has to include that.
        (None, _) => {
            object.append(field, input(Value::from(vec![name, default])));
        }
        _ => return Err(Odd::Shape),
    }
    Ok(())
}

/// Applies `change` to `before`, or to an empty object. Everything else stays the same, byte by
/// byte.
///
/// # Errors
/// Returns an error if `before` is not JSON, or does not have the structure that we expect.
pub(super) fn changed(
    file: &str,
    before: Option<&str>,
    change: impl Fn(&CstObject) -> Result<(), Odd>,
) -> Result<String, Error> {
    let text = before.unwrap_or_default();
    // A byte order mark isn't JSON, but some editors on Windows write one. Keep it.
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let root = CstRootNode::parse(text, &OPTIONS)
        .map_err(|error| Error::unusable(file, format!("not JSON: {error}")))?;
    let odd_shape = || Error::unusable(file, "unexpected structure");
    let object = root.object_value_or_create().ok_or_else(odd_shape)?;
    change(&object).map_err(|odd| match odd {
        Odd::Shape => odd_shape(),
        Odd::Taken => Error::unusable(file, TAKEN),
    })?;
    let mut after = format!("{mark}{root}");
    // End a new file with a line break. An existing one without it stays like that.
    if before.is_none_or(str::is_empty) && !after.ends_with('\n') {
        after.push('\n');
    }
    Ok(after)
}

/// Parses a file. An empty one gives null.
///
/// # Errors
/// Returns the reason why it is not JSON.
pub(super) fn value(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| format!("not JSON: {error}"))?;
    Ok(parsed.value.map_or(Value::Null, Value::from))
}

/// Gets the object called `name`, or creates it.
///
/// # Errors
/// Returns an error if there is something else under that name.
fn object_at(document: &CstObject, name: &str) -> Result<CstObject, Odd> {
    document.object_value_or_create(name).ok_or(Odd::Shape)
}

fn input(value: Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text),
        Value::Array(list) => CstInputValue::Array(list.into_iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.into_iter()
                .map(|(name, value)| (name, input(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with_a(before: Option<&str>) -> Result<String, Error> {
        changed("x.json", before, |document| {
            let servers = object_at(document, "servers")?;
            if servers.get("a").is_none() {
                servers.append("a", input(json!(1)));
            }
            Ok(())
        })
    }

    #[test]
    fn existing_content_keeps_its_shape() {
        assert_eq!(
            with_a(None).unwrap(),
            "{\n  \"servers\": {\n    \"a\": 1\n  }\n}\n"
        );
        let tabs = "{\n\t\"z\": 1,\n\t\"servers\": {\n\t\t\"b\": 2\n\t}\n}\n";
        let merged = "{\n\t\"z\": 1,\n\t\"servers\": {\n\t\t\"b\": 2,\n\t\t\"a\": 1\n\t}\n}\n";
        assert_eq!(with_a(Some(tabs)).unwrap(), merged);
        // If a file needs no change, we don't reformat it.
        let odd = "{ \"servers\":{\"a\":  7} }";
        assert_eq!(with_a(Some(odd)).unwrap(), odd);
    }

    #[test]
    fn comments_and_line_ends_are_kept() {
        let before = "// mine\r\n{\r\n  \"z\": [1,2], // odd\r\n  \"servers\": {\r\n    \"b\": 2,\r\n  },\r\n}\r\n";
        let after = with_a(Some(before)).unwrap();
        assert!(
            after.starts_with("// mine\r\n{\r\n  \"z\": [1,2], // odd\r\n"),
            "{after}"
        );
        assert!(after.contains("\"b\": 2,\r\n    \"a\": 1"), "{after}");
        assert_eq!(with_a(Some(&after)).unwrap(), after);
    }

    #[test]
    fn name_joins_those_of_the_user() {
        let edit = JsonEdit::Name {
            object: "context",
            field: "fileName",
            name: "A.md",
            default: "D.md",
        };
        let merged = |before: &str| {
            let merged = changed("x.json", Some(before), |document| edit.apply(document));
            let merged = merged.map(|text| value(&text).unwrap()["context"]["fileName"].clone());
            merged.map_err(|error| error.to_string())
        };
        assert_eq!(merged("{}"), Ok(json!(["A.md", "D.md"])));
        for (there, after) in [
            (json!("M.md"), json!(["M.md", "A.md"])),
            (json!("A.md"), json!("A.md")),
            (json!(["M.md"]), json!(["M.md", "A.md"])),
            (json!(["A.md"]), json!(["A.md"])),
        ] {
            let before = json!({ "context": { "fileName": there } }).to_string();
            assert_eq!(merged(&before), Ok(after), "{before}");
        }
        assert!(merged(r#"{"context": {"fileName": 3}}"#).is_err());
    }

    #[test]
    fn unmergeable_config_is_refused() {
        for odd in ["[]", "{\"servers\": []}", "{", "{'servers': {}}"] {
            assert!(with_a(Some(odd)).is_err(), "{odd}");
        }
    }
}
