//! Changing a JSON file of somebody else: what is in it keeps its order, and its indentation.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use super::refused;
use crate::Error;

/// `before` with what `change` does to it; an object of its own where there is nothing. Where `change` changes nothing, it
/// stays as it is, byte by byte.
///
/// # Errors
/// When it is no JSON (some clients take comments, which would be lost), or not built as it should be.
pub(super) fn changed(
    file: &str,
    before: Option<&str>,
    change: impl Fn(&mut Map<String, Value>) -> Option<()>,
) -> Result<String, Error> {
    let text = before.unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let old: Value = match text.trim() {
        "" => Value::Object(Map::new()),
        text => serde_json::from_str(text).map_err(|error| {
            refused(
                file,
                &format!("it is no JSON, or has comments ({error}); add the server by hand, as `--dry-run` in an empty folder shows it"),
            )
        })?,
    };
    let mut new = old.clone();
    let is_changed = new.as_object_mut().and_then(change);
    is_changed.ok_or_else(|| refused(file, "it is not built as its client reads it"))?;
    match before {
        Some(before) if new == old => Ok(before.to_owned()),
        _ => printed(&new, &indentation(text)),
    }
}

/// The object under `key`, which is made where it is not there; nothing where something else is.
pub(super) fn object_at<'a>(
    document: &'a mut Map<String, Value>,
    key: &str,
) -> Option<&'a mut Map<String, Value>> {
    let object = document
        .entry(key)
        .or_insert_with(|| Value::Object(Map::new()));
    object.as_object_mut()
}

/// What the first indented line begins with; two blanks where there is none.
fn indentation(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| &line[..line.len() - line.trim_start().len()]);
    let first = lines.into_iter().find(|indent| !indent.is_empty());
    first.unwrap_or("  ").to_owned()
}

fn printed(value: &Value, indent: &str) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    let internal = |error: &dyn std::fmt::Display| Error::Internal(error.to_string());
    value
        .serialize(&mut serializer)
        .map_err(|error| internal(&error))?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(|error| internal(&error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with_a(before: Option<&str>) -> Result<String, Error> {
        changed("x.json", before, |document| {
            object_at(document, "servers")?
                .entry("a")
                .or_insert_with(|| json!(1));
            Some(())
        })
    }

    #[test]
    fn what_is_there_stays_in_its_order_and_shape() {
        assert_eq!(
            with_a(None).unwrap(),
            "{\n  \"servers\": {\n    \"a\": 1\n  }\n}\n"
        );
        let tabs = "{\n\t\"z\": 1,\n\t\"servers\": {\n\t\t\"b\": 2\n\t}\n}\n";
        let merged = "{\n\t\"z\": 1,\n\t\"servers\": {\n\t\t\"b\": 2,\n\t\t\"a\": 1\n\t}\n}\n";
        assert_eq!(with_a(Some(tabs)).unwrap(), merged);
        // What is done already is not even printed anew.
        let odd = "{ \"servers\":{\"a\":  7} }";
        assert_eq!(with_a(Some(odd)).unwrap(), odd);
    }

    #[test]
    fn what_cannot_be_merged_is_refused() {
        for odd in ["{ // a comment\n}", "[]", "{\"servers\": []}", "{"] {
            assert!(with_a(Some(odd)).is_err(), "{odd}");
        }
    }
}
