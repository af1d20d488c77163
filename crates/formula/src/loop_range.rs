//! Number ranges in loops, such as `1..2^{disks}`.

/// Maximum nesting depth of parentheses and signs.
const MAX_DEPTH: usize = 64;

/// Parses a range and returns its first and last number, both inclusive.
///
/// # Errors
/// Returns a short description of the problem.
pub(crate) fn range(text: &str) -> Result<(i64, i64), String> {
    let (from, to) = text
        .split_once("..")
        .ok_or_else(|| "expected `FIRST..LAST`".to_owned())?;
    let to = to.strip_prefix('=').unwrap_or(to);
    Ok((number(from)?, number(to)?))
}

/// Evaluates an expression of numbers, `+ - * / ^` and parentheses.
///
/// # Errors
/// Returns a short description of the problem.
pub(crate) fn number(text: &str) -> Result<i64, String> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
        depth: 0,
    };
    let value = reader.sum()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected()),
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

type Number = Result<i64, String>;

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn unexpected(&mut self) -> String {
        let rest = String::from_utf8_lossy(&self.text[self.at..]);
        match rest.chars().next() {
            Some('{') => format!("`{}` has no value", windlass_plan::quote::cut(&rest)),
            Some(found) => format!("unexpected `{}`", found.escape_default()),
            None => "it ends too early".to_owned(),
        }
    }

    fn sum(&mut self) -> Number {
        let mut value = self.product()?;
        while let Some(operator @ (b'+' | b'-')) = self.peek() {
            self.at += 1;
            let right = self.product()?;
            let result = match operator {
                b'+' => value.checked_add(right),
                _ => value.checked_sub(right),
            };
            value = result.ok_or_else(too_large)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Number {
        let mut value = self.power()?;
        while let Some(operator @ (b'*' | b'/')) = self.peek() {
            self.at += 1;
            let right = self.power()?;
            value = match operator {
                b'*' => value.checked_mul(right).ok_or_else(too_large)?,
                _ if right == 0 => return Err("it divides by zero".to_owned()),
                _ => value.checked_div(right).ok_or_else(too_large)?,
            };
        }
        Ok(value)
    }

    /// Parses a power. Powers associate to the right, so `2^3^2` is `2^(3^2)`.
    fn power(&mut self) -> Number {
        let base = self.part()?;
        if self.peek() != Some(b'^') {
            return Ok(base);
        }
        self.at += 1;
        self.deeper()?;
        let exponent = self.power()?;
        self.depth -= 1;
        let exponent = u32::try_from(exponent).map_err(|_| too_large())?;
        base.checked_pow(exponent).ok_or_else(too_large)
    }

    fn part(&mut self) -> Number {
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                self.deeper()?;
                let value = self.sum()?;
                self.depth -= 1;
                if self.peek() != Some(b')') {
                    return Err(self.unexpected());
                }
                self.at += 1;
                Ok(value)
            }
            Some(b'-') => {
                self.at += 1;
                self.deeper()?;
                let value = self.part()?;
                self.depth -= 1;
                value.checked_neg().ok_or_else(too_large)
            }
            Some(digit) if digit.is_ascii_digit() => {
                let rest = &self.text[self.at..];
                let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                self.at += length;
                let digits = String::from_utf8_lossy(&rest[..length]);
                digits.parse().map_err(|_| too_large())
            }
            _ => Err(self.unexpected()),
        }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err("it is nested too deeply".to_owned()),
            false => Ok(()),
        }
    }
}

fn too_large() -> String {
    "a number in it is too large".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_expressions_evaluated() {
        assert_eq!(range("1..10"), Ok((1, 10)));
        assert_eq!(range(" 1 .. 2^3 - 1 "), Ok((1, 7)));
        assert_eq!(range("-2..(1+2)*3/2"), Ok((-2, 4)));
        assert_eq!(number("2^3^2"), Ok(512));
    }

    #[test]
    fn range_invalid_refused() {
        for (text, why) in [
            ("10", "expected `FIRST..LAST`"),
            ("1..", "it ends too early"),
            ("1..x", "unexpected `x`"),
            ("1..2^{n}", "`{n}` has no value"),
            ("1..2^99", "too large"),
            ("1..1/0", "divides by zero"),
            ("1..99999999999999999999", "too large"),
            ("1..2 3", "unexpected `3`"),
        ] {
            let error = range(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(number(&"(".repeat(100_000)).is_err());
        assert!(number(&"-".repeat(100_000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn range_trailing_text_refused(
            range in "[0-9]{1,3}\\.\\.(=)?[0-9]{1,3}( [+*] [0-9])?|\\(1\\)\\.\\.2\\^3",
            rubbish in " ?[a-z&|!=,;.)({}'\"]\\PC{0,8}| [0-9]{1,3}",
        ) {
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
