//! Source text without what is no code.

/// How a language writes what is no code.
pub(crate) struct Syntax {
    pub(crate) line_comment: &'static str,
    /// `/* */`, and whether one may stand in another.
    pub(crate) block_comments: Option<bool>,
    /// What strings begin and end with.
    pub(crate) quotes: &'static [&'static str],
    /// Whether `'` begins a character, or a lifetime.
    pub(crate) rust_quotes: bool,
}

/// Source text in which lines stay lines and each character has the place that it had.
pub(crate) struct Plain {
    /// With blanks for comments and for what stands in strings: brackets in them are none.
    pub(crate) code: Vec<char>,
    /// With blanks for comments alone.
    pub(crate) kept: Vec<char>,
}

impl Plain {
    /// The text between two places, on one line, without comments.
    pub(crate) fn told(&self, from: usize, to: usize) -> String {
        let part = self.kept.get(from..to.min(self.kept.len()));
        one_line(&part.unwrap_or_default().iter().collect::<String>())
    }

    /// The same, without what stands in strings.
    pub(crate) fn bare(&self, from: usize, to: usize) -> String {
        let part = self.code.get(from..to.min(self.code.len()));
        one_line(&part.unwrap_or_default().iter().collect::<String>())
    }
}

/// Takes comments and strings apart from code.
pub(crate) fn plain(text: &str, syntax: &Syntax) -> Plain {
    let mut chars: Vec<char> = text.chars().collect();
    let mut kept = chars.clone();
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
            blank(&mut kept, at, end);
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
            blank(&mut kept, at, end);
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
                // A string of one line that has no end is none that goes on.
                if chars[end] == '\n' && length == 1 && *quote != "`" && !syntax.rust_quotes {
                    break;
                }
                end += 1 + usize::from(chars[end] == '\\');
            }
            let end = end.min(chars.len());
            blank(&mut chars, at + length, end);
            at = end + length;
        } else if syntax.rust_quotes && chars[at] == '\'' {
            // A character: one, or an escape, and a quote behind it; else a lifetime.
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
    Plain { code: chars, kept }
}

/// How many `#` a raw string that begins here has: `r"`, `r#"`; `br"` is met at its `r`.
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

/// Text on one line, with single blanks, and none inside of brackets or before a comma.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let joins = line.ends_with(['(', '[', '<']) || line.is_empty();
        if !joins && !word.starts_with([')', ']', ',', ';']) {
            line.push(' ');
        }
        line.push_str(word);
    }
    // A comma before a closing bracket says nothing.
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
    fn what_is_no_code_is_blank() {
        let text =
            "a // {\n/* { /* } */ { */ b(\"{\\\"{\", '{', '\\'', 'a, r#\"{\"{\"#) c<'static>";
        let parts = plain(text, &RUST);
        let plain: String = parts.code.into_iter().collect();
        let kept: String = parts.kept.into_iter().collect();
        assert!(
            kept.contains("b(\"{\\\"{\", '{'") && !kept.contains("//"),
            "{kept}"
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
    fn how_it_is_laid_out_says_nothing() {
        assert_eq!(
            one_line("fn a(\n    b: C,\n    d: E,\n) -> F<\n G,\n>"),
            "fn a(b: C, d: E) -> F<G>"
        );
    }
}
