//! Source text without comments and without the contents of strings.

/// A language's comment and string syntax.
pub(crate) struct Syntax {
    pub(crate) line_comment: &'static str,
    /// Support for `/* */`; true if such comments nest.
    pub(crate) block_comments: Option<bool>,
    /// Delimiters of strings.
    pub(crate) quotes: &'static [&'static str],
    /// True if `'` begins a character literal or a lifetime.
    pub(crate) rust_quotes: bool,
}

/// Source text with removed characters replaced by blanks, so that lines and offsets stay valid.
pub(crate) struct Plain {
    /// The text without comments and contents of strings, so that brackets in them don't count.
    pub(crate) code: Vec<char>,
    /// The text without comments.
    pub(crate) with_strings: Vec<char>,
}

impl Plain {
    /// Returns the text between two offsets on one line, without comments.
    pub(crate) fn text(&self, from: usize, to: usize) -> String {
        let part = self.with_strings.get(from..to.min(self.with_strings.len()));
        one_line(&part.unwrap_or_default().iter().collect::<String>())
    }

    /// Returns the same text without the contents of strings.
    pub(crate) fn bare(&self, from: usize, to: usize) -> String {
        let part = self.code.get(from..to.min(self.code.len()));
        one_line(&part.unwrap_or_default().iter().collect::<String>())
    }
}

/// Separates code from comments and contents of strings.
pub(crate) fn plain(text: &str, syntax: &Syntax) -> Plain {
    let mut chars: Vec<char> = text.chars().collect();
    let mut with_strings = chars.clone();
    let mut at = 0;
    while at < chars.len() {
        let starts = |at: usize, word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .enumerate()
                    .all(|(n, c)| chars.get(at + n) == Some(&c))
        };
        let quote = syntax.quotes.iter().find(|quote| starts(at, quote));
        if starts(at, syntax.line_comment) {
            let end = (at..chars.len())
                .find(|at| chars[*at] == '\n')
                .unwrap_or(chars.len());
            blank(&mut chars, at, end);
            blank(&mut with_strings, at, end);
            at = end;
        } else if let Some(nested) = syntax.block_comments.filter(|_| starts(at, "/*")) {
            let (mut depth, mut end) = (1_u32, at + 2);
            while end < chars.len() && depth > 0 {
                match (chars[end], chars.get(end + 1)) {
                    ('*', Some('/')) => (depth, end) = (depth - 1, end + 2),
                    ('/', Some('*')) if nested => (depth, end) = (depth + 1, end + 2),
                    _ => end += 1,
                }
            }
            blank(&mut chars, at, end);
            blank(&mut with_strings, at, end);
            at = end;
        } else if let Some(hashes) = raw_string(&chars, at).filter(|_| syntax.rust_quotes) {
            let inner = at + 2 + hashes;
            let closes = |at: &usize| {
                chars[*at] == '"' && (1..=hashes).all(|n| chars.get(at + n) == Some(&'#'))
            };
            let end = (inner..chars.len()).find(closes).unwrap_or(chars.len());
            blank(&mut chars, inner, end);
            at = end + 1 + hashes;
        } else if let Some(quote) = quote {
            let length = quote.chars().count();
            let mut end = at + length;
            let quoted = |end: usize| {
                quote
                    .chars()
                    .enumerate()
                    .all(|(n, c)| chars.get(end + n) == Some(&c))
            };
            while end < chars.len() && !quoted(end) {
                // A string that isn't closed on its line doesn't continue on the next.
                if chars[end] == '\n' && length == 1 && *quote != "`" && !syntax.rust_quotes {
                    break;
                }
                end += 1 + usize::from(chars[end] == '\\');
            }
            let end = end.min(chars.len());
            blank(&mut chars, at + length, end);
            at = end + length;
        } else if syntax.rust_quotes && chars[at] == '\'' {
            // A character literal is one character or an escape, then a quote. Anything else is a lifetime.
            let end = match chars.get(at + 1) {
                Some('\\') => (at + 3..chars.len().min(at + 14)).find(|at| chars[*at] == '\''),
                _ => Some(at + 2).filter(|end| chars.get(*end) == Some(&'\'')),
            };
            if let Some(end) = end {
                blank(&mut chars, at + 1, end);
            }
            at = end.unwrap_or(at) + 1;
        } else {
            at += 1;
        }
    }
    Plain {
        code: chars,
        with_strings,
    }
}

/// Returns the number of `#` of a raw string that begins here: `r"`, `r#"`. For `br"`, it's called at the `r`.
fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|at| chars[at]);
    let is_word = before.is_some_and(|c| c.is_alphanumeric() && c != 'b' || c == '_');
    if chars[at] != 'r' || is_word {
        return None;
    }
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    (chars.get(at + 1 + hashes) == Some(&'"')).then_some(hashes)
}

fn blank(chars: &mut [char], from: usize, to: usize) {
    let to = to.min(chars.len());
    for c in chars.iter_mut().take(to).skip(from) {
        if *c != '\n' {
            *c = ' ';
        }
    }
}

/// Returns the text on one line, with single blanks and without blanks inside of brackets or before commas.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let joins = line.ends_with(['(', '[', '<']) || line.is_empty();
        if !joins && !word.starts_with([')', ']', ',', ';']) {
            line.push(' ');
        }
        line.push_str(word);
    }
    // A comma before a closing bracket has no meaning.
    for (with, without) in [(",)", ")"), (",]", "]"), (", >", ">"), (", }", " }")] {
        line = line.replace(with, without);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: Syntax = Syntax {
        line_comment: "//",
        block_comments: Some(true),
        quotes: &["\""],
        rust_quotes: true,
    };

    #[test]
    fn comments_and_strings_blanked() {
        let text =
            "a // {\n/* { /* } */ { */ b(\"{\\\"{\", '{', '\\'', 'a, r#\"{\"{\"#) c<'static>";
        let parts = plain(text, &RUST);
        let plain: String = parts.code.into_iter().collect();
        let with_strings: String = parts.with_strings.into_iter().collect();
        assert!(
            with_strings.contains("b(\"{\\\"{\", '{'") && !with_strings.contains("//"),
            "{with_strings}"
        );
        assert_eq!(plain.chars().count(), text.chars().count());
        assert_eq!(
            plain.split_whitespace().collect::<String>(),
            "ab(\"\",'',''\\,'a,r#\"\"#)c<'static>".replace('\\', "")
        );
        for text in ["\"", "r#\"", "/*", "'", "'\\", "\"\\", "r", "//"] {
            self::plain(text, &RUST);
        }
    }

    #[test]
    fn layout_ignored() {
        assert_eq!(
            one_line("fn a(\n    b: C,\n    d: E,\n) -> F<\n G,\n>"),
            "fn a(b: C, d: E) -> F<G>"
        );
    }
}
