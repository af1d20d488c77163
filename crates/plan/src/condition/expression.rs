//! Splits conditions into tokens.
//!
//! We leave it to minijinja to compile and evaluate conditions, but there are two gaps. It doesn't
//! report the members accessed with `['…']` or their positions, and it silently stops at unknown
//! text: the second half of `a && b` would be lost. That's why each condition goes through this
//! tokenizer first.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number without a sign.
    Number,
    /// A string literal, including its quotes.
    Text,
    Mark,
}

impl Token<'_> {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, TokenKind::Word | TokenKind::Mark)
    }

    /// The text inside the quotes. We don't decode escapes, so this is `None` if there are any.
    pub(crate) fn unquoted(&self) -> Option<String> {
        let quote = self.text.chars().next()?;
        let inside = self.text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains('\\')).then(|| inside.to_owned())
    }
}

/// Text that isn't part of the syntax of expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unexpected {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) range: Range<usize>,
}

/// Punctuation, with the longest marks first.
///
/// We take the first match, and `==` shouldn't be read as two `=`.
///
/// There is no `*`, because it also repeats lists. Two of these make a list that takes hours to
/// print, which counts as a single instruction.
const MARKS: [&str; 24] = [
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "%", ".", ",", ":", "~", "|", "=", ">", "<",
    "(", ")", "[", "]", "{", "}",
];

/// Operators of other languages, and their replacements in ours.
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

/// Splits `text` into tokens, without the white space between them.
///
/// # Errors
/// Returns an error for the first unknown text or foreign operator.
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
                // In `items.0.1`, the part `0.1` isn't a fraction.
                let after_dot = tokens.last().is_some_and(|before| before.is("."));
                (TokenKind::Number, number(rest, after_dot))
            }
            c if c.is_ascii_alphabetic() || c == '_' => (TokenKind::Word, run(rest, is_in_word)),
            c => {
                let foreign = FOREIGN.iter().find(|(mark, _)| rest.starts_with(mark));
                let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
                let length = mark.map_or(0, |mark| mark.len());
                // `!=` is ours, but also starts with a foreign `!`. The longer of the two counts.
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
    let help = match c {
        '*' => Some("conditions cannot multiply: let a step compute the product"),
        c if c.is_alphabetic() => {
            Some("put names with letters beyond ASCII into brackets: `inputs['größe']`")
        }
        _ => None,
    };
    Unexpected {
        message: format!("unexpected character `{}`", c.escape_debug()),
        help: help.map(str::to_owned),
        range: at..at + c.len_utf8(),
    }
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Returns the length of the number at the start of `text`.
///
/// A number after a dot is an index, so it ends before the next dot.
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

/// Reports a number that's followed by letters (`1x`) or by a lone dot (`1.`).
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
