//! Regular expressions that are compiled when a line may match, which most of a table never does.

use std::sync::OnceLock;

use regex_lite::{Captures, Regex};
use serde::Deserialize;

/// Signs that mean something in a regular expression.
const SIGNS: &str = r"\.+*?()|[]{}^$";

/// Pattern of a line, or of several.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    source: String,
    needle: Needle,
    /// None where it is no regular expression, which a test rules out.
    regex: OnceLock<Option<Regex>>,
}

/// Text that is in all that a pattern matches.
#[derive(Debug, PartialEq, Eq)]
enum Needle {
    Start(String),
    /// Behind blanks.
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
    /// True if it sees several lines.
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

    /// Returns what the group `name` has in the last match.
    pub(super) fn last<'t>(&self, text: &'t str, name: &str) -> Option<&'t str> {
        let regex = self.compiled(text)?;
        let last = regex.captures_iter(text).last()?;
        last.name(name).map(|found| found.as_str())
    }

    /// Returns `text` without what the pattern matches at its beginning.
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
    /// Returns the text that `source` begins with, or else the longest that has to match outside of its groups.
    fn of(source: &str) -> Self {
        let (mut depth, mut is_class) = (0_u32, false);
        let mut runs = vec![String::new()];
        let mut chars = source.trim_start_matches('^').chars().peekable();
        while let Some(c) = chars.next() {
            let literal = match c {
                '\\' => chars.next().filter(|c| SIGNS.contains(*c)),
                c => Some(c).filter(|c| !SIGNS.contains(*c)),
            };
            match c {
                '[' => is_class = true,
                ']' => is_class = false,
                '(' if !is_class => depth += 1,
                ')' if !is_class => depth = depth.saturating_sub(1),
                '{' => while chars.next_if(|c| *c != '}').is_some() {},
                // One of several: no text is in all that match.
                '|' if depth == 0 && !is_class => return Self::None,
                _ => {}
            }
            let is_in_all = depth == 0 && !is_class;
            let is_optional = matches!(chars.peek(), Some('?' | '*' | '{' | '+'));
            match literal.filter(|_| is_in_all && !is_optional) {
                Some(c) => runs.last_mut().map_or((), |run| run.push(c)),
                None => runs.push(String::new()),
            }
        }
        let begins = |with: &str| {
            source
                .strip_prefix(with)
                .is_some_and(|it| !it.starts_with(['*', '+']))
        };
        let blanks = ["^\\s*", "^\\s+", "^ *"];
        let blank = blanks.iter().any(|with| source.starts_with(with));
        let at = |at: usize| runs.get(at).filter(|run| !run.is_empty()).cloned();
        match (source.starts_with('^'), blank) {
            (true, false) if begins("^") && at(0).is_some() => {
                Self::Start(at(0).unwrap_or_default())
            }
            (true, true) if at(2).is_some() => Self::Begin(at(2).unwrap_or_default()),
            _ => match runs.into_iter().max_by_key(String::len) {
                Some(run) if !run.is_empty() => Self::Anywhere(run),
                _ => Self::None,
            },
        }
    }
}
