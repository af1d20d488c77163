//! Sequences of characters that aren't secrets, because they're repeated, in alphabetical order, or
//! elided.

use windlass_base::is_on;

/// True for a few signs repeated at least three times, such as `pwpwpw` or `abababab`.
pub(crate) fn is_repeated(value: &str) -> bool {
    if !is_on("redact.repeated_signs") {
        return false;
    }
    const LONGEST: usize = 3;
    let bytes = value.as_bytes();
    (1..=LONGEST).any(|unit| {
        bytes.len() >= unit * 3 && (unit..bytes.len()).all(|at| bytes[at] == bytes[at - unit])
    })
}

/// True for letters and digits in sequence, such as `abc123`, `0123456789abcdef` or `123 456`. A
/// number alone may be a PIN, so it doesn't count.
pub(crate) fn counts_up(value: &str) -> bool {
    if !is_on("redact.counts_up") {
        return false;
    }
    const SHORTEST: usize = 4;
    const MAX_RUNS: usize = 2;
    let half = value.len() / 2;
    if value.len() > 2 * SHORTEST && value.is_char_boundary(half) && value[..half] == value[half..]
    {
        return counts_up(&value[..half]);
    }
    let is_plain = value.bytes().all(|b| b.is_ascii_alphanumeric());
    let has_letter = value.bytes().any(|b| b.is_ascii_alphabetic());
    let is_spaced = value.contains(' ') && value.bytes().all(|b| b.is_ascii_digit() || b == b' ');
    let runs = || {
        value
            .as_bytes()
            .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
    };
    value.len() >= SHORTEST
        && ((is_plain && has_letter && runs().count() <= MAX_RUNS && runs().all(is_sequence))
            || (is_spaced && value.split(' ').all(|part| is_sequence(part.as_bytes()))))
}

/// True if the run has at least two bytes, and each is one more than the byte before it.
pub(crate) fn is_sequence(run: &[u8]) -> bool {
    run.len() >= 2 && run.windows(2).all(|two| follows(two[0], two[1]))
}

fn follows(before: u8, after: u8) -> bool {
    match (before, after) {
        (b'9', b'0') => true,
        _ => before.to_ascii_lowercase() + 1 == after.to_ascii_lowercase(),
    }
}

/// True if the token's middle is elided, as in `eyJh...0M30`.
pub(crate) fn is_elided(token: &str) -> bool {
    if !is_on("redact.elided") {
        return false;
    }
    token.contains("...") || token.contains('…')
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
            "123 456",
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
