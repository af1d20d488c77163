//! Printed output without its control sequences for a terminal.

use std::borrow::Cow;

/// Returns `text` without colours and other escapes, and without the times that CI services put
/// before each line. Carriage returns stay, because in XML they don't end a line.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let text = match text.contains(['\u{1b}', '\u{9b}']) {
        true => Cow::Owned(without_escapes(text)),
        false => Cow::Borrowed(text),
    };
    match text.lines().any(|line| after_moment(line) != line) {
        true => Cow::Owned(each_line(&text, after_moment)),
        false => text,
    }
}

/// Returns the visible text of terminal output that isn't XML. Overwritten parts of lines are removed.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => Cow::Owned(each_line(text, |line| after_moment(overwritten(line)))),
        false => Cow::Borrowed(text),
    }
}

/// Applies `line` to each line of `text`. Newlines stay, so that lines keep their numbers.
fn each_line(text: &str, line: impl Fn(&str) -> &str) -> String {
    let mut out = String::with_capacity(text.len());
    for whole in text.split_inclusive('\n') {
        match whole.strip_suffix('\n') {
            Some(inner) => {
                out.push_str(line(inner));
                out.push('\n');
            }
            None => out.push_str(line(whole)),
        }
    }
    out
}

fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let begins = match c {
            '\u{9b}' => Some('['),
            '\u{1b}' => chars.next(),
            c => {
                out.push(c);
                continue;
            }
        };
        match begins {
            // Skip up to the final letter, as in `ESC [ 1 ; 31 m`. A character outside of an escape ends a cut one.
            Some('[') => {
                while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
                chars.next_if(|c| ('@'..='~').contains(c));
            }
            // Skip a title or a link, up to a bell or `ESC \`. Stay on the line, so that a cut one takes nothing else away.
            Some(']') => {
                let mut last = '\0';
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    if c == '\u{7}' || (last, c) == ('\u{1b}', '\\') {
                        break;
                    }
                    last = c;
                }
            }
            // Choice of a character set: `ESC ( B`.
            Some('(' | ')' | '*' | '+' | '#' | ' ') => {
                chars.next_if(char::is_ascii_alphanumeric);
            }
            _ => {}
        }
    }
    out
}

/// Returns the text a terminal shows of a line after all overwriting.
fn overwritten(line: &str) -> &str {
    line.trim_end_matches('\r')
        .rsplit('\r')
        .next()
        .unwrap_or_default()
}

/// Strips `2026-01-31T12:00:00.1234567Z ` from the start of a line.
fn after_moment(line: &str) -> &str {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let bytes = line.as_bytes();
    let fits = bytes.len() > FORM.len()
        && FORM.iter().zip(bytes).all(|(form, byte)| match form {
            b'd' => byte.is_ascii_digit(),
            form => form == byte,
        });
    if !fits {
        return line;
    }
    let rest = &line[FORM.len()..];
    let rest = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    match rest.strip_prefix('Z') {
        Some("") => "",
        Some(rest) => rest.strip_prefix(' ').unwrap_or(line),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_a_terminal_is_taken_away() {
        for (text, expected) in [
            ("plain\n  text\n", "plain\n  text\n"),
            (
                "\u{1b}[31m\u{1b}[1m1 failed\u{1b}[0m, \u{1b}[32m2 passed\u{1b}[0m",
                "1 failed, 2 passed",
            ),
            ("\u{1b}[31mFAILED\u{1b}(B\u{1b}[m", "FAILED"),
            ("\u{9b}31mred\u{9b}m", "red"),
            ("\u{1b}]8;;http://x\u{1b}\\a.rs\u{1b}]8;;\u{7} b", "a.rs b"),
            ("10%\r50%\rdone\nnext\r\nlast", "done\nnext\nlast"),
            (
                "2026-01-31T12:00:00.1234567Z test a ... ok\n2026-01-31T12:00:00Z\n2026-01-31T12:00:00 x",
                "test a ... ok\n\n2026-01-31T12:00:00 x",
            ),
            ("cut \u{1b}[3", "cut "),
            ("cut \u{1b}", "cut "),
            ("cut \u{1b}[3\nFAILED", "cut \nFAILED"),
            ("cut \u{1b}]0;title\nFAILED", "cut \nFAILED"),
            ("cut \u{1b}(\nFAILED", "cut \nFAILED"),
        ] {
            assert_eq!(shown(&plain(text)), expected, "{text:?}");
        }
    }
}
