//! Removes control sequences for terminals from printed output.

use std::borrow::Cow;

/// Returns `text` without colors and other escapes, and without the times that CI services put
/// before each line. Carriage returns are kept, because in XML they don't end a line. So is U+009B,
/// another spelling of `ESC [`: XML allows it, and the text after it may be a tag.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let text = match text.contains('\u{1b}') {
        true => Cow::Owned(without_escapes(text)),
        false => Cow::Borrowed(text),
    };
    match text.lines().any(|line| after_moment(line) != line) {
        true => Cow::Owned(each_line(&text, after_moment)),
        false => text,
    }
}

/// Returns the text that a terminal would show, without overwritten parts of lines. Not for XML.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    match text.contains('\r') {
        true => Cow::Owned(each_line(text, |line| after_moment(overwritten(line)))),
        false => Cow::Borrowed(text),
    }
}

/// Applies `line` to each line of `text`. Newlines are kept, so that line numbers remain correct.
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
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.next() {
            // Skip up to the final letter: `ESC [ 1 ; 31 m`. Another character ends a cut one.
            Some('[') => {
                while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
                chars.next_if(|c| ('@'..='~').contains(c));
            }
            // Skip a title or a link, up to a bell or `ESC \`. One that is cut ends with its line.
            Some(']') => {
                let mut last = '\0';
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    if c == '\u{7}' || (last, c) == ('\u{1b}', '\\') {
                        break;
                    }
                    last = c;
                }
            }
            // A character set is chosen by one more character: `ESC ( B`.
            Some('(' | ')' | '*' | '+' | '#' | ' ') => {
                chars.next_if(char::is_ascii_alphanumeric);
            }
            _ => {}
        }
    }
    out
}

/// Returns the part of a line that remains visible after all overwriting.
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
            ("<b>\u{9b}</b>", "<b>\u{9b}</b>"),
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
