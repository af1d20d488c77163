mod selector_functions;

use std::fmt;

use serde_json::Value;
use serde_json_path::JsonPath;

use self::selector_functions::{Reach, compile};

/// Maximum length of a JSONPath, in bytes.
const MAX_LEN: usize = 1024;

/// The maximum nesting of brackets in a JSONPath.
///
/// The parser is recursive, and also backtracks at each parenthesis, which takes exponential time.
const MAX_NESTING: usize = 8;

/// Maximum number of `..` in a JSONPath.
///
/// Each of them may select every value again for each level above it.
const MAX_DESCENTS: usize = 3;

/// Maximum number of times that lists of selectors such as `[*,*]` may select the same value.
const MAX_COPIES: usize = 1000;

/// A JSONPath (RFC 9535), which selects the part of an output to show in a section.
#[derive(Clone, PartialEq)]
pub struct Selector {
    text: String,
    path: JsonPath,
}

/// Reason why a text is not a JSONPath, or is not one that we support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct SelectorError {
    /// The message for the author of the JSONPath.
    pub why: String,
    /// The byte offset of the mistake.
    pub at: usize,
}

impl Selector {
    /// Parses a JSONPath.
    ///
    /// # Errors
    /// Returns an error if the JSONPath is invalid, exceeds 1,024 bytes, could select far more
    /// values than exist, or contains an invalid regular expression.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let error = |why: String, at| SelectorError { why, at };
        if text.len() > MAX_LEN {
            return Err(error(
                format!("a JSONPath has at most {MAX_LEN} bytes"),
                MAX_LEN,
            ));
        }
        if let Some((at, why)) = too_complex(text) {
            return Err(error(why, at));
        }
        if let Some((at, why)) = bad_pattern(text) {
            return Err(error(why, at));
        }
        match JsonPath::parse(text) {
            Ok(path) => Ok(Self {
                text: text.to_owned(),
                path,
            }),
            Err(why) => Err(error(why.message().to_owned(), why.position())),
        }
    }

    /// The JSONPath as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The selected parts of `value`, in document order.
    #[must_use]
    pub fn select<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        self.path.query(value).all()
    }
}

/// The simple steps at the start of a JSONPath: fields, indices and `[*]`. The flag is true if
/// they are the whole path.
pub(crate) fn leading(text: &str) -> (Vec<Leading<'_>>, bool) {
    let mut rest = text.trim_start().strip_prefix('$').unwrap_or("");
    let mut steps = Vec::new();
    while let Some((step, tail)) = Leading::split(rest) {
        steps.push(step);
        rest = tail;
    }
    (steps, rest.trim_end().is_empty())
}

/// Returns the position and the reason if a path is too complex. Brackets in quoted strings do not
/// count.
fn too_complex(text: &str) -> Option<(usize, String)> {
    // The number of selectors so far, for each bracket that's open.
    let mut open: Vec<usize> = Vec::new();
    let mut copies = 1usize;
    let mut descents = 0;
    let mut quote = None;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(start), _) if start == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(' | b'[') => open.push(1),
            // The number of copies multiplies: `[*,*][*,*]` selects each value four times.
            (None, b')' | b']') => copies = copies.saturating_mul(open.pop().unwrap_or(1)),
            (None, b',') => open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|count| *count += 1),
            (None, b'.') => {
                descents += usize::from(bytes.next_if(|(_, next)| *next == b'.').is_some());
            }
            (None, _) => {}
        }
        if open.len() > MAX_NESTING {
            return Some((
                at,
                format!("a JSONPath nests at most {MAX_NESTING} brackets"),
            ));
        }
        if descents > MAX_DESCENTS {
            return Some((at, format!("a JSONPath has at most {MAX_DESCENTS} `..`")));
        }
        if copies > MAX_COPIES {
            return Some((
                at,
                "the lists of selectors in this JSONPath multiply too much".to_owned(),
            ));
        }
    }
    None
}

