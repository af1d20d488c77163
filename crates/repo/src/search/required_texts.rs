//! Finds literals that every match of a pattern contains. If a file does not have them, we can skip
//! it without even compiling the pattern.

use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::search_query::{CaseMode, SearchQuery};

/// Maximum number of alternative literals. Each one takes another pass over the file, so beyond a
/// few, the regex engine is faster.
const MAX_CHOICES: usize = 8;

/// Maximum size of a pattern that we compile later, in approximate automaton states.
///
/// This is far below the size at which compiling fails. Otherwise, such a failure would only show
/// during the walk, and only in repositories that have the literals.
const MAX_SIZE: u64 = 50_000;

/// Minimum length of a literal, in bytes. A single character is in most lines, so it would not rule
/// out anything.
const MIN_BYTES: usize = 2;

/// A condition that every matching line fulfills. A file without such a line cannot match.
#[derive(Debug, Clone)]
pub(super) enum Required {
    Text(Box<Finder<'static>>),
    /// All of these, of which the most selective one comes first.
    All(Vec<Required>),
    /// At least one of these.
    Any(Vec<Required>),
}

/// Parses the pattern of `query`. Returns `None` if it is invalid.
pub(super) fn parsed(query: &SearchQuery, ignores_case: bool) -> Option<Hir> {
    let pattern = match query.fixed {
        true => regex::escape(&query.pattern),
        false => query.pattern.clone(),
    };
    ParserBuilder::new()
        .multi_line(true)
        .case_insensitive(ignores_case)
        .utf8(false)
        .build()
        .parse(&pattern)
        .ok()
}

impl Required {
    pub(super) fn of(query: &SearchQuery) -> Option<Self> {
        // Smart case depends on the letters in the pattern. The search library decides about that,
        // and we'd rather not repeat its rule here.
        if query.case == CaseMode::Smart {
            return None;
        }
        let parsed = parsed(query, query.case == CaseMode::Insensitive)?;
        let required = Self::by(&parsed)?;
        let is_small = size_of(&parsed) <= MAX_SIZE && required.choices() <= MAX_CHOICES;
        is_small.then_some(required)
    }

    fn by(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            HirKind::Literal(text) if text.0.len() >= MIN_BYTES => {
                Some(Self::Text(Box::new(Finder::new(&text.0).into_owned())))
            }
            HirKind::Capture(capture) => Self::by(&capture.sub),
            HirKind::Repetition(repeated) if repeated.min > 0 => Self::by(&repeated.sub),
            HirKind::Concat(parts) => {
                let mut parts: Vec<Self> = parts.iter().filter_map(Self::by).collect();
                parts.sort_by_key(|part| std::cmp::Reverse(part.shortest()));
                match parts.len() {
                    0 | 1 => parts.pop(),
                    _ => Some(Self::All(parts)),
                }
            }
            HirKind::Alternation(choices) => {
                let choices = choices.iter().map(Self::by);
                choices.collect::<Option<_>>().map(Self::Any)
            }
            HirKind::Empty
            | HirKind::Literal(_)
            | HirKind::Class(_)
            | HirKind::Look(_)
            | HirKind::Repetition(_) => None,
        }
    }

    /// Length of the shortest literal that satisfies the condition, in bytes. We use it to sort
    /// conditions, because longer literals are usually rarer.
    fn shortest(&self) -> usize {
        match self {
            Self::Text(text) => text.needle().len(),
            Self::All(parts) => parts.iter().map(Self::shortest).max().unwrap_or(0),
            Self::Any(choices) => choices.iter().map(Self::shortest).min().unwrap_or(0),
        }
    }

    /// Number of literals that we have to look for in a file that has none of them.
    fn choices(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::All(parts) => parts.first().map_or(0, Self::choices),
            Self::Any(choices) => choices.iter().map(Self::choices).sum(),
        }
    }

    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Text(text) => text.find(bytes).is_some(),
            Self::Any(choices) => choices.iter().any(|choice| choice.is_in(bytes)),
            Self::All(parts) => match parts.split_first() {
                // All parts must be in the same line, since a match never extends over several.
                Some((Self::Text(first), others)) => {
                    let is_it = |line: &[u8]| others.iter().all(|part| part.is_in(line));
                    lines_with(first, bytes).any(is_it)
                }
                _ => parts.iter().all(|part| part.is_in(bytes)),
            },
        }
    }
}

