//! Lines that are the same but for their numbers, as those of records that are counted.

use crate::text::Text;

/// True if a line near line `at` is the same but for numbers.
pub(crate) fn is_numbered(text: &Text, at: usize) -> bool {
    /// Maximum distance, in lines.
    const NEAR: usize = 40;
    let line = text.bytes(at);
    if !line.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let line = stripped(line);
    let mut near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(text.len());
    near.any(|other| other != at && stripped(text.bytes(other)) == line)
}

/// Content of line `at` without numbers; the whole line if it has nothing else.
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
