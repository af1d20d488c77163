//! Regular expressions, compiled when a line may match. Most of the table is never compiled.

use std::sync::OnceLock;

use regex_lite::{Captures, Regex};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Pattern {
    source: String,
    needle: Needle,
    /// `None` if the expression is invalid, but a test ensures that none is.
    #[serde(skip)]
    regex: OnceLock<Option<Regex>>,
}

/// Text that every match of a pattern contains, computed by the build script.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Needle {
    Start(String),
    Anywhere(String),
}

impl Pattern {
    pub(super) fn is_of_lines(&self) -> bool {
        self.source.contains("\\n")
    }

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

    fn compiled(&self, text: &str) -> Option<&Regex> {
        let may_match = match &self.needle {
            Needle::Start(begin) => text.starts_with(begin.as_str()),
            Needle::Anywhere(part) => text.contains(part.as_str()),
        };
        let compile = || Regex::new(&self.source).ok();
        may_match.then(|| self.regex.get_or_init(compile).as_ref())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_needle_never_matches() {
        let read = |json: &str| serde_json::from_str::<Pattern>(json).unwrap();
        let start = read(r#"{ "source": "^FAIL(ED)?: ", "needle": { "start": "FAIL" } }"#);
        assert!(start.is_match("FAILED: x"));
        assert!(!start.is_match("ok FAIL: x") && !start.is_match("ok"));
        let anywhere = read(r#"{ "source": "\\d+ failed", "needle": { "anywhere": " failed" } }"#);
        assert!(anywhere.is_match("tests: 2 failed"));
        assert!(!anywhere.is_match("tests: 2 passed"));
        assert!(anywhere.regex.get().is_some());
    }
}
