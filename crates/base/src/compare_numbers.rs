use std::cmp::Ordering;

use serde_json::Number;

/// Compares the exact values of two numbers. If we compared them as doubles, different integers
/// above 2^53 could seem equal, because they may share their nearest double.
#[must_use]
pub fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => with_double(a, double(b)),
        (None, Some(b)) => with_double(b, double(a)).reverse(),
        // JSON numbers are finite, so `partial_cmp` can't fail.
        (None, None) => double(a).partial_cmp(&double(b)).unwrap_or(Ordering::Equal),
    }
}

fn double(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Compares an integer with a double. If the double is out of range for 128 bits, it is clamped to
/// that range. Integers in JSON are far from its ends, so the order is still correct.
fn with_double(integer: i128, double: f64) -> Ordering {
    let fraction = 0.0.partial_cmp(&double.fract());
    // The fraction only decides if the whole parts are equal.
    let whole = integer.cmp(&(double.trunc() as i128));
    whole.then(fraction.unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn neighbours_are_ordered() {
        let ordered = [
            json!(-1e300),
            json!(i64::MIN),
            json!(i64::MIN + 1),
            json!(-1.5),
            json!(-1),
            json!(-0.5),
            json!(0),
            json!(0.5),
            json!(1_u64 << 53),
            json!((1_u64 << 53) + 1),
            json!(i64::MAX),
            json!(9_223_372_036_854_775_808.0),
            json!(u64::MAX - 1),
            json!(u64::MAX),
            json!(1.8446744073709552e19),
            json!(1e300),
        ];
        let number = |value: &Value| value.as_number().cloned().unwrap();
        for (at, a) in ordered.iter().enumerate() {
            for (other, b) in ordered.iter().enumerate() {
                let order = compare_numbers(&number(a), &number(b));
                assert_eq!(order, at.cmp(&other), "{a} {b}");
            }
        }
        for (a, b) in [
            (json!(7), json!(7.0)),
            (json!(1_u64 << 63), json!(9_223_372_036_854_775_808.0)),
        ] {
            assert_eq!(compare_numbers(&number(&a), &number(&b)), Ordering::Equal);
        }
    }
}
