//! Generated passwords. Their letters of both cases, digits and signs are more mixed than in code
//! or words.

/// Minimum length to tell generated values from chosen ones.
const SHORTEST: usize = 10;
const LONGEST: usize = 64;

/// Returns true if nearly every character differs in class from the one before. In code, whole
/// names are between signs.
pub(crate) fn is_generated(value: &str) -> bool {
    const CODE: [&str; 11] = [
        "->", "=>", "::", "${", "{{", "$(", "()", "||", "&&", "?.", "://",
    ];
    let bytes = value.as_bytes();
    let is_made_of = |b: &u8| b.is_ascii_graphic() && !b"\"'`\\<>,;".contains(b);
    if !(SHORTEST..=LONGEST).contains(&bytes.len()) || !bytes.iter().all(is_made_of) {
        return false;
    }
    let has = |class: Class| bytes.iter().any(|b| Class::of(*b) == class);
    let is_mixed = has(Class::Lower) && has(Class::Upper);
    let changes = changes(bytes);
    let is_name = bytes
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b));
    // Minimum number of changes per hundred places. A name of several short words may reach 50.
    let least = match (has(Class::Digit), is_name) {
        (true, false) => 55,
        (true, true) => 60,
        (false, false) => 65,
        (false, true) => 67,
    };
    is_mixed
        && changes * 100 >= (bytes.len() - 1) * least
        && !CODE.iter().any(|code| value.contains(code))
}

/// Counts the changes between classes of characters.
pub(crate) fn changes(value: &[u8]) -> usize {
    let pairs = value.windows(2);
    pairs
        .filter(|two| Class::of(two[0]) != Class::of(two[1]))
        .count()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Sign,
}

impl Class {
    fn of(b: u8) -> Self {
        match b {
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            _ => Self::Sign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_generator_makes_is_told_from_code() {
        for value in [
            "x7]Q(w-2=FeK",
            "$aB3{x)9kQ",
            "&Q8z!m[4Tr",
            "wQ.k7Tz_R3b",
            "x)K~q.T(wQ+e",
        ] {
            assert!(is_generated(value), "{value}");
        }
        for value in [
            "md5(userName1)",
            "$this.userPass2",
            "hash[User1.id]",
            "options.Auth.Pass1",
            "getUserPasswordV2",
            "foo(Bar).Baz",
            "AES-256-GCM-v2",
            "$this->a1B2c3",
            "${A1b}-x9Y8z7",
            "aB3$",
        ] {
            assert!(!is_generated(value), "{value}");
        }
    }
}
