//! Evaluates the number ranges of loops, e.g. `1..2^{disks}` once `{disks}` is filled in.

use windlass_plan::{quote::cut, whole_number};

/// Parses a range such as `1..10`. Both ends are inclusive.
///
/// # Errors
/// Returns a short reason, for use in a message.
pub(crate) fn range(text: &str) -> Result<(i64, i64), String> {
    let (from, to) = text
        .split_once("..")
        .ok_or_else(|| "expected `FIRST..LAST`".to_owned())?;
    // `1..=10` means the same to us. Authors who know Rust will write it.
    let to = to.strip_prefix('=').unwrap_or(to);
    Ok((number(from)?, number(to)?))
}

/// Evaluates an expression of numbers, `+ - * / ^` and parentheses.
///
/// # Errors
/// Returns a short reason, for use in a message. If a `{name}` is left, it is reported as a name
/// without a value.
pub(crate) fn number(text: &str) -> Result<i64, String> {
    match text.find('{') {
        Some(at) => Err(format!("`{}` has no value", cut(&text[at..]))),
        None => whole_number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_expressions_evaluated() {
        assert_eq!(range("1..10"), Ok((1, 10)));
        assert_eq!(range(" 1 .. 2^3 - 1 "), Ok((1, 7)));
        assert_eq!(range("-2..(1+2)*3/2"), Ok((-2, 4)));
    }

    #[test]
    fn range_invalid_refused() {
        for (text, why) in [
            ("10", "expected `FIRST..LAST`"),
            ("1..", "unexpected end of input"),
            ("1..x", "unexpected `x`"),
            ("1..2^{n}", "`{n}` has no value"),
            ("1..2^99", "64 bits"),
            ("1..1/0", "1 // 0"),
            ("1..99999999999999999999", "64 bits"),
            ("1..2 3", "after expression"),
        ] {
            let error = range(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn range_trailing_text_refused(
            range in "[0-9]{1,3}\\.\\.(=)?[0-9]{1,3}( [+*] [0-9])?|\\(1\\)\\.\\.2\\^3",
            rubbish in " ?[a-z&|!=,;.)({}'\"]\\PC{0,8}| [0-9]{1,3}",
        ) {
            // Nothing that follows a complete range may be ignored.
            proptest::prop_assert!(super::range(&range).is_ok());
            let text = format!("{range}{rubbish}");
            proptest::prop_assert!(super::range(&text).is_err(), "{text}");
        }

        #[test]
        fn range_any_text_no_panic(text in "[0-9+*/^(){} .-]{0,24}") {
            let _ = range(&text);
        }
    }
}
