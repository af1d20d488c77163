//! Numbers that keep their text.

use std::fmt;

use crate::error::{Category, Error, Result};
use crate::scan::Scanner;
use crate::text::Text;

/// A number as written. Two numbers are only equal if their texts are, so `1`, `1.0` and `1e0` are
/// all different.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number<'a>(Text<'a>);

impl<'a> Number<'a> {
    /// Creates a number from text in the syntax of JSON.
    ///
    /// # Errors
    /// Returns an error if `text` isn't a JSON number.
    pub fn new(text: impl Into<Text<'a>>) -> Result<Self> {
        let text = text.into();
        let mut scanner = Scanner::at_start(&text);
        let whole = scanner.number()?.len() == text.len();
        if whole {
            Ok(Self(text))
        } else {
            let message = format!("`{text}` is not a number");
            Err(Error::without_place(Category::Data, message))
        }
    }

    /// Creates a number from text that the scanner has already checked.
    pub(crate) fn read(text: &'a str) -> Self {
        Self(Text::from(text))
    }

    pub(crate) fn map<'b>(&self, text: &dyn Fn(&Text<'a>) -> Text<'b>) -> Number<'b> {
        Number(text(&self.0))
    }

    /// Converts a double. Returns `None` for infinity and NaN, which JSON can't express.
    #[must_use]
    pub fn from_f64(number: f64) -> Option<Self> {
        let finite = number.is_finite();
        finite.then(|| {
            Self(Text::from(
                zmij::Buffer::new().format_finite(number).to_owned(),
            ))
        })
    }

    /// Returns the number as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The number as an unsigned integer. Returns `None` if it isn't an integer or out of range.
    ///
    /// The notation doesn't matter: `5`, `5.0` and `50e-1` are all 5.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        let text = self.as_str();
        text.parse().ok().or_else(|| whole(text)?.try_into().ok())
    }

    /// Like [`as_u64`](Self::as_u64), for a signed integer.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        let text = self.as_str();
        text.parse().ok().or_else(|| whole(text)?.try_into().ok())
    }

    /// The nearest double. Returns `None` if that's infinite.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        finite(self.as_str())
    }

    /// Copies the text if it's borrowed.
    #[must_use]
    pub fn into_owned(self) -> Number<'static> {
        Number(self.0.into_owned())
    }
}

/// The nearest double. Returns `None` if that's infinite.
pub(crate) fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number as an integer, without going through a double. Returns `None` for other numbers, and
/// for those with more than twenty digits.
fn whole(text: &str) -> Option<i128> {
    // The largest `u64` has twenty digits. With that many, nothing below can overflow an `i128`.
    const MAX_DIGITS: i64 = 20;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, mantissa),
    };
    let (front, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{front}{behind}");
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return Some(0);
    }
    let zeros = i64::try_from(digits.len() - kept.len()).ok()?;
    let behind = i64::try_from(behind.len()).ok()?;
    // If the exponent is beyond `i64`, the number is too large or too small for any integer type.
    let exponent: i64 = exponent.parse().ok()?;
    let zeros = exponent.checked_sub(behind)?.checked_add(zeros)?;
    let kept = kept.trim_start_matches('0');
    let length = i64::try_from(kept.len()).ok()?.checked_add(zeros)?;
    if zeros < 0 || length > MAX_DIGITS {
        return None;
    }
    let whole: i128 = kept.parse().ok()?;
    Some(sign * whole * 10_i128.pow(u32::try_from(zeros).ok()?))
}

/// The types of numbers that serde knows.
pub(crate) enum Kind {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    /// The number is too large for all of these types.
    Beyond,
}

/// Determines the serde type of a number. It's an integer if it's written as one and in range, and
/// otherwise a double. So is `-0`, because an integer would lose the sign.
pub(crate) fn kind(text: &str) -> Kind {
    let is_whole = !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if is_whole && text != "-0" {
        if let Ok(number) = text.parse() {
            return Kind::Unsigned(number);
        }
        if let Ok(number) = text.parse() {
            return Kind::Signed(number);
        }
    }
    finite(text).map_or(Kind::Beyond, Kind::Float)
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number<'_> {
            fn from(number: $integer) -> Self {
                Self(Text::from(itoa::Buffer::new().format(number).to_owned()))
            }
        }
    )*};
}

from_integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_i64_any_notation_of_integer() {
        for (text, want) in [
            ("5", Some(5)),
            ("5.0", Some(5)),
            ("1e2", Some(100)),
            ("-50e-1", Some(-5)),
            ("0.00120E+4", Some(12)),
            ("-0.0", Some(0)),
            ("9223372036854775807.0", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("5.5", None),
            ("1e-1", None),
            ("1e400", None),
            ("1e99999999999999999999", None),
        ] {
            let number = Number::new(text).unwrap();
            assert_eq!(number.as_i64(), want, "{text}");
            let want = want.and_then(|want| u64::try_from(want).ok());
            assert!(text.starts_with("92") || number.as_u64() == want, "{text}");
        }
        assert_eq!(
            Number::new("1.8446744073709551615e19").unwrap().as_u64(),
            Some(u64::MAX)
        );
    }
}
