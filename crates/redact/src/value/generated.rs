//! Generated passwords. They have letters of both cases, digits and signs, which are more mixed
//! than in code and words.

use windlass_base::is_on;

/// Minimum length to tell generated values from chosen ones.
const SHORTEST: usize = 10;
const LONGEST: usize = 64;

/// True if a value changes its class of characters at nearly every place. Code doesn't, because it
/// has names between its signs.
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
    let changes = bytes
        .windows(2)
        .filter(|two| Class::of(two[0]) != Class::of(two[1]))
        .count();
    let is_name = bytes
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b));
    // Minimum number of changes per hundred places. Names made of several short words have up to
    // 50.
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

/// True if a quoted text may come from a generator that uses all signs on a keyboard, including
/// blanks and quotes.
pub(crate) fn is_generated_text(value: &str) -> bool {
    if !is_on("redact.generated_text") {
        return false;
    }
    const SHORTEST: usize = 20;
    /// Minimum percentage of places with a change. Random text of all signs changes its class at
    /// three of four places.
    const CHANGES: usize = 55;
    const WORD: usize = 5;
    let bytes = value.as_bytes();
    let is_typed = bytes.iter().all(|b| b.is_ascii_graphic() || *b == b' ');
    if bytes.len() < SHORTEST || !is_typed {
        return false;
    }
    let classes = [Class::Lower, Class::Upper, Class::Digit, Class::Sign];
    let has_all = classes
        .iter()
        .all(|class| bytes.iter().any(|b| Class::of(*b) == *class));
    let changes = bytes
        .windows(2)
        .filter(|two| Class::of(two[0]) != Class::of(two[1]))
        .count();
    // Base64 is judged elsewhere.
    let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=-_.".contains(b);
    let mut runs = bytes.split(|b| !b.is_ascii_lowercase());
    has_all
        && !bytes.iter().all(is_base64)
        && changes * 100 >= (bytes.len() - 1) * CHANGES
        && !runs.any(|run| run.len() > WORD)
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

    #[test]
    fn generated_text_is_told_from_patterns() {
        for value in [
            "q7(Zr>M%0Vk 2(#o1|2$cB+T|.G$hB~4`Huw@]:(5;oVTl<<W3^e_R-fz",
            "kX9 %dq{a}Z|7&Lm'2@Vw;R<4h",
        ] {
            assert!(is_generated_text(value), "{value}");
        }
        for value in [
            "Use at least 12 signs, of which 2 are capital.",
            "{{ .Values.Auth.Key2 | b64enc | quote }}",
            "a1b2c3d4e5f6a7b8c9d0",
            "sha512-ojmeN0qd+y0jszEtoY48r0Peq5dwMEkIlCOu6Q5f41lfkswXuKtYrhgoTpLn",
            "{0}: {1} ({2}) A b",
            "x9 Y8! z7",
        ] {
            assert!(!is_generated_text(value), "{value}");
        }
    }
}
