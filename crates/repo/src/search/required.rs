//! Texts that every match has: a file without them has no match, and needs no pattern ready.

use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::{CaseMode, SearchQuery};

/// The most texts that are looked for.
const MAX_TEXTS: usize = 64;

/// The fewest bytes of one: shorter ones stand in most lines.
const MIN_BYTES: usize = 2;

/// What every line that matches has.
#[derive(Debug, Clone)]
pub(super) enum Required {
    Text(Box<Finder<'static>>),
    /// Each of these; that which tells most comes first.
    All(Vec<Required>),
    /// One of these.
    Any(Vec<Required>),
}

impl Required {
    /// What `query` asks for; nothing where that is not known, or it has no meaning.
    pub(super) fn of(query: &SearchQuery) -> Option<Self> {
        let pattern = match query.fixed {
            true => regex::escape(&query.pattern),
            false => query.pattern.clone(),
        };
        // Which letters decide on the case is for the pattern itself to say.
        let parsed = ParserBuilder::new()
            .multi_line(true)
            .case_insensitive(query.case != CaseMode::Sensitive)
            .utf8(false)
            .build()
            .parse(&pattern);
        let required = Self::by(&parsed.ok()?)?;
        (required.count() <= MAX_TEXTS).then_some(required)
    }

    /// Patterns are no deeper than the parser lets them be.
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

    /// The length of its shortest text that will do, in bytes.
    fn shortest(&self) -> usize {
        match self {
            Self::Text(text) => text.needle().len(),
            Self::All(parts) => parts.iter().map(Self::shortest).max().unwrap_or(0),
            Self::Any(choices) => choices.iter().map(Self::shortest).min().unwrap_or(0),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::count).sum(),
        }
    }

    /// Whether a line of `bytes` may match.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Text(text) => text.find(bytes).is_some(),
            Self::Any(choices) => choices.iter().any(|choice| choice.is_in(bytes)),
            Self::All(parts) => match parts.split_first() {
                Some((Self::Text(first), others)) => {
                    let mut places = first.find_iter(bytes);
                    places.any(|at| {
                        let line = line_around(bytes, at);
                        others.iter().all(|part| part.is_in(line))
                    })
                }
                _ => parts.iter().all(|part| part.is_in(bytes)),
            },
        }
    }
}

fn line_around(bytes: &[u8], at: usize) -> &[u8] {
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    &bytes[start..end]
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
    fn what_has_not_all_that_a_match_has_is_passed_over() {
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
    fn plain_text_is_as_it_is_written() {
        let query = SearchQuery {
            pattern: "a.(b".to_owned(),
            fixed: true,
            ..SearchQuery::default()
        };
        let required = Required::of(&query).unwrap();
        assert!(required.is_in(b"x a.(b") && !required.is_in(b"xa_(b"));
    }

    #[test]
    fn whatever_the_case_other_letters_will_do() {
        for case in [CaseMode::Insensitive, CaseMode::Smart] {
            let query = |pattern: &str| SearchQuery {
                pattern: pattern.to_owned(),
                case,
                ..SearchQuery::default()
            };
            for pattern in ["foo", r"\Sfoo", "foo --- 123"] {
                let required = Required::of(&query(pattern));
                assert!(required.is_none_or(|required| required.is_in(b"xFOO --- 123")));
            }
        }
    }
}
