//! Times as the specification wants them.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZoneDatabase;
use windlass_base::did_you_mean;

/// The moment that `text` names: RFC 3339 with an offset, `Z` or `±hh:mm`.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes
            .get(range)
            .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let is = |at: usize, wanted: u8| bytes.get(at) == Some(&wanted);
    let has_date = digits(0..4) && is(4, b'-') && digits(5..7) && is(7, b'-') && digits(8..10);
    let has_time = is(10, b'T')
        && digits(11..13)
        && is(13, b':')
        && digits(14..16)
        && is(16, b':')
        && digits(17..19);
    if !has_date || !has_time || !has_offset(bytes.get(19..)?) {
        return None;
    }
    text.parse().ok()
}

/// Whether only a fraction and an offset stand there.
fn has_offset(rest: &[u8]) -> bool {
    let rest = match rest.strip_prefix(b".") {
        Some(rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &rest[digits..]
        }
        None => rest,
    };
    match rest {
        b"Z" => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Whether `text` is a duration of ISO 8601, with or without a sign.
pub(crate) fn is_duration(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    unsigned.starts_with('P') && unsigned.parse::<jiff::Span>().is_ok()
}

/// Time zones of IANA as they were when this was built, so that every machine knows the same.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// True if `name` is a time zone of IANA: `Europe/Zurich`, `UTC`.
pub(crate) fn is_time_zone(name: &str) -> bool {
    ZONES.get(name).is_ok()
}

/// The time zone that a misspelt name was probably meant as.
pub(crate) fn similar_zone(name: &str) -> Option<String> {
    let names: Vec<String> = ZONES
        .available()
        .map(|zone| zone.as_str().to_owned())
        .collect();
    did_you_mean(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The moment that `time` names as a clock in `zone` shows it, with the name of the zone: `2026-03-01 09:00 Europe/Zurich`.
/// `time` itself where it names no moment or `zone` is not known.
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

/// True if one of the months, all if none is named, has this day in some year.
pub(crate) fn has_day(months: &[i64], day: i64) -> bool {
    let longest = |month: &i64| match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    months.is_empty() || months.iter().any(|month| day <= longest(month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_an_offset_and_exist() {
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
    fn durations_and_zones() {
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
    fn time_is_shown_in_its_zone() {
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

    #[test]
    fn day_is_in_a_month_that_has_it() {
        assert!(has_day(&[2], 29) && !has_day(&[2], 30));
        assert!(has_day(&[4, 5], 31) && !has_day(&[4, 6], 31));
        assert!(has_day(&[], 31));
    }
}
