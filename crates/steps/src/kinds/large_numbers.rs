//! Numbers of JSON that no number of 64 bits holds.

use std::borrow::Cow;

/// Returns `json` with each number that 64 bits do not hold as a text of its digits, so that none of them is lost. What is
/// no JSON stays none.
pub(crate) fn with_large_numbers_as_texts(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut kept, mut from, mut at) = (String::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_text(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_part = |b: &u8| b"+-.eE".contains(b) || b.is_ascii_digit();
                let length = bytes[at..].iter().take_while(|b| is_part(b)).count();
                let number = &json[at..at + length];
                if is_number(number) && !fits(number) {
                    kept.push_str(&json[from..at]);
                    kept.push('"');
                    kept.push_str(number);
                    kept.push('"');
                    from = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if kept.is_empty() {
        return Cow::Borrowed(json);
    }
    kept.push_str(&json[from..]);
    Cow::Owned(kept)
}

/// The place behind the text in quotes that begins at `start`.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// True if `text` has the form of a number in JSON, whatever its size.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &digits[whole..];
    // One of any size is read as if it had few digits: the form is the same.
    let few = format!(
        "{}{rest}",
        if whole > 1 && !digits.starts_with('0') {
            "1"
        } else {
            &digits[..whole]
        }
    );
    let few = match few.split_once(['e', 'E']) {
        Some((before, exponent)) => {
            let digits = exponent.trim_start_matches(['+', '-']);
            let is_exponent = exponent.len() - digits.len() <= 1
                && !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit());
            if !is_exponent {
                return false;
            }
            before.to_owned()
        }
        None => few,
    };
    serde_json::from_str::<serde_json::Number>(&few).is_ok()
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
    fn number_beyond_64_bits_is_a_text_of_its_digits() {
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
        fn no_digit_of_a_number_is_lost(digits in "-?[1-9][0-9]{0,40}", text in "[a-z\"\\\\0-9]{0,30}") {
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
        fn what_is_no_json_stays_none(text in "[-0-9.eE+\"\\\\,\\[\\] a]{0,40}") {
            let kept = with_large_numbers_as_texts(&text);
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert!(serde_json::from_str::<Value>(&kept).is_ok());
            }
        }
    }
}
