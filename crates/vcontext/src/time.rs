//! Times as the specification wants them.

use jiff::Timestamp;

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

/// Whether `text` looks like the name of a time zone of IANA: `Europe/Zurich`, `UTC`. Which there are changes every
/// few months, so none is looked up.
pub(crate) fn is_time_zone(text: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+'))
    };
    matches!(text, "UTC" | "GMT") || text.contains('/') && text.split('/').all(is_part)
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
        assert!(is_time_zone("Etc/GMT+5") && !is_time_zone("+02:00") && !is_time_zone("PST"));
    }
}
