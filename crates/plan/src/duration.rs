use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A duration in a document, such as `250ms`, `5s`, `2m`, `1h` or `1m30s`.
///
/// We don't parse the text when reading the document. That would make a wrong duration an error of
/// its own, whereas we want to report it at its position along with all other problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DurationText(String);

/// Reasons why a text isn't a valid duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// There's no number, or its unit is unknown.
    #[error("`{0}` is not a duration")]
    Malformed(String),
    /// Zero isn't useful as a timeout or delay, so it's probably a mistake.
    #[error("a duration must not be zero")]
    Zero,
    /// More than 30 days is probably a mistake as well, e.g. `1000h` instead of `1000s`.
    #[error("`{0}` is longer than 30 days")]
    TooLong(String),
}

const MAX_MILLIS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Units and their length in milliseconds. [`format_duration`] needs the longest first.
const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

impl DurationText {
    /// Accepts any text. Call [`parse`](Self::parse) to check it.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The duration as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses the text. A duration can combine several units in any order.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, zero, or longer than 30 days.
    pub fn parse(&self) -> Result<Duration, DurationError> {
        // Only show the start of the text, which may be of any length.
        let malformed = || DurationError::Malformed(self.0.chars().take(40).collect());
        let too_long = || DurationError::TooLong(self.0.chars().take(40).collect());
        let mut rest = self.0.as_str();
        if rest.is_empty() {
            return Err(malformed());
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, tail) = rest.split_at(digits);
            let letters = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
            let (unit, tail) = tail.split_at(letters);
            let (_, millis) = UNITS
                .iter()
                .find(|(name, _)| *name == unit)
                .ok_or_else(malformed)?;
            if number.is_empty() {
                return Err(malformed());
            }
            total = number
                .parse::<u64>()
                .ok()
                .and_then(|number| number.checked_mul(*millis))
                .and_then(|part| total.checked_add(part))
                .filter(|total| *total <= MAX_MILLIS)
                .ok_or_else(too_long)?;
            rest = tail;
        }
        if total == 0 {
            return Err(DurationError::Zero);
        }
        Ok(Duration::from_millis(total))
    }
}

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

windlass_base::text_schema!(DurationText, "Duration", {
    "type": "string",
    "pattern": "^([0-9]+(ms|s|m|h))+$",
    "examples": ["250ms", "5s", "1m30s"]
});

/// Formats a duration for [`DurationText`], e.g. `1m30s`. We drop fractions of a millisecond.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let mut millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (unit, size) in UNITS {
        let count = millis / size;
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
        millis %= size;
    }
    if text.is_empty() {
        text.push_str("0ms");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<u128, DurationError> {
        DurationText::new(text)
            .parse()
            .map(|duration| duration.as_millis())
    }

    #[test]
    fn duration_valid_text_parsed() {
        assert_eq!(parse("250ms"), Ok(250));
        assert_eq!(parse("5s"), Ok(5000));
        assert_eq!(parse("1m30s"), Ok(90_000));
        assert_eq!(parse("1h"), Ok(3_600_000));
    }

    #[test]
    fn duration_invalid_text_refused() {
        for bad in ["", "5", "s", "5 s", "5d", "-5s", "5s!", "1.5s", "ü"] {
            assert!(
                matches!(parse(bad), Err(DurationError::Malformed(_))),
                "{bad}"
            );
        }
        assert_eq!(parse("0s"), Err(DurationError::Zero));
        for long in ["721h", "99999999999999999999s", "18446744073709551615h"] {
            assert!(
                matches!(parse(long), Err(DurationError::TooLong(_))),
                "{long}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn duration_format_round_trips(millis in 1..MAX_MILLIS) {
            let duration = Duration::from_millis(millis);
            proptest::prop_assert_eq!(DurationText::new(format_duration(duration)).parse(), Ok(duration));
        }

        #[test]
        fn duration_trailing_text_refused(millis in 1..MAX_MILLIS, rubbish in "[ a-gi-ln-rt-z&.,-]\\PC{0,6}|[0-9]{1,3}( \\PC{0,3})?") {
            let text = format!("{}{rubbish}", format_duration(Duration::from_millis(millis)));
            proptest::prop_assert!(DurationText::new(text.as_str()).parse().is_err(), "{text}");
        }

        #[test]
        fn duration_any_text_no_panic(text in "\\PC{0,20}") {
            let _ = parse(&text);
        }
    }
}
