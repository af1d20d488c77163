//! Resolves scalars by the core schema of YAML 1.2
//! (<https://yaml.org/spec/1.2.2/#103-core-schema>).
//! `saphyr` also has a resolver, which we do not use: it silently turns integers beyond `i64` into
//! floats, which lose digits, and reads `0x-1` as a number.

use serde_json::Number;

/// A resolved scalar. `Text` does not contain the text, because the caller has it anyway.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Number(Number),
    /// A number that JSON cannot represent: infinity, not-a-number, or an integer beyond 64 bits.
    Unrepresentable,
    Text,
}

/// Resolves a plain scalar without a tag.
pub(super) fn resolve(text: &str) -> Scalar {
    // Most scalars are text, and we can usually tell that from the first byte.
    match text.as_bytes().first() {
        None => Scalar::Null,
        Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => word(text),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text),
        Some(_) => Scalar::Text,
    }
}

fn word(text: &str) -> Scalar {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        _ => Scalar::Text,
    }
}

fn number(text: &str) -> Scalar {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF"
        | ".nan" | ".NaN" | ".NAN" => return Scalar::Unrepresentable,
        _ => {}
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            // `from_str_radix` accepts a sign, but YAML doesn't have one here.
            let written = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            return match u64::from_str_radix(digits, radix) {
                Ok(number) if written => Scalar::Number(number.into()),
                Err(_) if written => Scalar::Unrepresentable,
                _ => Scalar::Text,
            };
        }
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned.as_bytes() {
        [b'0'..=b'9' | b'.', ..] => {}
        // Rust would also parse `inf` and `nan` as floats. In YAML, they're text.
        _ => return Scalar::Text,
    }
    if unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return integer(text);
    }
    // In all other cases, Rust's syntax of floats is the same as YAML's.
    match text.parse::<f64>() {
        Ok(number) => Number::from_f64(number).map_or(Scalar::Unrepresentable, Scalar::Number),
        Err(_) => Scalar::Text,
    }
}

fn integer(text: &str) -> Scalar {
    let number = match text.parse::<u64>() {
        Ok(number) => Some(Number::from(number)),
        Err(_) => text.parse::<i64>().ok().map(Number::from),
    };
    number.map_or(Scalar::Unrepresentable, Scalar::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalar_core_schema_resolved() {
        for (text, want) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("Null", json!(null)),
            ("True", json!(true)),
            ("FALSE", json!(false)),
            ("0", json!(0)),
            ("-12", json!(-12)),
            ("+12", json!(12)),
            ("007", json!(7)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("0xffffffffffffffff", json!(u64::MAX)),
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("1e3", json!(1000.0)),
            ("-.5", json!(-0.5)),
            ("1.", json!(1.0)),
            ("+12.5E-1", json!(1.25)),
        ] {
            let found = match resolve(text) {
                Scalar::Null => json!(null),
                Scalar::Bool(bool) => json!(bool),
                Scalar::Number(number) => json!(number),
                other => panic!("{text}: {other:?}"),
            };
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn scalar_beyond_json_unrepresentable() {
        for text in [
            ".inf",
            "-.INF",
            "+.Inf",
            ".nan",
            "1e999",
            "18446744073709551616",
            "-9223372036854775809",
            "0x10000000000000000",
        ] {
            assert_eq!(resolve(text), Scalar::Unrepresentable, "{text}");
        }
    }

    #[test]
    // Many of these are numbers or booleans in YAML 1.1, in Rust or in JavaScript.
    fn scalar_other_is_text() {
        for text in [
            "yes",
            "no",
            "on",
            "Off",
            "y",
            "nULL",
            "tRUE",
            "inf",
            "nan",
            "-",
            "+",
            ".",
            "-.",
            "..",
            "0x",
            "0xg",
            "0x-1",
            "0x+1",
            "-0x1",
            "0b1",
            "1_000",
            "1.2.3",
            "1e",
            "5s",
            "12:30",
            "2001-12-14",
            "+.nan",
            "-inf",
            "+ 1",
            "١",
        ] {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
    }
}