/// Returns the position and the reason if a regular expression in `match(…)` or `search(…)` is
/// invalid.
///
/// By the standard, such a function would just be false, and the mistake would go unnoticed.
fn bad_pattern(text: &str) -> Option<(usize, String)> {
    // One flag per open parenthesis, which is true if it belongs to `match` or `search`.
    let mut open = Vec::new();
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'(' => open.push(opens_a_match(&text[..at])),
            b')' => {
                open.pop();
            }
            b'\'' | b'"' => {
                let mut escaped = false;
                let (end, _) = bytes.find(|(_, inner)| {
                    let ends = !escaped && *inner == byte;
                    escaped = !escaped && *inner == b'\\';
                    ends
                })?;
                // The pattern is the last argument of the function.
                let is_last = text[end + 1..].trim_start().starts_with(')');
                if is_last && open.last() == Some(&true) {
                    let pattern = unquoted(&text[at + 1..end])?;
                    if let Err(why) = compile(&pattern, Reach::Part) {
                        return Some((at, format!("invalid regular expression: {why}")));
                    }
                }
            }
            _ => {}
        }
    }
    None
}

fn opens_a_match(before: &str) -> bool {
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = before.trim_start_matches(|c| !is_in_name(c));
    let name = name.rsplit(|c| !is_in_name(c)).next();
    matches!(name, Some("match" | "search"))
}

/// The text of a string literal, or `None` for an invalid one.
///
/// We convert it to a JSON string, which has the same escapes except for `\'`.
fn unquoted(inside: &str) -> Option<String> {
    let mut json = String::with_capacity(inside.len() + 2);
    json.push('"');
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\'' => json.push('\''),
                escaped => json.extend(['\\', escaped]),
            },
            '"' => json.push_str("\\\""),
            c => json.push(c),
        }
    }
    json.push('"');
    serde_json::from_str(&json).ok()
}

/// A step of a JSONPath that we can follow in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leading<'a> {
    /// `.name` or `['name']`
    Field(&'a str),
    /// The items of a list or the fields of a mapping: `[*]`, `.*` or `[0]`
    Items,
}

impl<'a> Leading<'a> {
    fn split(text: &'a str) -> Option<(Self, &'a str)> {
        if let Some(rest) = text.strip_prefix("[*]").or_else(|| text.strip_prefix(".*")) {
            return Some((Self::Items, rest));
        }
        if let Some(rest) = text.strip_prefix('.') {
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            return (end > 0).then(|| (Self::Field(&rest[..end]), &rest[end..]));
        }
        let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
        if inside.parse::<u64>().is_ok() {
            return Some((Self::Items, rest));
        }
        let quote = inside.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let name = inside.strip_prefix(quote)?.strip_suffix(quote)?;
        // Escapes are rare enough in names. We simply don't check those paths.
        let plain = !name.contains(['\\', '\'', '"']);
        plain.then_some((Self::Field(name), rest))
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The sort key of a section: a JSON pointer into each item, and the direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// JSON pointer (RFC 6901) into each selected value.
    pub pointer: String,
    /// If true, the largest value comes first.
    pub descending: bool,
}

impl SortKey {
    /// Parses `/file`, or `-/score` to put the largest value first.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (descending, pointer) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        pointer.starts_with('/').then(|| Self {
            pointer: pointer.to_owned(),
            descending,
        })
    }
}

