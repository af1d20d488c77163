//! The functions `match` and `search` from RFC 9535.
//!
//! The JSONPath library has them too. But it compiles the expression again for each value, and sets
//! no limits, which a document from someone else could abuse.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;
use serde_json_path::functions::{LogicalType, ValueType};

/// Maximum size of an expression and of its compiled form, in bytes.
///
/// A short expression can become huge when compiled, e.g. `((a{99}){99}){99}`.
const MAX_LEN: usize = 1024;
const MAX_SIZE: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The pattern must match the whole text, as in `match(…)`.
    Whole,
    /// It is enough if the pattern matches a part of the text, as in `search(…)`.
    Part,
}

/// Compiles a pattern. As in RFC 9485 (I-Regexp), `.` does not match line ends.
pub(super) fn compile(pattern: &str, reach: Reach) -> Result<regex::Regex, String> {
    if pattern.len() > MAX_LEN {
        return Err(format!(
            "a regular expression in a JSONPath has at most {MAX_LEN} bytes"
        ));
    }
    let build = |text: &str| {
        let mut builder = regex::RegexBuilder::new(text);
        let built = builder.size_limit(MAX_SIZE).crlf(true).build();
        built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it repeats too much".to_owned(),
            error => {
                let error = error.to_string();
                let why = error.lines().last().unwrap_or_default();
                why.trim_start_matches("error: ").to_owned()
            }
        })
    };
    // Compile the pattern itself even for `Whole`. `a)|(b` would otherwise become valid inside the
    // parentheses.
    let part = build(pattern)?;
    match reach {
        Reach::Part => Ok(part),
        Reach::Whole => build(&format!("\\A(?:{pattern})\\z")),
    }
}

/// Number of compiled expressions that we cache per thread. A path rarely has more than one.
const CACHE_SIZE: usize = 8;

/// An invalid pattern is cached as `None`, so we do not try to compile it for each value.
type Compiled = Option<Rc<regex::Regex>>;

thread_local! {
    /// The most recently compiled expressions, with the newest at the end.
    static CACHE: RefCell<Vec<(Reach, String, Compiled)>> = const { RefCell::new(Vec::new()) };
}

#[serde_json_path::function(name = "match")]
fn match_function(text: ValueType<'_>, pattern: ValueType<'_>) -> LogicalType {
    holds(&text, &pattern, Reach::Whole).into()
}

#[serde_json_path::function(name = "search")]
fn search_function(text: ValueType<'_>, pattern: ValueType<'_>) -> LogicalType {
    holds(&text, &pattern, Reach::Part).into()
}

/// False if either value is not a string, or if the pattern is not an I-Regexp.
fn holds(text: &ValueType<'_>, pattern: &ValueType<'_>, reach: Reach) -> bool {
    let (Some(Value::String(text)), Some(Value::String(pattern))) =
        (text.as_value(), pattern.as_value())
    else {
        return false;
    };
    compiled(pattern, reach).is_some_and(|expression| expression.is_match(text))
}

fn compiled(pattern: &str, reach: Reach) -> Compiled {
    CACHE.with_borrow_mut(|cache| {
        let known = cache
            .iter()
            .find(|(kind, text, _)| *kind == reach && text == pattern);
        if let Some((_, _, known)) = known {
            return known.clone();
        }
        let new = compile(pattern, reach).ok().map(Rc::new);
        if cache.len() == CACHE_SIZE {
            cache.remove(0);
        }
        cache.push((reach, pattern.to_owned(), new.clone()));
        new
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_matches_whole_or_part() {
        for (pattern, text, does) in [
            ("", "", true),
            ("a|b", "ab", false),
            ("a.c", "abc", true),
            ("a.c", "a\nc", false),
            ("a.c", "a\rc", false),
            ("a.c", "a\u{2028}c", true),
            ("[0-9]{2,}", "12345", true),
            ("\\d+", "12", true),
            ("\\p{Lu}\\P{L}[\\p{Nd}x]", "Ä-7", true),
        ] {
            let expression = compile(pattern, Reach::Whole).unwrap();
            assert_eq!(expression.is_match(text), does, "{pattern} on {text:?}");
        }
        assert!(compile("b", Reach::Part).unwrap().is_match("abc"));
    }

    #[test]
    fn pattern_hostile_refused() {
        for bad in [
            "*a",
            "(",
            "a)|(b",
            "[",
            "[b-a]",
            "(?=a)",
            "((((a{99}){99}){99}){99})",
        ] {
            assert!(compile(bad, Reach::Whole).is_err(), "{bad}");
        }
        assert!(compile(&"a".repeat(MAX_LEN + 1), Reach::Part).is_err());
    }
}
