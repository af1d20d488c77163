//! I-Regexp (RFC 9485): the regular expressions that JSONPath speaks, which mean the same everywhere.

use std::iter::Peekable;
use std::str::CharIndices;

/// How much a compiled expression may take, in bytes.
const MAX_SIZE: usize = 1 << 20;

/// The longest expression, in bytes.
const MAX_LEN: usize = 1024;

/// What an expression is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All of a text, as the function `match` does.
    Whole,
    /// Any part of it, as `search` does.
    Part,
}

/// Compiles `pattern`.
///
/// # Errors
/// Why it is no I-Regexp, or too large.
pub(crate) fn compile(pattern: &str, reach: Reach) -> Result<regex::Regex, String> {
    if pattern.len() > MAX_LEN {
        return Err(format!(
            "a regular expression in a JSONPath has at most {MAX_LEN} bytes"
        ));
    }
    let translated = Translation::of(pattern)?;
    let whole = match reach {
        Reach::Whole => format!("^(?:{translated})$"),
        Reach::Part => translated,
    };
    regex::RegexBuilder::new(&whole)
        .size_limit(MAX_SIZE)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it repeats too much".to_owned(),
            _ => "a range in it has its ends the wrong way round".to_owned(),
        })
}

/// The same expression in the syntax of the `regex` crate, which knows much more: what is no I-Regexp is refused.
struct Translation<'a> {
    pattern: &'a str,
    rest: Peekable<CharIndices<'a>>,
    out: String,
}

