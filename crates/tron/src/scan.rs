//! Reads single tokens: whitespace, names, numbers and strings.
//!
//! The scanner does not know the structure of a document. Functions with an error point to the
//! exact characters, since users have to find the mistake.

use std::ops::Range;

use crate::error::{Category, Error, Result};
use crate::text::Text;

pub(crate) struct Scanner<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    /// Buffer for strings with escapes, reused to save allocations.
    unescaped: String,
}

/// The whitespace and separators skipped between two tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Blanks {
    pub(crate) lines: usize,
    pub(crate) blank_line: bool,
    pub(crate) semicolons: usize,
    pub(crate) commas: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        // Skip a byte order mark.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            at,
            ..Self::at_start(text)
        }
    }

    /// Creates a scanner for a piece of text, e.g. a single number. In contrast to [`Self::new`], a
    /// byte order mark is not skipped.
    pub(crate) fn at_start(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            unescaped: String::new(),
        }
    }

    /// Creates a scanner at the same position, for looking ahead without moving this one.
    pub(crate) fn ahead(&self) -> Self {
        Self {
            at: self.at,
            ..Self::at_start(self.text)
        }
    }

    pub(crate) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn fail(
        &self,
        range: Range<usize>,
        message: impl Into<String>,
        expected: Option<&'static str>,
    ) -> Error {
        Error::at(Category::Syntax, self.text, range, message, expected)
    }

    pub(crate) fn limit(&self, range: Range<usize>, message: String) -> Error {
        Error::at(Category::Limit, self.text, range, message, None)
    }

    #[cold]
    pub(crate) fn unexpected(&self, expected: &'static str) -> Error {
        let (range, found) = self.here();
        self.fail(range, found, Some(expected))
    }

    /// Describes the text at this position for an error message, and returns its range.
    pub(crate) fn here(&self) -> (Range<usize>, String) {
        let Some(c) = self.text[self.at..].chars().next() else {
            return (self.at..self.at, "the text ends".to_owned());
        };
        let range = self.at..self.at + c.len_utf8();
        let found = match c {
            '"' => "a string".to_owned(),
            '\n' => "a line end".to_owned(),
            '0'..='9' => "a number".to_owned(),
            _ if is_name_start(c as u32) => {
                let range = self.at..self.name_end();
                return (range.clone(), format!("`{}`", &self.text[range]));
            }
            _ => format!("`{}`", c.escape_debug()),
        };
        (range, found)
    }

    /// Skips spaces, tabs and carriage returns, which never have any meaning. Line breaks may.
    #[inline]
    pub(crate) fn skip_spaces(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
    }

    /// Skips spaces, line breaks and comments, and returns the next byte. Most tokens follow each
    /// other directly, so there is a fast path for that.
    #[inline]
    pub(crate) fn skip(&mut self) -> Option<u8> {
        match self.byte() {
            Some(byte) if byte > b' ' && byte != b'#' => Some(byte),
            _ => self.skip_slowly(),
        }
    }

    fn skip_slowly(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => self.skip_comment(),
                byte => return Some(*byte),
            }
        }
        None
    }

    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(rest.len());
    }

    /// Skips and counts all separators between two tokens. Commas are only skipped if `with_commas`
    /// is true.
    pub(crate) fn separators(&mut self, with_commas: bool) -> Blanks {
        let mut blanks = Blanks::default();
        let mut is_empty = false;
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\r' => {}
                b'\n' => {
                    blanks.lines += 1;
                    blanks.blank_line |= is_empty;
                    is_empty = true;
                }
                b';' => blanks.semicolons += 1,
                b',' if with_commas => blanks.commas += 1,
                b'#' => {
                    self.skip_comment();
                    is_empty = false;
                    continue;
                }
                _ => break,
            }
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                is_empty = false;
            }
            self.at += 1;
        }
        blanks
    }

    /// The end of the name at this position. If there is no name, this is the position itself.
    pub(crate) fn name_end(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        match rest.first() {
            Some(first) if is_name_start(u32::from(*first)) => {}
            _ => return self.at,
        }
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.iter().position(|byte| !is_part(byte));
        self.at + length.unwrap_or(rest.len())
    }

    /// Reads a name, if there is one at this position.
    pub(crate) fn name(&mut self) -> Option<&'a str> {
        let end = self.name_end();
        if end == self.at {
            return None;
        }
        let name = &self.text[self.at..end];
        self.at = end;
        Some(name)
    }

    pub(crate) fn number(&mut self) -> Result<&'a str> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
        let digits = |at: usize| {
            let rest = &bytes[at..];
            at + rest
                .iter()
                .position(|byte| !byte.is_ascii_digit())
                .unwrap_or(rest.len())
        };
        let whole = at;
        at = digits(whole);
        if at == whole {
            return Err(self.malformed(start, "a digit"));
        }
        if bytes[whole] == b'0' && at > whole + 1 {
            return Err(self.malformed(start, "no digits after a leading `0`"));
        }
        if bytes.get(at) == Some(&b'.') {
            let fraction = at + 1;
            at = digits(fraction);
            if at == fraction {
                return Err(self.malformed(start, "a digit after the point"));
            }
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            let signed = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = at + 1 + signed;
            at = digits(exponent);
            if at == exponent {
                return Err(self.malformed(start, "a digit in the exponent"));
            }
        }
        // `12abc` or `1.2.3` would otherwise be read as two tokens, with a confusing error about
        // the second.
        if bytes.get(at).is_some_and(|byte| is_numberlike(*byte)) {
            return Err(self.malformed(start, "the number to end"));
        }
        self.at = at;
        Ok(&self.text[start..at])
    }

    #[cold]
    fn malformed(&self, start: usize, expected: &'static str) -> Error {
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| !is_numberlike(*byte));
        let end = start + length.unwrap_or(rest.len());
        let text = &self.text[start..end];
        let shown: String = text.chars().take(40).collect();
        self.fail(
            start..end,
            format!("`{shown}` is not a number"),
            Some(expected),
        )
    }

    /// Reads a string. The scanner must be at the opening quote.
    ///
    /// Most strings have no escapes, so the result is just a slice of the text.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Text<'a>> {
        let start = self.at + 1;
        let end = special(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::from(&self.text[start..end]));
        }
        self.string_with_escapes(start, end)
    }

    /// Reads the rest of a string with escapes or errors. The first of these is at `end`.
    fn string_with_escapes(&mut self, start: usize, mut end: usize) -> Result<Text<'a>> {
        let bytes = self.text.as_bytes();
        self.unescaped.clear();
        let mut from = start;
        loop {
            self.unescaped.push_str(&self.text[from..end]);
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Text::shared(&self.unescaped));
                }
                Some(b'\\') => {
                    let (c, after) = self.escape(end)?;
                    self.unescaped.push(c);
                    from = after;
                }
                Some(control) => {
                    let message = format!("a raw control character (U+{control:04X}) in a string");
                    let instead = match control {
                        b'\n' => "`\\n`, or `\"` before the line ends",
                        b'\t' => "`\\t`",
                        _ => "an escape such as `\\u001b`",
                    };
                    return Err(self.fail(end..end + 1, message, Some(instead)));
                }
                None => {
                    return Err(self.fail(
                        start - 1..end,
                        "a string that does not end",
                        Some("`\"`"),
                    ));
                }
            }
            end = special(bytes, from);
        }
    }

    /// The character that the escape at `at` stands for, and the end of the escape.
    fn escape(&self, at: usize) -> Result<(char, usize)> {
        let c = match self.text.as_bytes().get(at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(at),
            _ => {
                let next = self.text[at + 1..].chars().next();
                let end = at + 1 + next.map_or(0, char::len_utf8);
                let shown = next.map_or_else(String::new, |c| c.escape_debug().to_string());
                return Err(self.fail(
                    at..end,
                    format!("`\\{shown}` is not an escape"),
                    Some("one of `\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX`"),
                ));
            }
        };
        Ok((c, at + 2))
    }

    fn unicode_escape(&self, at: usize) -> Result<(char, usize)> {
        let first = self.four_digits(at)?;
        if let Some(c) = char::from_u32(first) {
            return Ok((c, at + 6));
        }
        let pair = |low: u32| 0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00);
        if first < 0xDC00 && self.text.as_bytes()[at + 6..].starts_with(b"\\u") {
            let second = self.four_digits(at + 6)?;
            let low = Some(second).filter(|low| (0xDC00..0xE000).contains(low));
            if let Some(c) = low.and_then(|low| char::from_u32(pair(low))) {
                return Ok((c, at + 12));
            }
        }
        Err(self.fail(
            at..at + 6,
            "half of a surrogate pair, which is no character",
            Some("both halves, high before low"),
        ))
    }

    fn four_digits(&self, at: usize) -> Result<u32> {
        let digits = self.text.as_bytes().get(at + 2..at + 6).unwrap_or_default();
        let mut number = 0;
        for digit in digits {
            match char::from(*digit).to_digit(16) {
                Some(digit) => number = number * 16 + digit,
                None => return Err(self.bad_unicode(at)),
            }
        }
        if digits.len() == 4 {
            Ok(number)
        } else {
            Err(self.bad_unicode(at))
        }
    }

    fn bad_unicode(&self, at: usize) -> Error {
        self.fail(
            at..at + 2,
            "a `\\u` without its digits",
            Some("four hexadecimal digits"),
        )
    }
}

fn is_name_start(c: u32) -> bool {
    c == u32::from(b'_') || u8::try_from(c).is_ok_and(|byte| byte.is_ascii_alphabetic())
}

fn is_numberlike(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_')
}

/// True if `name` means something else unless it is in quotes.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "class" | "true" | "false" | "null")
}

/// True if `name` does not need quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let scanner = Scanner::at_start(name);
    !name.is_empty() && scanner.name_end() == name.len() && !is_reserved(name)
}

/// The position of the first `"`, `\` or control character, starting at `from`. If there is none,
/// this is the end.
///
/// This is the inner loop for strings, so it checks eight bytes at a time. In `found`, the high bit
/// of each matching byte is set. The subtractions may also mark bytes after a match by mistake, due
/// to a borrow, but only the first one counts.
#[inline]
pub(crate) fn special(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let quote = zero(word ^ (ONES * 0x22));
        let backslash = zero(word ^ (ONES * 0x5C));
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let found = (quote | backslash | control) & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let is_special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    at + rest.iter().position(is_special).unwrap_or(rest.len())
}
