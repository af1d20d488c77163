//! Parses and formats times of the specification.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;
use regex::{Regex, RegexBuilder};
use windlass_base::did_you_mean;

/// An RFC 3339 time. Schemas use this pattern rather than `format`, which some validators ignore.
pub(crate) const DATE_TIME: &str = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$";

pub(crate) const DATE: &str = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$";

// Only ASCII digits. By default, `\d` also matches those of other scripts.
static RFC_3339: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let digits = RegexBuilder::new(DATE_TIME).unicode(false).build();
    digits.ok()
});

pub(crate) fn is_date(text: &str) -> bool {
    text.len() == "2026-01-31".len() && moment(&format!("{text}T00:00:00Z")).is_some()
}

/// Parses an RFC 3339 time with an offset (`Z` or `±hh:mm`).
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    // The parser accepts more than RFC 3339, e.g. a time zone in brackets.
    let is_time = RFC_3339.as_ref()?.is_match(text);
    is_time.then(|| text.parse().ok())?
}

/// True for an ISO 8601 duration, with or without a sign.
pub(crate) fn is_duration(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    unsigned.starts_with('P') && unsigned.parse::<jiff::Span>().is_ok()
}

/// IANA time zones. They are bundled at build time, so that every machine uses the same ones.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

pub(crate) fn is_time_zone(name: &str) -> bool {
    ZONES.get(name).is_ok()
}

pub(crate) fn similar_zone(name: &str) -> Option<String> {
    let names: Vec<String> = ZONES
        .available()
        .map(|zone| zone.as_str().to_owned())
        .collect();
    did_you_mean(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Formats `time` as local time in `zone` with the zone's name, e.g. `2026-03-01 09:00
/// Europe/Zurich`.
///
/// If `time` is invalid or `zone` unknown, we return `time` as it is.
pub(crate) fn shown_in(time: &str, zone: Option<&str>) -> String {
    let local = zone.and_then(|name| {
        let zone = ZONES.get(name).ok()?;
        let local = moment(time)?.to_zoned_datetime(zone).datetime();
        let form = match local.second() {
            0 => "%Y-%m-%d %H:%M",
            _ => "%Y-%m-%d %H:%M:%S",
        };
        Some(format!("{} {name}", local.strftime(form)))
    });
    local.unwrap_or_else(|| time.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_needs_offset_and_valid_date() {
        for good in [
            "2025-12-28T07:35:00Z",
            "2025-12-28T07:35:00.123+05:30",
            "2024-02-29T23:59:59-08:00",
        ] {
            assert!(moment(good).is_some(), "{good}");
        }
        for bad in [
            "2025-12-28T07:35:00",
            "2025-12-28 07:35:00Z",
            "2025-12-28t07:35:00z",
            "2025-12-28T07:35Z",
            "2025-02-29T07:35:00Z",
            "2025-12-28",
            "2025-12-28T07:35:00Z[UTC]",
            "2025-12-28T07:35:00+0100",
            "2025-12-28T07:35:00.Z",
            "",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }

    #[test]
    fn duration_and_zone_are_recognised() {
        for good in ["-PT15M", "P1D", "-PT1H", "+P1W"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["15m", "-P", "PT", "soon", "1 hour"] {
            assert!(!is_duration(bad), "{bad}");
        }
        assert!(is_time_zone("America/Los_Angeles") && is_time_zone("UTC"));
        assert!(is_time_zone("Etc/GMT+5") && is_time_zone("Japan"));
        for bad in [
            "+02:00",
            "PST",
            "Europe/Zürich",
            "Mars/Olympus",
            "Europe",
            "",
            "../UTC",
        ] {
            assert!(!is_time_zone(bad), "{bad}");
        }
        assert_eq!(
            similar_zone("Europe/Zurch").as_deref(),
            Some("Europe/Zurich")
        );
    }

    #[test]
    fn shown_in_known_zone_is_local() {
        for (time, zone, shown) in [
            (
                "2026-07-01T07:00:00Z",
                Some("Europe/Zurich"),
                "2026-07-01 09:00 Europe/Zurich",
            ),
            (
                "2026-01-01T07:00:00Z",
                Some("Europe/Zurich"),
                "2026-01-01 08:00 Europe/Zurich",
            ),
            (
                "2026-01-01T00:30:15+00:00",
                Some("America/Los_Angeles"),
                "2025-12-31 16:30:15 America/Los_Angeles",
            ),
            (
                "2026-01-01T07:00:00Z",
                Some("Mars/Olympus"),
                "2026-01-01T07:00:00Z",
            ),
            ("2026-01-01T07:00:00Z", None, "2026-01-01T07:00:00Z"),
            ("soon", Some("UTC"), "soon"),
        ] {
            assert_eq!(shown_in(time, zone), shown, "{time} {zone:?}");
        }
    }
}
