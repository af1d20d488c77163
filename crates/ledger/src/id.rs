//! Names that nobody else has.

use windlass_base::Digest;

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// How many characters of an event's or a message's id are drawn.
pub(crate) const LONG: usize = 12;
/// How many of a bead's, at first.
pub(crate) const SHORT: usize = 6;

/// `length` letters and digits, at most 24, drawn from `parts`: one of them has to be random.
pub(crate) fn drawn(parts: &[&[u8]], length: usize) -> String {
    let mut bytes = Vec::new();
    for part in parts {
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

/// Why a text cannot be the id of a bead.
pub(crate) fn bead_id_problem(id: &str) -> Option<&'static str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.len() > 128 {
        Some("it has to have 1 to 128 characters")
    } else if !id.chars().all(is_plain) {
        Some("only letters, digits, `-`, `_` and `.` may stand in it")
    } else if !id.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Some("it has to begin with a letter or a digit")
    } else if id.ends_with(['.', '-']) || id.contains("..") {
        Some("a part of it is empty")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parts_give_other_names() {
        let name = drawn(&[b"ab", b"c"], LONG);
        assert_eq!(name.len(), 12);
        assert!(name.bytes().all(|byte| ALPHABET.contains(&byte)));
        assert_ne!(name, drawn(&[b"a", b"bc"], LONG));
        assert_eq!(name, drawn(&[b"ab", b"c"], LONG));
    }

    #[test]
    fn ids_of_beads_are_safe_in_file_names_and_shells() {
        for good in ["gt-abc123", "gt-abc123.4", "bd-3f_x", "PROJ-1"] {
            assert_eq!(bead_id_problem(good), None, "{good}");
        }
        for bad in ["", "gt abc", "../x", "-x", "gt-", "gt-a..1", "gt/a", "ü"] {
            assert!(bead_id_problem(bad).is_some(), "{bad}");
        }
    }
}
