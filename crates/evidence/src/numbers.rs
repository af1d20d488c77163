//! Comparison of lines without their numbers. It is needed for lists of numbered records.

use crate::text::Text;

/// True if another line near line `at` differs from it only in numbers.
pub(crate) fn is_numbered(text: &Text, at: usize) -> bool {
    /// Maximum distance of the other line, in lines.
    const NEAR: usize = 40;
    let line = text.bytes(at);
    if !line.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let line = stripped(line);
    let mut near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(text.len());
    near.any(|other| other != at && stripped(text.bytes(other)) == line)
}

/// Returns line `at` without digits and blanks. A line without letters is returned unchanged.
pub(crate) fn without_numbers(text: &Text, at: usize) -> Vec<u8> {
    let line = text.bytes(at);
    match line
        .iter()
        .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
    {
        true => stripped(line),
        false => line,
    }
}

fn stripped(mut line: Vec<u8>) -> Vec<u8> {
    line.retain(|byte| !byte.is_ascii_digit() && !byte.is_ascii_whitespace());
    line
}
