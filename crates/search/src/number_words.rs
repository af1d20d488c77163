/// Returns the number at the start of `text` if it is a version, an address, a date or a time, e.g.
/// `3.2.1`, `v0.14.0`, `2025-03-12`, `12/03/2025` or `20:00`.
///
/// Plain numbers do not count. Nor do other numbers with a hyphen, since `10-20` is a range.
pub(crate) fn number_at(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let start = match bytes {
        [digit, ..] if digit.is_ascii_digit() => 0,
        [b'v' | b'V', digit, ..] if digit.is_ascii_digit() => 1,
        _ => return None,
    };
    let mut groups: Vec<usize> = Vec::new();
    let (mut at, mut mark) = (start, None);
    loop {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        if digits == 0 {
            break;
        }
        at += digits;
        groups.push(digits);
        let next = bytes.get(at).copied();
        let follows = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !follows || mark.is_some_and(|mark| Some(mark) != next) {
            break;
        }
        match next {
            Some(b'.' | b'-' | b'/' | b':') => mark = next,
            _ => break,
        }
        at += 1;
    }
    let goes_on = text[at..].chars().next();
    let goes_on = goes_on.is_some_and(|next| next.is_alphanumeric() || next == '_');
    let is_one = match mark? {
        b'.' => true,
        b'-' => matches!(groups[..], [4, 1 | 2] | [4, 1 | 2, 1 | 2]),
        b'/' => matches!(groups[..], [1 | 2, 1 | 2, 2 | 4] | [4, 1 | 2, 1 | 2]),
        _ => matches!(groups[..], [1 | 2, 2] | [1 | 2, 2, 2]),
    };
    (is_one && !goes_on).then(|| &text[..at])
}

/// Lists the beginnings of a number, shortest first, e.g. 3 and 3.2 for `3.2.1`. A time has none.
pub(crate) fn beginnings(number: &str) -> impl Iterator<Item = &str> {
    let marks = number.match_indices(['.', '-', '/']);
    marks.map(|(at, _)| &number[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_several_are_one_word() {
        for (text, number) in [
            ("3.2.1", Some("3.2.1")),
            ("v0.14.0 is out", Some("v0.14.0")),
            ("3.2.1.", Some("3.2.1")),
            ("10.0.0.1/8", Some("10.0.0.1")),
            ("2025-03-12T10:00", None),
            ("2025-03-12.", Some("2025-03-12")),
            ("2025-03 was", Some("2025-03")),
            ("12/03/2025", Some("12/03/2025")),
            ("20:00,", Some("20:00")),
            ("10-20 workers", None),
            ("2024-3094", None),
            ("3.5mm", None),
            ("1.2.3-rc1", Some("1.2.3")),
            ("7", None),
            ("v", None),
            ("", None),
        ] {
            assert_eq!(number_at(text), number, "{text}");
        }
        assert_eq!(beginnings("3.2.1").collect::<Vec<_>>(), ["3", "3.2"]);
        assert_eq!(beginnings("20:00").count(), 0);
    }
}
