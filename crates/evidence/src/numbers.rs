//! Lines that differ only in their numbers, as in lists of numbered records.

use crate::params;
use crate::text::Text;

/// Returns true if a line near line `at` differs from it only in numbers.
pub(crate) fn is_numbered(text: &Text, at: usize) -> bool {
    let line = text.bytes(at);
    if !line.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let line = stripped(line);
    let mut near = at.saturating_sub(params::MAX_NUMBERED_DISTANCE)
        ..(at + params::MAX_NUMBERED_DISTANCE + 1).min(text.len());
    near.any(|other| other != at && stripped(text.bytes(other)) == line)
}

fn stripped(mut line: Vec<u8>) -> Vec<u8> {
    line.retain(|byte| !byte.is_ascii_digit() && !byte.is_ascii_whitespace());
    line
}
