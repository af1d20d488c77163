//! Points in time.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A point in time, with microsecond precision.
///
/// We write it in UTC with milliseconds, such as `2026-01-31T12:00:00.000Z`, so writing may lose
/// precision. Round it with [`Stamp::to_millis`] before comparing it to one that was read from a
/// file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Stamp(i64);

/// The error for a text that isn't a timestamp in RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: expected a form like `2026-01-31T12:00:00Z`")]
pub struct StampError(String);

const MICROS: i64 = 1_000;

impl Stamp {
    /// Creates a stamp from the microseconds since the epoch.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.0
    }

    /// Rounds down to the millisecond, i.e. to what we write.
    #[must_use]
    pub fn to_millis(self) -> Self {
        Self(self.0.div_euclid(MICROS) * MICROS)
    }

    /// Rounds up to the millisecond. This is for times that mustn't be earlier than the original.
    pub(crate) fn up_to_millis(self) -> Self {
        Self(self.0.saturating_add(MICROS - 1).div_euclid(MICROS) * MICROS)
    }

    /// Returns the stamp `millis` milliseconds later, or the end of time if there's none.
    #[must_use]
    pub fn after_millis(self, millis: u64) -> Self {
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis.saturating_mul(MICROS)))
    }

    /// Microseconds since `earlier`. Negative if `earlier` is in fact later.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_microsecond(self.0) {
            Ok(timestamp) => write!(f, "{timestamp:.3}"),
            Err(_) => f.write_str("9999-12-30T22:00:00.000Z"),
        }
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Stamp {
    type Err = StampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || StampError(text.to_owned());
        let timestamp = text.parse::<Timestamp>().or_else(|error| {
            // If a tool omits the offset, it most likely means UTC.
            let local = text.parse::<jiff::civil::DateTime>().map_err(|_| error)?;
            local
                .to_zoned_datetime(jiff::tz::TimeZone::UTC)
                .map(|zoned| zoned.timestamp())
        });
        timestamp
            .map(|at| Self(at.as_microsecond()))
            .map_err(|_| wrong())
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Text that isn't copied if it has no escapes. A log has millions of stamps.
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);
        let text = Text::deserialize(deserializer)?;
        text.0.parse().map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for Stamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_peer_forms_normalised() {
        for (text, want) in [
            ("2026-01-06T12:00:00.000Z", "2026-01-06T12:00:00.000Z"),
            ("2026-01-06T12:00:00Z", "2026-01-06T12:00:00.000Z"),
            (
                "2025-11-25T07:50:15.123456789-08:00",
                "2025-11-25T15:50:15.123Z",
            ),
            ("2025-11-25T07:50:15.123456", "2025-11-25T07:50:15.123Z"),
        ] {
            assert_eq!(text.parse::<Stamp>().unwrap().to_string(), want);
        }
        assert!("yesterday".parse::<Stamp>().is_err());
        let odd: Stamp = "2026-01-06T12:00:00.000001Z".parse().unwrap();
        assert_eq!(odd.up_to_millis().to_string(), "2026-01-06T12:00:00.001Z");
        assert_eq!(odd.to_millis().to_string(), "2026-01-06T12:00:00.000Z");
    }
}