impl Translation<'_> {
    fn of(pattern: &str) -> Result<String, String> {
        let mut translation = Translation {
            pattern,
            rest: pattern.char_indices().peekable(),
            out: String::with_capacity(pattern.len() * 2),
        };
        translation.branches()?;
        Ok(translation.out)
    }

    fn branches(&mut self) -> Result<(), String> {
        let mut open = 0_usize;
        while let Some((at, c)) = self.rest.next() {
            match c {
                '|' => {
                    self.out.push('|');
                    continue;
                }
                '(' => {
                    open += 1;
                    self.out.push_str("(?:");
                    continue;
                }
                ')' => {
                    open = open.checked_sub(1).ok_or_else(|| self.unexpected(at, c))?;
                    self.out.push(')');
                }
                '.' => self.out.push_str("[^\\n\\r]"),
                '[' => self.class()?,
                '\\' => self.escape()?,
                '*' | '+' | '?' | ']' | '{' | '}' => return Err(self.unexpected(at, c)),
                c => self.literal(c),
            }
            self.quantifier()?;
        }
        if open > 0 {
            return Err("a `(` in it is not closed".to_owned());
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.out
            .push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn unexpected(&self, at: usize, c: char) -> String {
        let after = &self.pattern[..at];
        format!("`{c}` does not belong after `{after}`; to mean itself it is written `\\{c}`")
    }

    /// What says how often the piece before it stands.
    fn quantifier(&mut self) -> Result<(), String> {
        let Some((_, c)) = self
            .rest
            .next_if(|(_, c)| matches!(c, '*' | '+' | '?' | '{'))
        else {
            return Ok(());
        };
        self.out.push(c);
        if c != '{' {
            return Ok(());
        }
        let wrong = || "a `{` says how often, as `{2}`, `{2,}` or `{2,5}`".to_owned();
        let mut counts = String::new();
        loop {
            match self.rest.next() {
                Some((_, '}')) => break,
                Some((_, c)) if c == ',' || c.is_ascii_digit() => counts.push(c),
                _ => return Err(wrong()),
            }
        }
        let mut parts = counts.split(',');
        let has_least = parts.next().is_some_and(|least| !least.is_empty());
        if !has_least || parts.count() > 1 {
            return Err(wrong());
        }
        self.out.push_str(&counts);
        self.out.push('}');
        Ok(())
    }

    /// What follows a `\`.
    fn escape(&mut self) -> Result<(), String> {
        match self.rest.next() {
            Some((_, c @ ('n' | 'r' | 't'))) => self.out.extend(['\\', c]),
            Some((_, c @ ('p' | 'P'))) => self.category(c)?,
            Some((_, c)) if "()*+-.?[\\]^{|}".contains(c) => self.out.extend(['\\', c]),
            Some((_, c)) => {
                return Err(format!(
                    "`\\{c}` is not known in an I-Regexp (RFC 9485): classes are written as `[0-9]` or `\\p{{Nd}}`"
                ));
            }
            None => return Err("it ends in a `\\`".to_owned()),
        }
        Ok(())
    }

    /// `{Lu}` after `\p` or `\P`.
    fn category(&mut self, kind: char) -> Result<(), String> {
        let mut name = String::new();
        let mut opened = false;
        for (_, c) in self.rest.by_ref() {
            match c {
                '{' if !opened => opened = true,
                '}' if opened => break,
                c if opened && c.is_ascii_alphabetic() && name.len() < 2 => name.push(c),
                _ => {
                    name.clear();
                    break;
                }
            }
        }
        let mut letters = name.chars();
        let minor = match letters.next() {
            Some('L') => "lmotu",
            Some('M') => "cen",
            Some('N') => "dlo",
            Some('P') => "cdefios",
            Some('Z') => "lps",
            Some('S') => "ckmo",
            Some('C') => "cfno",
            _ => return Err(format!("after `\\{kind}` comes a category, as `{{Lu}}`")),
        };
        if letters.next().is_some_and(|letter| !minor.contains(letter)) {
            return Err(format!("there is no category `{name}` of characters"));
        }
        self.out.push_str(&format!("\\{kind}{{{name}}}"));
        Ok(())
    }

    /// What follows a `[`, up to its end.
    fn class(&mut self) -> Result<(), String> {
        let unclosed = || "a `[` in it is not closed".to_owned();
        self.out.push('[');
        if self.rest.next_if(|(_, c)| *c == '^').is_some() {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let (at, c) = self.rest.next().ok_or_else(unclosed)?;
            match c {
                ']' if !is_first => break,
                '-' if is_first || self.rest.peek().is_some_and(|(_, next)| *next == ']') => {
                    self.out.push_str("\\-");
                }
                ']' | '-' | '[' => return Err(self.unexpected(at, c)),
                _ => {
                    let is_category = self.class_character(c)?;
                    self.range(is_category)?;
                }
            }
            is_first = false;
        }
        self.out.push(']');
        Ok(())
    }

    /// The end of a range whose beginning was read.
    fn range(&mut self, after_category: bool) -> Result<(), String> {
        let mut ahead = self.rest.clone();
        let is_range = ahead.next().is_some_and(|(_, c)| c == '-')
            && ahead.next().is_some_and(|(_, c)| c != ']');
        if !is_range {
            return Ok(());
        }
        let (at, dash) = self.rest.next().unwrap_or_default();
        self.out.push('-');
        match self.rest.next() {
            Some((_, c)) if !after_category && !"[]-".contains(c) => {
                match self.class_character(c)? {
                    true => Err(self.unexpected(at, dash)),
                    false => Ok(()),
                }
            }
            _ => Err(self.unexpected(at, dash)),
        }
    }

    /// One character in a class, or a category; says whether it was that.
    fn class_character(&mut self, c: char) -> Result<bool, String> {
        match c {
            '\\' => {
                let is_category = self
                    .rest
                    .peek()
                    .is_some_and(|(_, c)| matches!(c, 'p' | 'P'));
                self.escape()?;
                Ok(is_category)
            }
            // They mean something to the `regex` crate.
            '^' | '&' | '~' => {
                self.out.extend(['\\', c]);
                Ok(false)
            }
            c => {
                self.out.push(c);
                Ok(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern, Reach::Whole).unwrap().is_match(text)
    }

    #[test]
    fn expressions_mean_what_rfc_9485_says() {
        for (pattern, text, does) in [
            ("", "", true),
            ("a|", "", true),
            ("a.c", "abc", true),
            ("a.c", "a\nc", false),
            ("a.c", "a\rc", false),
            ("a.c", "a\u{2028}c", true),
            ("ab*(c|d)+e?", "abbcdce", true),
            ("[0-9]{2,3}", "1", false),
            ("[0-9]{2,}", "12345", true),
            ("[0-9]{2}", "123", false),
            // These have no meaning of their own.
            ("^a$", "a", false),
            ("^a$", "^a$", true),
            ("#x y", "#x y", true),
            ("[a&&b]", "&", true),
            ("[a~~^]", "^", true),
            ("[-a]", "-", true),
            ("[a-]", "-", true),
            ("[^-]", "-", false),
            ("[\\]\\[\\\\^-]+", "][\\^-", true),
            ("[\\--\\.]", ".", true),
            ("\\p{Lu}\\P{L}[\\p{Nd}x]", "Ä-7", true),
            ("\\p{Z}\\t\\{", " \t{", true),
            ("é+", "éé", true),
        ] {
            assert_eq!(matches(pattern, text), does, "{pattern} on {text:?}");
        }
        assert!(compile("b", Reach::Part).unwrap().is_match("abc"));
        assert!(!matches("b", "abc"));
    }

    #[test]
    fn what_is_no_expression_of_that_kind_is_refused() {
        for bad in [
            "*a",
            "a**",
            "a+?",
            "(",
            ")",
            "(a",
            "a)",
            "[",
            "[]",
            "[a",
            "[b-a]",
            "[a-b-c]",
            "[a[b]",
            "[\\p{L}-z]",
            "{2}",
            "a{",
            "a{,2}",
            "a{2",
            "a{1,2,3}",
            "a{3,2}",
            "a{x}",
            "]",
            "}",
            "\\",
            "\\d",
            "\\w",
            "\\b",
            "\\$",
            "\\1",
            "\\x41",
            "\\p",
            "\\pL",
            "\\p{",
            "\\p{Greek}",
            "\\p{Lx}",
            "\\p{Cs}",
            "(?i)a",
            "(?:a)",
            "(?=a)",
            "((((a{99}){99}){99}){99})",
        ] {
            assert!(compile(bad, Reach::Whole).is_err(), "{bad}");
        }
        assert!(compile(&"a".repeat(MAX_LEN + 1), Reach::Part).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(pattern in "[a-b.*+?(){}|\\[\\]\\\\^$,0-9pPLu&~-]{0,12}", text in "\\PC{0,8}") {
            if let Ok(expression) = compile(&pattern, Reach::Whole) {
                let _ = expression.is_match(&text);
            }
        }
    }
}