fn lines_with<'b>(text: &Finder<'_>, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let at = text.find(rest)?;
        let start = memchr::memrchr(b'\n', &rest[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &rest[at..]).map_or(rest.len(), |end| at + end);
        let line = &rest[start..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line)
    })
}

/// Estimates the number of automaton states for `hir`. The estimate is rather too high than too
/// low.
fn size_of(hir: &Hir) -> u64 {
    let all = |parts: &[Hir]| parts.iter().map(size_of).fold(1, u64::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(text) => text.0.len() as u64,
        HirKind::Class(class) => match class {
            Class::Unicode(class) => class.ranges().len() as u64 * 16,
            Class::Bytes(class) => class.ranges().len() as u64,
        },
        HirKind::Capture(capture) => size_of(&capture.sub).saturating_add(2),
        HirKind::Repetition(repeated) => {
            let times = repeated
                .max
                .unwrap_or(repeated.min)
                .max(repeated.min)
                .max(1);
            (size_of(&repeated.sub).saturating_add(1)).saturating_mul(u64::from(times))
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => all(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_match(pattern: &str, bytes: &str) -> Option<bool> {
        let query = SearchQuery {
            pattern: pattern.to_owned(),
            ..SearchQuery::default()
        };
        Required::of(&query).map(|required| required.is_in(bytes.as_bytes()))
    }

    #[test]
    fn required_missing_literal_excludes_file() {
        for (pattern, may, may_not) in [
            (r"fn\s+longest\(a", "x\nfn  longest(a)", "fn\nlongest(a)"),
            (r"one\s+line|another|(third){2,}", "the third", "one\nline"),
            (
                r"(one|other)\s+long\s+text",
                "long text of one",
                "some long text",
            ),
            (r"\bword\b.*", "words", "war"),
            (r"(a|bcd)efg", "efg", "bcd ef"),
        ] {
            assert_eq!(may_match(pattern, may), Some(true), "{pattern}");
            assert_eq!(may_match(pattern, may_not), Some(false), "{pattern}");
        }
        for pattern in [r"one|\w+", "(optional)?", "a", "(?i)case", "(?s)a.b", "["] {
            assert_eq!(may_match(pattern, ""), None, "{pattern}");
        }
    }

    #[test]
    fn huge_pattern_has_no_required_text() {
        for pattern in [r"password=h(?:\w{1000}){1000}", "foo(?:x{1000}){1000}"] {
            assert_eq!(may_match(pattern, ""), None, "{pattern}");
        }
        let many: Vec<String> = (0..64).map(|nr| format!("foo{nr}")).collect();
        assert_eq!(may_match(&many.join("|"), ""), None);
    }

    #[test]
    fn required_long_line_is_scanned_once() {
        let line = r#""name":"#.repeat(200_000);
        assert_eq!(may_match(r#""name":.*ZZ"#, &line), Some(false));
        assert_eq!(
            may_match(r#""name":.*ZZ"#, &(line + "\n\"name\": ZZ")),
            Some(true)
        );
    }

    #[test]
    fn required_fixed_text_is_literal() {
        let query = SearchQuery {
            pattern: "a.(b".to_owned(),
            fixed: true,
            ..SearchQuery::default()
        };
        let required = Required::of(&query).unwrap();
        assert!(required.is_in(b"x a.(b") && !required.is_in(b"xa_(b"));
    }

    #[test]
    fn required_ignored_case_has_no_literal() {
        for case in [CaseMode::Insensitive, CaseMode::Smart] {
            let query = |pattern: &str| SearchQuery {
                pattern: pattern.to_owned(),
                case,
                ..SearchQuery::default()
            };
            for pattern in ["foo", r"\Sfoo", "foo --- 123", "==[1A--a]==|FOO"] {
                let required = Required::of(&query(pattern));
                assert!(required.is_none_or(|required| required.is_in(b"xFOO --- 123 ==A==")));
            }
        }
    }
}