impl fmt::Display for SortKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.descending { "-" } else { "" };
        write!(f, "{sign}{}", self.pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_steps_parsed() {
        let leading = |text: &str| {
            let selector = Selector::parse(text).unwrap();
            let (steps, all) = super::leading(selector.as_str());
            format!("{steps:?}{}", if all { "" } else { " and more" })
        };
        assert_eq!(leading("$"), "[]");
        assert_eq!(leading("$.matches[*]"), r#"[Field("matches"), Items]"#);
        assert_eq!(
            leading("$['a b'][0].c"),
            r#"[Field("a b"), Items, Field("c")]"#
        );
        assert_eq!(leading("$.a[?@.b == 1].c"), r#"[Field("a")] and more"#);
        assert_eq!(leading("$..a"), "[] and more");
    }

    #[test]
    fn selector_hostile_refused() {
        assert!(Selector::parse(&"[".repeat(100_000)).is_err());
        let nested = format!("$[?{}1==1{}]", "(".repeat(7), ")".repeat(7));
        assert!(Selector::parse(&nested).is_ok());
        let nested = format!("$[?{}1==1{}]", "(".repeat(8), ")".repeat(8));
        assert_eq!(
            Selector::parse(&nested).unwrap_err().to_string(),
            "a JSONPath nests at most 8 brackets"
        );
        assert!(Selector::parse("$['((((((((((((((']").is_ok());
        assert!(Selector::parse("$['a', 'b', 'c'][0, 1]..d..e").is_ok());
        for bad in ["[*,*]".repeat(10), "..*".repeat(4)] {
            assert!(Selector::parse(&format!("${bad}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn match_and_search_follow_rfc_9535() {
        let value = serde_json::json!({
            "o": [{"b": "j", "s": 1}, {"b": "k"}, {"b": {}}, {"b": "kilo"}, {"b": 3}, {"s": "k"}],
            "p": "k.*",
        });
        for (path, found) in [
            // These patterns are from the examples in RFC 9535.
            ("$.o[?match(@.b, \"[jk]\")]", "j k"),
            ("$.o[?search(@.b, '[jk]')]", "j k kilo"),
            ("$.o[?match(@.b, 'k.*')]", "k kilo"),
            ("$.o[?!search(@.b, 'i') && @.b == 'k']", "k"),
            // The pattern may also come from a value. If it's invalid or not a string, nothing
            // matches.
            ("$.o[?match(@.b, $.p)]", "k kilo"),
            ("$.o[?match(@.b, @.s)]", ""),
            ("$.o[?search(@.b, 'i') || match(@.b, 'j')]", "j kilo"),
            ("$.o[?match(@.b, '\\\\p{Ll}')]", "j k"),
        ] {
            let selected = Selector::parse(path).unwrap().select(&value);
            let texts = selected.iter().filter_map(|value| value["b"].as_str());
            assert_eq!(texts.collect::<Vec<_>>().join(" "), found, "{path}");
        }
    }

    #[test]
    fn selector_invalid_regex_refused() {
        let error = Selector::parse("$[?match(@.a, '[a')]").unwrap_err();
        assert_eq!(error.at, 14);
        assert!(error.why.contains("unclosed"), "{error}");
        assert!(Selector::parse("$[?length(@['(search(']) > 2 && @.a == '*']").is_ok());
        assert!(Selector::parse("$[?search(@['*'], 'a')]").is_ok());
        // These functions return truth values, which can't be compared with anything.
        assert!(Selector::parse("$[?match(@.a, 'a') == true]").is_err());
    }

    proptest::proptest! {
        #[test]
        fn selector_trailing_text_refused(
            path in "\\$(\\.[a-z]{1,3}|\\['[a-z]{1,3}'\\]|\\[[0-9]\\]|\\[\\*\\]|\\[\\?@\\.a == 1\\]){0,3}",
            rubbish in "[&|!;,)({}'\"\\\\]\\PC{0,8}| [a-z0-9]{1,4}",
        ) {
            proptest::prop_assert!(Selector::parse(&path).is_ok(), "{path}");
            let text = format!("{path}{rubbish}");
            proptest::prop_assert!(Selector::parse(&text).is_err(), "{text}");
        }

        #[test]
        fn selector_any_text_no_panic(text in "\\$?[\\PC]{0,30}") {
            if let Ok(selector) = Selector::parse(&text) {
                let _ = leading(selector.as_str());
            }
        }
    }
}
