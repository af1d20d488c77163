//! Canonical JSON, in which equal values always have the same text. We can compare or hash that
//! text.

use std::io::{self, Write as _};

use serde::Serialize;
use serde_json::{Number, Value};

/// Largest integer up to which each integer equals a double of its own. We write larger doubles
/// with all their digits, because one of them could have the same text as a different integer
/// otherwise.
const MAX_SAFE: u64 = 1 << 53;
/// Smallest double that we write with an exponent.
const MAX_DIGITS: f64 = 1e21;

/// The error for a value without a canonical JSON form: it contains a map with keys other than
/// strings, or an integer of more than 64 bits.
#[derive(Debug, thiserror::Error)]
#[error("this value has no canonical JSON form: {0}")]
pub struct CanonicalError(#[from] serde_json::Error);

/// Serializes `value` as canonical JSON (RFC 8785): sorted keys, no spaces, and one form for each
/// number and string.
///
/// There is one deviation. RFC 8785 rounds every number to the nearest double, so that 2^53 and
/// 2^53 + 1 have the same text. We write integers and doubles between 2^53 and 10^21 in magnitude
/// with all their digits, so that two numbers only have the same text if they are equal.
///
/// As usual in JSON, a number that is not finite becomes `null`.
///
/// # Errors
/// Returns an error if the value cannot be expressed in JSON.
pub fn canonical_json<T: Serialize>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let mut out = Vec::with_capacity(128);
    write(&serde_json::to_value(value)?, &mut out).map_err(serde_json::Error::io)?;
    Ok(out)
}

fn write(value: &Value, out: &mut Vec<u8>) -> io::Result<()> {
    match value {
        Value::Null | Value::Bool(_) => serde_json::to_writer(out, value)?,
        // serde_json escapes strings as required by RFC 8785: only where necessary, with `\u00xx`
        // in lower case.
        Value::String(text) => serde_json::to_writer(out, text)?,
        Value::Number(number) => write_number(number, out)?,
        Value::Array(list) => {
            out.push(b'[');
            for (at, value) in list.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write(value, out)?;
            }
            out.push(b']');
        }
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            // RFC 8785 sorts by UTF-16 code units, which isn't the order of UTF-8 beyond U+FFFF.
            fields.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push(b'{');
            for (at, (name, value)) in fields.into_iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut *out, name)?;
                out.push(b':');
                write(value, out)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn write_number(number: &Number, out: &mut Vec<u8>) -> io::Result<()> {
    let Some(double) = number.as_f64().filter(|_| number.is_f64()) else {
        return write!(out, "{number}");
    };
    if (MAX_SAFE as f64..MAX_DIGITS).contains(&double.abs()) {
        // A double of this size has no fraction, so it's an integer.
        return write!(out, "{double:.0}");
    }
    out.extend(ryu_js::Buffer::new().format(double).bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> String {
        String::from_utf8(canonical_json(value).unwrap()).unwrap()
    }

    #[test]
    fn canonical_json_follows_rfc_8785() {
        // The examples in sections 3.2.3 and 3.2.2.
        let keys = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew", "1": "One",
            "\u{1f600}": "Emoji", "\u{80}": "Control", "\u{f6}": "o",
        });
        let want = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
            \"\u{f6}\":\"o\",\"\u{20ac}\":\"Euro Sign\",\"\u{1f600}\":\"Emoji\",\
            \"\u{fb33}\":\"Hebrew\"}";
        assert_eq!(text(&keys), want);
        let numbers = "[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]";
        let numbers: Value = serde_json::from_str(numbers).unwrap();
        assert_eq!(text(&numbers), "[333333333.3333333,1e+30,4.5,0.002,1e-27]");
        let string = json!("\u{20ac}$\u{f}\nA'B\"\\\"/\u{7f}");
        assert_eq!(
            text(&string),
            "\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\"/\u{7f}\""
        );
        assert_eq!(
            text(&json!([0.0, -0.0, 1.0, -7, 1e21, 5e-324])),
            "[0,0,1,-7,1e+21,5e-324]"
        );
    }

    #[test]
    fn large_integers_are_exact() {
        let integers = [
            u64::MAX,
            u64::MAX - 1,
            (1 << 53) + 1,
            1 << 53,
            9_223_372_036_854_776_000,
        ];
        for integer in integers {
            assert_eq!(text(&json!(integer)), integer.to_string());
        }
        assert_eq!(
            text(&json!([i64::MIN, i64::MIN + 1])),
            format!("[{},{}]", i64::MIN, i64::MIN + 1)
        );
        // Only one of these integers equals the double.
        let double = 9_223_372_036_854_775_808.0;
        assert_eq!(text(&json!(double)), text(&json!(1_u64 << 63)));
        assert_eq!(text(&json!(-double)), text(&json!(i64::MIN)));
        assert_eq!(
            text(&json!(9_007_199_254_740_992.0)),
            text(&json!(1_u64 << 53))
        );
        assert_eq!(text(&json!(1e20)), format!("1{}", "0".repeat(20)));
        assert!(canonical_json(&u128::MAX).is_err());
    }

    #[test]
    fn non_string_keys_are_refused() {
        let map = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(canonical_json(&map).is_err());
    }

    proptest! {
        #[test]
        fn different_integers_differ_in_text(a: u64, b: i64, near in 0_u64..4) {
            let near = a ^ near;
            prop_assert_eq!(text(&json!(a)) == text(&json!(near)), a == near);
            prop_assert_eq!(text(&json!(a)) == text(&json!(b)), i128::from(a) == i128::from(b));
            // An integer equal to its double has the same text.
            let same = (a as f64) as u128 == u128::from(a);
            prop_assert_eq!(text(&json!(a)) == text(&json!(a as f64)), same);
        }
    }
}
