//! What a scalar without quotes means, by the rules of the deserialiser.

/// What a plain scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    /// Text.
    Text,
    /// Nothing, a truth value or a number.
    Value,
    /// A number JSON cannot hold: infinite, not a number, or beyond 64 bits.
    Unrepresentable,
}

/// What `text` is.
pub(crate) fn classify(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Value,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return Plain::Value,
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN" => return Plain::Unrepresentable,
        _ => {}
    }
    // The words Rust reads as numbers (`inf`, `nan`) are texts in YAML.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Plain::Text;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = unsigned.strip_prefix(prefix) {
            return integer(digits, radix, text.starts_with('-'));
        }
    }
    let digits_only = unsigned.bytes().all(|b| b.is_ascii_digit());
    if digits_only && unsigned.len() > 1 && unsigned.starts_with('0') {
        return Plain::Text;
    }
    if digits_only {
        return integer(unsigned, 10, text.starts_with('-'));
    }
    match unsigned.parse::<f64>() {
        Ok(number) if number.is_finite() => Plain::Value,
        Ok(_) => Plain::Unrepresentable,
        Err(_) => Plain::Text,
    }
}

fn integer(digits: &str, radix: u32, negative: bool) -> Plain {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Plain::Text;
    }
    let fits = match u64::from_str_radix(digits, radix) {
        Ok(size) => !negative || size <= i64::MIN.unsigned_abs(),
        Err(_) => false,
    };
    if fits {
        Plain::Value
    } else {
        Plain::Unrepresentable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_the_deserialiser_makes_of_them() {
        for (text, want) in [
            ("", Plain::Value),
            ("~", Plain::Value),
            ("True", Plain::Value),
            ("yes", Plain::Text),
            ("on", Plain::Text),
            ("-12", Plain::Value),
            ("+12", Plain::Value),
            ("0x1F", Plain::Value),
            ("0o17", Plain::Value),
            ("0b2", Plain::Text),
            ("007", Plain::Text),
            ("1e3", Plain::Value),
            ("1e999", Plain::Unrepresentable),
            ("-.inf", Plain::Unrepresentable),
            (".nan", Plain::Unrepresentable),
            ("inf", Plain::Text),
            ("nan", Plain::Text),
            ("18446744073709551615", Plain::Value),
            ("18446744073709551616", Plain::Unrepresentable),
            ("-9223372036854775809", Plain::Unrepresentable),
            ("1.2.3", Plain::Text),
            ("5s", Plain::Text),
            (".", Plain::Text),
        ] {
            assert_eq!(classify(text), want, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_the_deserialiser(text in "[-+]?[0-9a-fxobeE._]{0,8}|[-+.a-zA-Z0-9]{0,6}") {
            let value: Result<serde_json::Value, _> = serde_yaml::from_str(&text);
            // `-` alone is a list, `a: ` a mapping: no scalars.
            if let Ok(value) = value && !value.is_array() && !value.is_object() {
                let is_text = value.is_string();
                match classify(&text) {
                    Plain::Text => proptest::prop_assert!(is_text, "{text}"),
                    Plain::Value => proptest::prop_assert!(!is_text, "{text}"),
                    Plain::Unrepresentable => {}
                }
            }
        }
    }
}
