//! Changing a JSON file of somebody else: comments, order and indentation stay as they are.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use windlass::Error;

use super::refused;

/// What clients read: JSON, and what their editors let people write into it.
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

/// What stands in the way of a change.
pub(super) enum Odd {
    /// Something is not what clients read there.
    Shape,
    /// Something of somebody else has the name that is needed.
    Taken,
}

/// `before` with what `change` does to it; an object of its own where there is nothing. What `change` does not touch stays as
/// it is, byte by byte.
///
/// # Errors
/// When it is no JSON, or not built as it should be.
pub(super) fn changed(
    file: &str,
    before: Option<&str>,
    change: impl Fn(&CstObject) -> Result<(), Odd>,
) -> Result<String, Error> {
    let text = before.unwrap_or_default();
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let root = CstRootNode::parse(text, &OPTIONS)
        .map_err(|error| refused(file, &format!("it is no JSON: {error}")))?;
    let odd_shape = || refused(file, "it is not built as its client reads it");
    let object = root.object_value_or_create().ok_or_else(odd_shape)?;
    change(&object).map_err(|odd| match odd {
        Odd::Shape => odd_shape(),
        Odd::Taken => refused(
            file,
            "an entry `windlass` in it starts something else; take it out, or give it another name",
        ),
    })?;
    let mut after = format!("{mark}{root}");
    if before.is_none_or(str::is_empty) && !after.ends_with('\n') {
        after.push('\n');
    }
    Ok(after)
}

/// The object under `name`, which is made where it is not there.
///
/// # Errors
/// When something else is.
pub(super) fn object_at(document: &CstObject, name: &str) -> Result<CstObject, Odd> {
    document.object_value_or_create(name).ok_or(Odd::Shape)
}

/// A value, as it is put in.
pub(super) fn input(value: Value) -> CstInputValue {
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
    fn comments_and_line_ends_stay() {
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
    fn what_cannot_be_merged_is_refused() {
        for odd in ["[]", "{\"servers\": []}", "{", "{'servers': {}}"] {
            assert!(with_a(Some(odd)).is_err(), "{odd}");
        }
    }
}
