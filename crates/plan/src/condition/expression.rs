//! Tokeniser for conditions.
//!
//! We leave compiling and evaluating to minijinja, but it has two gaps. It doesn't report which
//! members an expression accesses through `['…']`, or where. And it silently stops at text that
//! isn't a token, so `a && b` would lose its second half. That's why we tokenise conditions
//! ourselves first.

use std::ops::Range;

/// A token of an expression.
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
    /// A number without a sign.
    Number,
    /// A string literal, including quotes.
    Text,
    /// Any other character.
    Mark,
}

impl Token<'_> {
    /// Returns true if the token is the keyword or mark `text`.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, TokenKind::Word | TokenKind::Mark)
    }

    /// Returns the text inside the quotes, or `None` if it contains an escape.
    pub(crate) fn unquoted(&self) -> Option<String> {
        let quote = self.text.chars().next()?;
        let inside = self.text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains('\\')).then(|| inside.to_owned())
    }
}

/// Text that can't be part of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unexpected {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) range: Range<usize>,
}

/// Marks, longest first, so that we don't read `==` as two `=`.
const MARKS: [&str; 25] = [
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "*", "/", "%", ".", ",", ":", "~", "|", "=", ">",
    "<", "(", ")", "[", "]", "{", "}",
];

/// Operators of other languages, with their equivalents here.
const FOREIGN: [(&str, &str); 8] = [
    ("&&", "and"),
    ("||", "or"),
    ("===", "=="),
    ("!==", "!="),
    ("<>", "!="),
    ("!", "not"),
    ("&", "and"),
    ("?", "a if CONDITION else b"),
];

/// Splits `text` into tokens, skipping whitespace.
///
/// Rejects unknown characters, which minijinja would treat as the end of the text.
///
/// # Errors
/// Returns an error for the first unknown text or operator of another language.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Unexpected> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = match first {
            c if c.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            '\'' | '"' => (TokenKind::Text, quoted(rest, first)),
            c if c.is_ascii_digit() => {
                let after_dot = tokens.last().is_some_and(|before| before.is("."));
                (TokenKind::Number, number(rest, after_dot))
            }
            c if c.is_ascii_alphabetic() || c == '_' => (TokenKind::Word, run(rest, is_in_word)),
            c => {
                let foreign = FOREIGN.iter().find(|(mark, _)| rest.starts_with(mark));
                let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
                let length = mark.map_or(0, |mark| mark.len());
                match foreign.filter(|(mark, _)| mark.len() > length) {
                    Some((mark, ours)) => return Err(is_foreign(at, mark, ours)),
                    None if length == 0 => return Err(unknown(at, c)),
                    None => (TokenKind::Mark, length),
                }
            }
        };
        let range = at..at + length;
        let token = Token {
            kind,
            text: &text[range.clone()],
            range,
        };
        at += length;
        if let Some(wrong) = wrong_number(&token, &text[at..]) {
            return Err(wrong);
        }
        tokens.push(token);
    }
    Ok(tokens)
}

fn is_foreign(at: usize, mark: &str, ours: &str) -> Unexpected {
    Unexpected {
        message: format!("`{mark}` is not an operator of conditions"),
        help: Some(format!("write `{ours}` instead of `{mark}`")),
        range: at..at + mark.len(),
    }
}

fn unknown(at: usize, c: char) -> Unexpected {
    let help = c
        .is_alphabetic()
        .then(|| "put names with letters beyond ASCII into brackets: `inputs['größe']`".to_owned());
    Unexpected {
        message: format!("unexpected character `{}`", c.escape_debug()),
        help,
        range: at..at + c.len_utf8(),
    }
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Returns the length of the number at the start of `text`. A number after a dot is an index, so it
/// has no fraction.
fn number(text: &str, after_dot: bool) -> usize {
    let is_digit = |c: char| c.is_ascii_digit() || c == '_';
    let mut length = run(text, is_digit);
    if after_dot {
        return length;
    }
    let fraction = text[length..].strip_prefix('.').unwrap_or_default();
    if fraction.starts_with(|c: char| c.is_ascii_digit()) {
        length += 1 + run(fraction, is_digit);
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let digits = run(&exponent[sign..], |c| c.is_ascii_digit());
        length += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    length
}

/// Reports a number followed by letters or by a lone dot.
fn wrong_number(token: &Token<'_>, rest: &str) -> Option<Unexpected> {
    let mut after = rest.chars();
    let is_wrong = token.kind == TokenKind::Number
        && match after.next() {
            Some('.') => !after
                .next()
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_'),
            Some(c) => is_in_word(c),
            None => false,
        };
    is_wrong.then(|| Unexpected {
        message: format!("`{}{}` is not a number", token.text, &rest[..1]),
        help: None,
        range: token.range.start..token.range.end + 1,
    })
}

/// Returns the length of the string literal at the start of `text`, including quotes.
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
