//! Makes text from files safe to print, and fits it into columns.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;
use windlass_base::is_harmful;

/// Replaces characters that could harm a terminal with U+FFFD, e.g. control characters.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    // Most strings are plain ASCII, so try the faster scan by bytes first.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars()
            .map(|c| if is_harmful(c) { '\u{fffd}' } else { c })
            .collect(),
    )
}

/// Like [`clean`], but keeps line ends.
#[must_use]
pub(crate) fn clean_text(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return text.to_owned();
    }
    let lines: Vec<_> = text.split('\n').map(clean).collect();
    lines.join("\n")
}

/// Like [`clean_text`], but keeps carriage returns as well. This is meant for values in JSON, where
/// line ends are escaped.
#[must_use]
pub fn clean_value(text: String) -> String {
    let harmful = |c: char| is_harmful(c) && !matches!(c, '\n' | '\r');
    match text.contains(harmful) {
        true => text.replace(harmful, "\u{fffd}"),
        false => text,
    }
}

/// Like [`clean_value`], for all names and values in `json`. Escaped characters count, too: a
/// program that decodes the JSON may print them.
#[must_use]
pub(crate) fn clean_json(json: String) -> String {
    let harmful = |c: char| is_harmful(c) && !matches!(c, '\n' | '\r');
    if !json.contains(harmful) && !json.contains('\\') {
        return json;
    }
    let mut clean = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(c) = rest.chars().next() {
        let (length, replaced) = match rest.as_bytes() {
            [b'\\', b'u', ..] => {
                let code = rest
                    .get(2..6)
                    .and_then(|code| u32::from_str_radix(code, 16).ok());
                (
                    6.min(rest.len()),
                    code.and_then(char::from_u32).is_some_and(harmful),
                )
            }
            // The escapes for backspace and form feed are two characters each, and both are
            // harmful.
            [b'\\', b'b' | b'f', ..] => (2, true),
            [b'\\', _, ..] => (
                1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                false,
            ),
            _ => (c.len_utf8(), harmful(c)),
        };
        match replaced {
            true => clean.push('\u{fffd}'),
            false => clean.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    clean
}

/// Escapes characters that could control a terminal. In JSON and TRON, these only occur within
/// strings.
pub(crate) fn escaped(text: String) -> String {
    // Line ends occur between strings as well, and have to stay.
    let harmful = |c: char| is_harmful(c) && c != '\n';
    if !text.contains(harmful) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The number of terminal columns that `c` takes. A tab counts as 4.
fn columns(c: char) -> usize {
    if c == '\t' { 4 } else { c.width().unwrap_or(0) }
}

/// Splits `text` into rows of at most `width` columns. There is always at least one row. Each has
/// at least one character, even if that is too wide.
pub(crate) fn rows(text: &str, width: Option<usize>) -> Vec<&str> {
    let mut rows = Vec::new();
    let (mut start, mut taken) = (0, 0);
    for (at, c) in text.char_indices() {
        taken += columns(c);
        if at > start && width.is_some_and(|width| taken > width) {
            rows.push(&text[start..at]);
            (start, taken) = (at, columns(c));
        }
    }
    rows.push(&text[start..]);
    rows
}

/// Shortens `text` to `width` columns, with `…` at the end. A tab counts as 4 columns.
///
/// The text is cut after a word, unless that would lose more than a third of it, as for a long
/// path.
#[must_use]
pub fn fit(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width else {
        return Cow::Borrowed(text);
    };
    // A character takes at least one byte per column, so there's no need to count columns if the
    // bytes already fit. Tabs are the exception.
    if text.len() <= width && !text.contains('\t')
        || text.chars().map(columns).sum::<usize>() <= width
    {
        return Cow::Borrowed(text);
    }
    let mut left = width.saturating_sub(1);
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let Some(rest) = left.checked_sub(columns(c)) else {
            break;
        };
        left = rest;
        end = at + c.len_utf8();
    }
    let kept = &text[..end];
    let is_word_end = text[end..].starts_with(' ') || kept.ends_with(' ');
    let word_end = kept.trim_end().rfind(' ').filter(|_| !is_word_end);
    let word_end = word_end.map(|at| kept[..at].trim_end().len());
    let kept = match word_end.filter(|at| at * 3 >= end * 2) {
        Some(at) => &kept[..at],
        None => kept.trim_end(),
    };
    Cow::Owned(format!("{kept}…"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn clean_removes_terminal_controls() {
        assert_eq!(clean("a\tb ü"), "a\tb ü");
        assert_eq!(
            clean("\u{1b}[31mred\r\n\u{202e}x\u{9b}"),
            "\u{fffd}[31mred\u{fffd}\u{fffd}\u{fffd}x\u{fffd}"
        );
    }

    #[test]
    fn fit_cuts_lines_by_columns() {
        assert_eq!(fit("abcdef", Some(6)), "abcdef");
        assert_eq!(fit("abcdefg", Some(6)), "abcde…");
        assert_eq!(fit("日本語", Some(4)), "日…");
        assert_eq!(fit("one two three", Some(11)), "one two…");
        assert_eq!(fit("one two three", Some(9)), "one two…");
        assert_eq!(fit("a chain-of-anchors", Some(12)), "a chain-of-…");
        assert_eq!(fit("日本語", None), "日本語");
        assert_eq!(rows("a日本b語", Some(4)), ["a日", "本b", "語"]);
        assert_eq!(rows("日本", Some(1)), ["日", "本"]);
        assert_eq!(rows("", Some(4)), [""]);
    }

    #[test]
    fn clean_json_has_no_deceptive_chars() {
        for (given, wanted) in [
            ("a\u{202e}b", "a\u{fffd}b"),
            ("\u{e0041}", "\u{fffd}"),
            ("\u{9b}31m", "\u{fffd}31m"),
            ("\u{1b}[2J", "\u{fffd}[2J"),
            ("a\r\n\tb", "a\r\n\tb"),
            ("\\u202e \"x\" \\", "\\u202e \"x\" \\"),
        ] {
            let json = clean_json(json!({ given: [given] }).to_string());
            let read: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(read, json!({ wanted: [wanted] }));
        }
        assert_eq!(clean_json(r#""\u202e""#.to_owned()), "\"\u{fffd}\"");
    }

    proptest! {
        #[test]
        fn clean_json_stays_valid(text in r#"[a-z\\"/\n\x00-\x1f\x{80}-\x{9f}\x{202a}-\x{202e}\x{e0041}🦀]{0,12}"#) {
            let json = clean_json(json!([text]).to_string());
            let read: Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(read, json!([clean_value(text)]));
        }
    }
}
