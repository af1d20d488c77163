//! The words of a condition.
//!
//! minijinja compiles and evaluates conditions, but says neither which members of a name an expression looks
//! at through `['…']`, nor where. That takes no more than its words.

use std::ops::Range;

/// A word of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Word,
    /// Digits.
    Number,
    /// Text in quotes, quotes included.
    Text,
    /// Any other character.
    Mark,
}

impl Token<'_> {
    /// Whether it is this keyword or mark.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, TokenKind::Word | TokenKind::Mark)
    }

    /// What stands in the quotes, unless it is escaped.
    pub(crate) fn unquoted(&self) -> Option<String> {
        let quote = self.text.chars().next()?;
        let inside = self.text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains('\\')).then(|| inside.to_owned())
    }
}

/// The words of `text`; white space is dropped.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let (kind, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '\'' | '"' => (TokenKind::Text, quoted(&text[at..], first)),
            c if c.is_ascii_digit() => (
                TokenKind::Number,
                run(&text[at..], |c| c.is_ascii_digit() || c == '_'),
            ),
            c if c.is_alphabetic() || c == '_' => (
                TokenKind::Word,
                run(&text[at..], |c| c.is_alphanumeric() || c == '_'),
            ),
            // One word of two marks matters: `==` must not look like the `=` of a named argument.
            '=' if text[at..].starts_with("==") => (TokenKind::Mark, 2),
            c => (TokenKind::Mark, c.len_utf8()),
        };
        let range = at..at + length;
        tokens.push(Token {
            kind,
            text: &text[range.clone()],
            range,
        });
        at += length;
    }
    tokens
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// How long the text in quotes at the start of `text` is, quotes included.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
