//! Preserves JSON numbers beyond 64 bits, which the JSON parser would silently round. Programs
//! print such numbers as IDs, and a rounded ID is a wrong one.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Matches a run of number characters. It also matches string literals, so that we skip the digits
/// in them.
static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?s)"(?:[^"\\]|\\.)*"?|[-0-9][-+.eE0-9]*"#).ok());
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$").ok());

/// Puts quotes around each number in `json` that does not fit 64 bits, so that all of its digits
/// are preserved. If the JSON is invalid, it stays invalid.
pub(crate) fn with_large_numbers_as_texts(json: &str) -> Cow<'_, str> {
    let (Some(token), Some(number)) = (&*TOKEN, &*NUMBER) else {
        return Cow::Borrowed(json);
    };
    token.replace_all(json, |found: &Captures<'_>| {
        let text = &found[0];
        match number.is_match(text) && !fits(text) {
            true => format!("\"{text}\""),
            false => text.to_owned(),
        }
    })
}

fn fits(number: &str) -> bool {
    let is_integer = number.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    match is_integer {
        true => number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok(),
        false => number.parse::<f64>().is_ok_and(f64::is_finite),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(&with_large_numbers_as_texts(text)).unwrap()
    }

    #[test]
    fn large_number_becomes_string() {
        for (text, wanted) in [
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!("18446744073709551616")),
            ("-9223372036854775808", json!(i64::MIN)),
            ("-9223372036854775809", json!("-9223372036854775809")),
            (
                "[1,123456789012345678901234567890]",
                json!([1, "123456789012345678901234567890"]),
            ),
            ("{\"a\":1e999,\"b\":1.5}", json!({ "a": "1e999", "b": 1.5 })),
            (
                "\"18446744073709551616 \\\" 18446744073709551616\"",
                json!("18446744073709551616 \" 18446744073709551616"),
            ),
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
        for text in [
            "01",
            "-",
            "1-2",
            "123456789012345678901-2",
            "\"x",
            "1e",
            "0123456789012345678901234",
        ] {
            let kept = with_large_numbers_as_texts(text);
            assert!(
                serde_json::from_str::<Value>(&kept).is_err(),
                "{text}: {kept}"
            );
        }
    }

    proptest! {
        #[test]
        fn large_number_digits_kept(digits in "-?[1-9][0-9]{0,40}", text in "[a-z\"\\\\0-9]{0,30}") {
            let json = format!("[{digits},{}]", json!(text));
            let value = read(&json);
            let shown = match &value[0] {
                Value::String(shown) => shown.clone(),
                shown => shown.to_string(),
            };
            prop_assert_eq!(shown, digits);
            prop_assert_eq!(&value[1], &json!(text));
        }

        #[test]
        fn invalid_json_stays_invalid(text in "[-0-9.eE+\"\\\\,\\[\\] a]{0,40}") {
            let kept = with_large_numbers_as_texts(&text);
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert!(serde_json::from_str::<Value>(&kept).is_ok());
            }
        }
    }
}
