//! Edits one field of a JSON object in place. All other bytes stay the same.

use std::ops::Range;

use serde_json::Value;

/// Sets a field. Returns `None` for an `object` that we cannot parse.
pub(crate) fn set(object: &str, field: &str, value: &Value) -> Option<String> {
    let fields = fields(object)?;
    if let Some((_, range)) = fields.iter().rev().find(|(name, _)| name == field) {
        return Some(format!(
            "{}{value}{}",
            &object[..range.start],
            &object[range.end..]
        ));
    }
    let end = object.rfind('}')?;
    let before = object[..end].trim_end();
    let comma = if fields.is_empty() { "" } else { "," };
    let blank = if object.contains(", ") || object.contains("\": ") {
        " "
    } else {
        ""
    };
    let colon = if object.contains("\": ") { ": " } else { ":" };
    let blank = if fields.is_empty() { "" } else { blank };
    let rest = &object[before.len()..];
    Some(format!(
        "{before}{comma}{blank}{}{colon}{value}{rest}",
        Value::from(field)
    ))
}

/// Finds the names of the fields and the ranges of their values.
fn fields(object: &str) -> Option<Vec<(String, Range<usize>)>> {
    let bytes = object.as_bytes();
    let mut at = skip_blanks(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    at = skip_blanks(bytes, at + 1);
    let mut fields = Vec::new();
    while bytes.get(at) != Some(&b'}') {
        let end = end_of_value(bytes, at)?;
        let name: String = serde_json::from_str(object.get(at..end)?).ok()?;
        at = skip_blanks(bytes, end);
        if bytes.get(at) != Some(&b':') {
            return None;
        }
        at = skip_blanks(bytes, at + 1);
        let end = end_of_value(bytes, at)?;
        fields.push((name, at..end));
        at = skip_blanks(bytes, end);
        match bytes.get(at)? {
            b',' => at = skip_blanks(bytes, at + 1),
            b'}' => {}
            _ => return None,
        }
    }
    Some(fields)
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn end_of_value(bytes: &[u8], mut at: usize) -> Option<usize> {
    let (mut depth, start) = (0usize, at);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                while bytes.get(at)? != &b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth == 0 => return (at > start).then_some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' | b':' if depth == 0 => return (at > start).then_some(at),
            byte if depth == 0 && byte.is_ascii_whitespace() => return Some(at),
            _ => at += 1,
        }
        if depth == 0 && matches!(bytes[at - 1], b'"' | b'}' | b']') {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn set_keeps_other_bytes() {
        for (object, field, value, wanted) in [
            (r#"{"a":1,"b":2}"#, "a", json!("x"), r#"{"a":"x","b":2}"#),
            (
                r#"{ "a" : [1, {"b": "}"}] , "b": 2 }"#,
                "b",
                json!(3),
                r#"{ "a" : [1, {"b": "}"}] , "b": 3 }"#,
            ),
            (
                r#"{"a": 1.50}"#,
                "c",
                json!("superseded"),
                r#"{"a": 1.50, "c": "superseded"}"#,
            ),
            (
                r#"{"a":"\"}"}"#,
                "c",
                json!(true),
                r#"{"a":"\"}","c":true}"#,
            ),
            ("{}", "c", json!(1), r#"{"c":1}"#),
            (r#"{"a":1,"a":2}"#, "a", json!(3), r#"{"a":1,"a":3}"#),
        ] {
            assert_eq!(set(object, field, &value).as_deref(), Some(wanted));
        }
        assert_eq!(set("[1]", "a", &json!(1)), None);
        assert_eq!(set(r#"{"a":"#, "a", &json!(1)), None);
    }

    proptest::proptest! {
        #[test]
        fn set_value_is_parsed_back(keys in proptest::collection::btree_map("[a-c\"\\\\ ]{1,3}", "\\PC{0,6}", 0..4), value in "\\PC{0,6}") {
            let object = json!(keys).to_string();
            let changed = set(&object, "a", &json!(value)).unwrap();
            let mut wanted = keys;
            wanted.insert("a".to_owned(), value);
            let read: std::collections::BTreeMap<String, String> = serde_json::from_str(&changed).unwrap();
            proptest::prop_assert_eq!(read, wanted);
        }

        #[test]
        fn any_text_patched_or_refused(text in "[{}\\[\\]\",:a1 \\\\]{0,20}") {
            let _ = set(&text, "a", &json!(1));
        }
    }
}
