//! Generates and validates ids.

use windlass_base::Digest;

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Number of random characters in event and message ids.
pub(crate) const LONG_CHARS: usize = 12;
/// Number of random characters in a bead's id. Users have to type these ids, so they start out
/// short, and only get longer after collisions.
pub(crate) const SHORT_CHARS: usize = 6;

/// Derives `length` letters and digits (at most 24) from `parts`. At least one part must be random
/// if the id should not be predictable.
pub(crate) fn drawn(parts: &[&[u8]], length: usize) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        // With the length in front, `ab` and `c` don't give the same bytes as `a` and `bc`.
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(*part);
    }
    let digest = Digest::of_bytes(&bytes);
    let (half, _) = digest.as_bytes().split_at(16);
    let mut number = half.try_into().map_or(0, u128::from_le_bytes);
    let mut text = String::with_capacity(length);
    for _ in 0..length {
        text.push(char::from(ALPHABET[(number % 36) as usize]));
        number /= 36;
    }
    text
}

pub(crate) fn bead_id_problem(id: &str) -> Option<&'static str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.len() > 128 {
        Some("it must have 1 to 128 characters")
    } else if !id.chars().all(is_plain) {
        Some("it may only contain letters, digits, `-`, `_` and `.`")
    } else if !id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Some("it must begin with a letter or a digit")
    } else if id.ends_with(['.', '-']) || id.contains("..") {
        Some("one of its parts is empty")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_different_parts_differ() {
        let name = drawn(&[b"ab", b"c"], LONG_CHARS);
        assert_eq!(name.len(), 12);
        assert!(name.bytes().all(|byte| ALPHABET.contains(&byte)));
        assert_ne!(name, drawn(&[b"a", b"bc"], LONG_CHARS));
        assert_eq!(name, drawn(&[b"ab", b"c"], LONG_CHARS));
    }

    #[test]
    fn bead_id_unsafe_characters_rejected() {
        for good in ["gt-abc123", "gt-abc123.4", "bd-3f_x", "PROJ-1"] {
            assert_eq!(bead_id_problem(good), None, "{good}");
        }
        for bad in ["", "gt abc", "../x", "-x", "gt-", "gt-a..1", "gt/a", "ü"] {
            assert!(bead_id_problem(bad).is_some(), "{bad}");
        }
    }
}
