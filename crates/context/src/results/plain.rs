//! What a program printed, without what was meant for a terminal.

use std::borrow::Cow;

/// `text` without colours and other escapes, without what a line showed before it was written over, and without the moments that
/// services for continuous integration put before each line.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let text = match text.contains(['\u{1b}', '\u{9b}']) {
        true => Cow::Owned(without_escapes(text)),
        false => Cow::Borrowed(text),
    };
    let is_odd = |line: &str| overwritten(line) != line || after_moment(line) != line;
    if !text.lines().any(is_odd) {
        return text;
    }
    let lines = text
        .lines()
        .map(|line| after_moment(overwritten(line.trim_end_matches('\r'))));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
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
            // Up to the letter that says what to do: `ESC [ 1 ; 31 m`.
            Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            // A title or a link, up to a bell or `ESC \`.
            Some(']') => {
                let mut last = '\0';
                for c in chars.by_ref() {
                    if c == '\u{7}' || (last, c) == ('\u{1b}', '\\') {
                        break;
                    }
                    last = c;
                }
            }
            // Which letters there are: `ESC ( B`.
            Some('(' | ')' | '*' | '+' | '#' | ' ') => {
                chars.next();
            }
            _ => {}
        }
    }
    out
}

/// What a terminal shows of a line after all that was written over.
fn overwritten(line: &str) -> &str {
    line.trim_end_matches('\r')
        .rsplit('\r')
        .next()
        .unwrap_or_default()
}

/// `2026-01-31T12:00:00.1234567Z ` before a line.
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
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }
}
