//! Dates and times in the accepted forms: `2026-03-01`, or a time in seconds with optional
//! milliseconds and `Z`.

use std::str::FromStr as _;

#[must_use]
pub(crate) fn is_date(text: &str) -> bool {
    if text.len() == 10 {
        return jiff::civil::Date::from_str(text).is_ok();
    }
    let plain = text.strip_suffix('Z').unwrap_or(text);
    let (seconds, fraction) = plain.split_once('.').unwrap_or((plain, "000"));
    let is_fraction = fraction.len() == 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_shaped = seconds.len() == 19 && seconds.as_bytes().get(10) == Some(&b'T');
    is_fraction && is_shaped && jiff::civil::DateTime::from_str(seconds).is_ok()
}

/// Cuts a time down to its date.
pub(crate) fn day_of(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn days_and_times_are_dates() {
        for date in [
            "2026-03-01",
            "2026-03-01T10:00:00",
            "2026-03-01T10:00:00Z",
            "2026-03-01T10:00:00.123Z",
        ] {
            assert!(is_date(date), "{date}");
        }
        for other in [
            "",
            "2026-13-01",
            "2026-3-1",
            "yesterday",
            "2026-03-01T10:00",
            "2026-03-01T10:00:00+02:00",
            "2026-03-01 10:00:00",
            "2026-03-01T10:00:00.1Z",
            "２０２６-03-01",
        ] {
            assert!(!is_date(other), "{other}");
        }
    }
}
