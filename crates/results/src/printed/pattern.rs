//! Regular expressions, compiled once a line may match. Most of the table never gets there.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::OnceLock;

use regex_lite::{Captures, Regex};
use serde::Deserialize;

/// Characters with a meaning in regular expressions.
const SIGNS: &str = r"\.+*?()|[]{}^$";

/// A pattern for one line or several.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    source: String,
    needle: Needle,
    /// `None` if it isn't a valid regular expression, which a test rules out.
    regex: OnceLock<Option<Regex>>,
}

/// Text contained in every match of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Needle {
    Start(String),
    /// Text at the start of a line, after blanks.
    Begin(String),
    Anywhere(String),
    None,
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self {
            needle: Needle::of(&source),
            source,
            regex: OnceLock::new(),
        }
    }
}

impl Pattern {
    /// True if it matches several lines.
    pub(super) fn is_of_lines(&self) -> bool {
        self.source.contains("\\n")
    }

    /// True if it can be compiled.
    #[cfg(test)]
    pub(super) fn is_valid(&self) -> bool {
        Regex::new(&self.source).is_ok()
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.compiled(text)
            .is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.compiled(text)?.captures(text)
    }

    /// Returns the text of the group `name` in the last match.
    pub(super) fn last<'t>(&self, text: &'t str, name: &str) -> Option<&'t str> {
        let regex = self.compiled(text)?;
        let last = regex.captures_iter(text).last()?;
        last.name(name).map(|found| found.as_str())
    }

    /// Removes a match of the pattern from the start of `text`.
    pub(super) fn stripped<'t>(&self, text: &'t str) -> &'t str {
        let regex = self.compiled(text);
        let found = regex.and_then(|regex| regex.find(text));
        found.map_or(text, |found| &text[found.end()..])
    }

    /// Returns the compiled pattern if `text` may match.
    fn compiled(&self, text: &str) -> Option<&Regex> {
        let may_match = match &self.needle {
            Needle::Start(begin) => text.starts_with(begin.as_str()),
            Needle::Begin(begin) => text.trim_start().starts_with(begin.as_str()),
            Needle::Anywhere(part) => text.contains(part.as_str()),
            Needle::None => true,
        };
        let compile = || Regex::new(&self.source).ok();
        may_match.then(|| self.regex.get_or_init(compile).as_ref())?
    }
}

impl Needle {
    /// Returns the text at the start of `source`, or else the longest text required for a match.
    fn of(source: &str) -> Self {
        let rest = source.trim_start_matches('^');
        let blanks = ["\\s*", "\\s+", " *"];
        let behind = blanks.iter().find_map(|blank| rest.strip_prefix(blank));
        let runs = runs(&mut behind.unwrap_or(rest).chars().peekable());
        let begin = runs.first().filter(|run| !run.is_empty()).cloned();
        match (begin.filter(|_| source.starts_with('^')), behind) {
            (Some(begin), None) => Self::Start(begin),
            (Some(begin), Some(_)) => Self::Begin(begin),
            (None, _) => match runs.into_iter().max_by_key(String::len) {
                Some(run) if !run.is_empty() => Self::Anywhere(run),
                _ => Self::None,
            },
        }
    }
}

/// Returns the texts required for a match up to the end of a group. The first is at the start of the group.
fn runs(chars: &mut Peekable<Chars<'_>>) -> Vec<String> {
    let unknown = || vec![String::new(), String::new()];
    let mut runs = vec![String::new()];
    let mut is_one_way = true;
    while let Some(c) = chars.next() {
        let mut found = match c {
            ')' => break,
            '|' => {
                is_one_way = false;
                continue;
            }
            '(' => match is_group(chars) {
                true => self::runs(chars),
                false => continue,
            },
            '[' => {
                while let Some(c) = chars.next().filter(|c| *c != ']') {
                    chars.next_if(|_| c == '\\');
                }
                unknown()
            }
            '\\' => {
                let sign = chars.next().filter(|c| SIGNS.contains(*c));
                sign.map_or_else(unknown, |sign| vec![sign.to_string()])
            }
            c if SIGNS.contains(c) => unknown(),
            c => vec![c.to_string()],
        };
        if let Some(quantifier) = chars.next_if(|c| "?*+{".contains(*c)) {
            while quantifier == '{' && chars.next().is_some_and(|c| c != '}') {}
            found = unknown();
        }
        let mut found = found.into_iter();
        if let (Some(last), Some(first)) = (runs.last_mut(), found.next()) {
            last.push_str(&first);
        }
        runs.extend(found);
    }
    match is_one_way {
        true => runs,
        false => unknown(),
    }
}

/// True if a group begins, in which case its name is skipped. Flags don't begin a group.
fn is_group(chars: &mut Peekable<Chars<'_>>) -> bool {
    let has_name = chars.next_if_eq(&'?').is_some();
    !has_name || chars.find(|c| ":>)".contains(*c)) != Some(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needle_is_in_all_that_a_pattern_matches() {
        let anywhere = |text: &str| Needle::Anywhere(text.to_owned());
        for (source, needle) in [
            ("^FAIL\\t(?<a>x)", Needle::Start("FAIL".to_owned())),
            ("^\\s*(?<a>(?<b>ab|c) d)", anywhere(" d")),
            (
                "^\\s*(?<a>(?:see) it).*",
                Needle::Begin("see it".to_owned()),
            ),
            ("^a?bc{2}d", anywhere("d")),
            ("^[)|(\\]]+: error", anywhere(": error")),
            ("^a|b", Needle::None),
            ("(?m)^  (?<said>process .*)$", anywhere("  process ")),
            ("^==+ x", Needle::Start("=".to_owned())),
            ("^(?:a|b)?$", Needle::None),
        ] {
            assert_eq!(Needle::of(source), needle, "{source}");
        }
    }
}
