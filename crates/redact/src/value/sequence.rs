//! Recognizes sequences that aren't secrets: repeated, in order, or elided.

use windlass_base::is_on;

/// Returns true for a few signs repeated at least three times, such as `pwpwpw` or `abababab`.
pub(crate) fn is_repeated(value: &str) -> bool {
    const LONGEST: usize = 3;
    let bytes = value.as_bytes();
    (1..=LONGEST).any(|unit| {
        is_on("redact.repeated_signs")
            && bytes.len() >= unit * 3
            && (unit..bytes.len()).all(|at| bytes[at] == bytes[at - unit])
    })
}

/// Returns true for letters and digits in sequence, such as `abc123` or `0123456789abcdef`. Numbers
/// don't count, because `1234` may be a PIN.
pub(crate) fn counts_up(value: &str) -> bool {
    let follows = |a: u8, b: u8| {
        (a, b) == (b'9', b'0') || a.to_ascii_lowercase() + 1 == b.to_ascii_lowercase()
    };
    let runs = value.as_bytes().chunk_by(|a, b| follows(*a, *b));
    // Two runs are allowed (`abc123`), and more in a long value that repeats its sequence.
    is_on("redact.counts_up")
        && value.len() >= 4
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && runs.count() <= (value.len() / 8).max(2)
}

/// Returns true for a token with its middle left out, e.g. `eyJh...0M30`.
pub(crate) fn is_elided(token: &str) -> bool {
    is_on("redact.elided") && (token.contains("...") || token.contains('…'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_and_sequences_are_known() {
        for value in ["pwpwpw", "abcabcabc", "zzzz", "xyxyxyx"] {
            assert!(is_repeated(value), "{value}");
        }
        for value in ["pw1pw2", "banana", "papaya7"] {
            assert!(!is_repeated(value), "{value}");
        }
        for value in [
            "abc123",
            "0123456789abcdef",
            "ABCDEF",
            "0123456789abcdef0123456789abcdef",
        ] {
            assert!(counts_up(value), "{value}");
        }
        for value in [
            "123456",
            "abd123",
            "a1b2c3",
            "abc123def",
            "abc_def_123",
            "hijack",
        ] {
            assert!(!counts_up(value), "{value}");
        }
    }
}
