//! Splits texts into pieces, which are then split into tokens one by one.
//!
//! The pieces are the successive matches of the following pattern, where the first alternative that
//! matches is used. A token never extends over the end of a piece.
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! A regular expression of this size takes milliseconds to compile, which is more than counting a
//! typical text, so we implement the pattern by hand. A test compares the two; it reads the pattern
//! from this comment.

use crate::letters::Sort;

/// Iterates over the pieces of a text. Joined together, they give the text again.
pub(crate) struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Pieces<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        // No piece is empty, so `max` is only a guard against an endless loop.
        let length = piece(self.rest, first).max(first.len_utf8());
        let (piece, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(piece)
    }
}

fn piece(text: &str, first: char) -> usize {
    let sort = Sort::of(first);
    if let Some(length) = word(text, first, sort) {
        return length + contraction(&text[length..]);
    }
    match sort {
        Sort::Number => run(text, 3, |sort| sort == Sort::Number),
        _ if sort.is_sign() => signs(text),
        _ => match text.strip_prefix(' ').map(signs) {
            Some(length) if length > 0 => 1 + length,
            _ => spaces(text),
        },
    }
}

/// Returns the length of the word at the start of `text`. Its first character may be anything but a
/// number or a line break, and is often a space: in English text, nearly all words include the
/// space before them.
fn word(text: &str, first: char, sort: Sort) -> Option<usize> {
    if sort.is_letter() {
        return lower_word(text).or_else(|| upper_word(text));
    }
    if matches!(sort, Sort::NewLine | Sort::Number) {
        return None;
    }
    let length = first.len_utf8();
    let (behind, alone) = (&text[length..], sort == Sort::Mark);
    let lower = lower_word(behind).map(|word| length + word);
    // A mark without a letter before it (a lone accent, say) matches the first alternative of the
    // pattern, ahead of the one for an uppercase word.
    let lower = lower.or_else(|| alone.then_some(length));
    lower.or_else(|| upper_word(behind).map(|word| length + word))
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
fn lower_word(text: &str) -> Option<usize> {
    let upper = run(text, usize::MAX, Sort::is_in_upper);
    let lower = run(&text[upper..], usize::MAX, Sort::is_in_lower);
    if lower > 0 {
        return Some(upper + lower);
    }
    // There's no lowercase letter, but marks and letters without case belong to both parts. A
    // regular expression would backtrack here: the first part gives up characters at its end until
    // the second part matches.
    let mut ends = text[..upper].char_indices().rev();
    let (at, last) = ends.find(|(_, char)| Sort::of(*char).is_in_lower())?;
    Some(at + last.len_utf8())
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`, where the second part is empty
/// because [`lower_word`] did not match.
fn upper_word(text: &str) -> Option<usize> {
    let upper = run(text, usize::MAX, Sort::is_in_upper);
    (upper > 0).then_some(upper)
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
fn contraction(text: &str) -> usize {
    let Some(behind) = text.strip_prefix('\'') else {
        return 0;
    };
    let mut chars = behind.chars();
    let first = chars.next().map(|char| (char, char.to_ascii_lowercase()));
    let second = chars.next().map(|char| char.to_ascii_lowercase());
    match (first, second) {
        // Without regard to case, the long s (ſ) is another form of s.
        (Some((char, 's' | 't' | 'm' | 'd' | 'ſ')), _) => 1 + char.len_utf8(),
        (Some((_, 'r' | 'v')), Some('e')) | (Some((_, 'l')), Some('l')) => 3,
        _ => 0,
    }
}

/// `[^\s\p{L}\p{N}]+[\r\n/]*`, or 0 without a match.
fn signs(text: &str) -> usize {
    let signs = run(text, usize::MAX, Sort::is_sign);
    let ends = |text: &str| text.len() - text.trim_start_matches(['\r', '\n', '/']).len();
    if signs == 0 {
        0
    } else {
        signs + ends(&text[signs..])
    }
}

/// The last three alternatives, for whitespace.
fn spaces(text: &str) -> usize {
    let all = run(text, usize::MAX, Sort::is_space);
    let (white, behind) = text.split_at(all);
    if let Some(last) = white.rfind(['\r', '\n']) {
        return last + 1;
    }
    if behind.is_empty() {
        return all;
    }
    // The last space belongs to the next piece, unless it's the only one. That's the look-ahead in
    // the pattern.
    match white.char_indices().next_back() {
        Some((last, _)) if last > 0 => last,
        _ => all,
    }
}

fn run(text: &str, limit: usize, wanted: impl Fn(Sort) -> bool) -> usize {
    let chars = text.chars().take(limit);
    let run = chars.take_while(|char| wanted(Sort::of(*char)));
    run.map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// The pattern, one anchored expression per line. The regex crate lacks look-ahead, so that is
    /// done by hand.
    struct Pattern(Vec<Regex>);

    impl Pattern {
        fn new() -> Self {
            let text = include_str!("split.rs").split("```").nth(1).unwrap();
            let lines = text.lines().filter_map(|line| line.strip_prefix("//! "));
            let lines = lines.filter(|line| !line.is_empty());
            let lines = lines.map(|line| line.trim_end_matches("(?!\\S)"));
            let regex = |line: &str| Regex::new(&format!("^(?:{line})")).unwrap();
            Self(lines.map(regex).collect())
        }

        fn pieces<'a>(&self, mut text: &'a str) -> Vec<&'a str> {
            let mut pieces = Vec::new();
            while !text.is_empty() {
                let mut lengths = self.0.iter().enumerate();
                let length = lengths.find_map(|(at, line)| {
                    let found = line.find(text)?.as_str();
                    let looks_ahead = at == 5 && found.len() < text.len();
                    let last = found.chars().next_back()?.len_utf8();
                    let length = found.len() - if looks_ahead { last } else { 0 };
                    (length > 0).then_some(length)
                });
                let (piece, rest) = text.split_at(length.unwrap());
                pieces.push(piece);
                text = rest;
            }
            pieces
        }
    }

    static PATTERN: LazyLock<Pattern> = LazyLock::new(Pattern::new);

    proptest! {
        #[test]
        fn pieces_equal_pattern_matches(
            mixed in proptest::collection::vec(prop_oneof![
                Just("a"), Just("B"), Just("ǅ"), Just("ʰ"), Just("中"), Just("\u{301}"), Just("7"), Just("²"),
                Just(" "), Just("\t"), Just("\n"), Just("\r\n"), Just("\u{3000}"), Just("\u{85}"), Just("'"),
                Just("'s"), Just("'LL"), Just("'ſ"), Just("ſ"), Just("!"), Just("/"), Just("😀"), Just("the"),
            ], 0..40).prop_map(|parts| parts.concat()),
            any in any::<String>(),
        ) {
            let pattern = &*PATTERN;
            prop_assert_eq!(pattern.0.len(), 7);
            for text in [mixed, any] {
                prop_assert_eq!(pieces(&text), pattern.pieces(&text), "{:?}", text);
            }
        }
    }

    fn pieces(text: &str) -> Vec<&str> {
        Pieces::of(text).collect()
    }

    #[test]
    fn words_include_sign_and_contraction() {
        for (text, wanted) in [
            ("Hello World", &["Hello", " World"][..]),
            ("camelCase", &["camel", "Case"]),
            ("HTTPServer don't", &["HTTPServer", " don't"]),
            ("I'LL we'rE x'ſy", &["I'LL", " we'rE", " x'ſ", "y"]),
            ("it's'", &["it's", "'"]),
            ("(word)", &["(word", ")"]),
            ("\tABC", &["\tABC"]),
            ("中A文B", &["中A文", "B"]),
            ("\u{301}ABC", &["\u{301}", "ABC"]),
            ("!\u{301}", &["!\u{301}"]),
        ] {
            assert_eq!(pieces(text), wanted);
        }
    }

    #[test]
    fn numbers_signs_and_spaces_are_split() {
        for (text, wanted) in [
            ("1234567", &["123", "456", "7"][..]),
            (" 12", &[" ", "12"]),
            (" != //\n/x", &[" !=", " //\n/", "x"]),
            ("a  b", &["a", " ", " b"]),
            ("a  \n \n  b", &["a", "  \n \n", " ", " b"]),
            ("a  ", &["a", "  "]),
            ("\r\n\r\n", &["\r\n\r\n"]),
            (" \u{3000}1", &[" ", "\u{3000}", "1"]),
            ("", &[]),
        ] {
            assert_eq!(pieces(text), wanted);
        }
    }
}
