//! Selects the possible matches among several patterns, in one pass over the text.
//!
//! Most patterns require a certain literal, e.g. `_test` for `fn \w+_test` and `todo!(` for
//! `todo!\(`. If a text only has the first of these, it can't match the second pattern. Searching
//! for many literals at once takes about as long as searching for one.

use aho_corasick::AhoCorasick;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::required_texts::parsed;
use super::search_query::{CaseMode, SearchQuery};

/// Minimum length of a literal, in bytes. Shorter ones are in nearly every file and don't rule out
/// anything.
const MIN_BYTES: usize = 2;
/// The Kelvin sign and the long s, which equal `k` and `s` when ignoring case, but aren't ASCII.
const SAME_LETTERS: [char; 2] = ['\u{212a}', '\u{17f}'];

/// The literals of all patterns, which we search for without regard to case.
pub(super) struct Together {
    texts: AhoCorasick,
    /// The pattern of each literal, or `None` for one of [`SAME_LETTERS`]. If a text contains one
    /// of those, we can't rely on comparing ASCII, so any pattern may match.
    patterns: Vec<Option<usize>>,
    /// True for each pattern without a known literal, since such a pattern may match any text.
    unknown: Vec<bool>,
}

impl Together {
    /// Builds the matcher for `queries`. Returns `None` if there are fewer than two literals, so
    /// that there's nothing to combine.
    pub(super) fn of(queries: &[SearchQuery]) -> Option<Self> {
        let texts: Vec<Option<Vec<u8>>> = queries.iter().map(text_in).collect();
        let unknown: Vec<bool> = texts.iter().map(Option::is_none).collect();
        let known = texts.into_iter().zip(0..);
        let (mut texts, mut patterns): (Vec<Vec<u8>>, Vec<Option<usize>>) = known
            .filter_map(|(text, pattern)| Some((text?, Some(pattern))))
            .unzip();
        if texts.len() < 2 {
            return None;
        }
        for letter in SAME_LETTERS {
            texts.push(letter.to_string().into_bytes());
            patterns.push(None);
        }
        let texts = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(texts)
            .ok()?;
        Some(Self {
            texts,
            patterns,
            unknown,
        })
    }

    pub(super) fn look(&self, bytes: &[u8], may_match: &mut Vec<bool>) {
        may_match.clone_from(&self.unknown);
        let mut left = may_match.iter().filter(|may| !**may).count();
        for found in self.texts.find_overlapping_iter(bytes) {
            match self.patterns[found.pattern().as_usize()] {
                None => return may_match.fill(true),
                Some(pattern) if !may_match[pattern] => {
                    may_match[pattern] = true;
                    left -= 1;
                    if left == 0 {
                        return;
                    }
                }
                Some(_) => {}
            }
        }
    }
}

/// Returns the longest ASCII literal in every match of `query`, in lower case.
fn text_in(query: &SearchQuery) -> Option<Vec<u8>> {
    // For smart case, we don't know yet if case matters, so ignore it. At worst, this selects a
    // pattern that won't match.
    let parsed = parsed(query, query.case != CaseMode::Sensitive)?;
    longest(&parsed).filter(|text| text.len() >= MIN_BYTES)
}

fn longest(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Capture(capture) => longest(&capture.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => longest(&repeated.sub),
        HirKind::Alternation(choices) => {
            let mut texts = choices.iter().map(longest);
            // The alternatives only have a common literal if it's the same in all of them.
            let first = texts.next()??;
            texts
                .all(|text| text.as_ref() == Some(&first))
                .then_some(first)
        }
        HirKind::Concat(parts) => {
            let mut best = Vec::new();
            let mut run = Vec::new();
            let longer = |best: &mut Vec<u8>, text: Vec<u8>| {
                if text.len() > best.len() {
                    *best = text;
                }
            };
            for part in parts {
                match whole(part) {
                    Some(text) => run.extend(text),
                    None => {
                        longer(&mut best, std::mem::take(&mut run));
                        longer(&mut best, longest(part).unwrap_or_default());
                    }
                }
            }
            longer(&mut best, run);
            Some(best)
        }
        _ => whole(hir),
    }
}

fn whole(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(text) if text.0.is_ascii() => Some(text.0.to_ascii_lowercase()),
        HirKind::Class(class) => letter(class).map(|letter| vec![letter]),
        HirKind::Capture(capture) => whole(&capture.sub),
        HirKind::Empty => Some(Vec::new()),
        _ => None,
    }
}

/// Returns the letter if `class` consists of the forms of a single letter. That's how the parser
/// represents letters if case doesn't matter: `k` becomes `[Kk\u{212a}]`.
fn letter(class: &Class) -> Option<u8> {
    /// A letter has up to three forms, one of which may be in [`SAME_LETTERS`].
    const FORMS: usize = 3;
    let is_same = |one: u8, other: char| {
        other.eq_ignore_ascii_case(&char::from(one)) || {
            let same = SAME_LETTERS.iter().zip([b'k', b's']);
            same.into_iter()
                .any(|(letter, small)| *letter == other && small == one)
        }
    };
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|it| (it.start(), it.end())).collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|it| (char::from(it.start()), char::from(it.end())))
            .collect(),
    };
    let first = ranges.first().map(|(start, _)| *start)?;
    let small = u8::try_from(first.to_ascii_lowercase()).ok()?;
    let is_it = small.is_ascii()
        && ranges.len() <= FORMS
        && ranges
            .iter()
            .all(|(start, end)| start == end && is_same(small, *start));
    is_it.then_some(small)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pattern: &str, fixed: bool, case: CaseMode) -> SearchQuery {
        SearchQuery {
            pattern: pattern.to_owned(),
            fixed,
            case,
            ..SearchQuery::default()
        }
    }

    #[test]
    fn common_literal_is_found() {
        use CaseMode::{Insensitive, Sensitive};
        for (pattern, fixed, case, wanted) in [
            ("Retry", true, Insensitive, Some("retry")),
            ("Retry", false, Sensitive, Some("retry")),
            ("a.b(", true, Sensitive, Some("a.b(")),
            ("task", true, Insensitive, Some("task")),
            (r"\bcsvs?\b", false, Insensitive, Some("csv")),
            (
                r"(?:\bcsv|[a-z](?-i:C)sv)s?\b",
                false,
                Insensitive,
                Some("csv"),
            ),
            ("ab|cd", false, Insensitive, None),
            ("(?:ab)+c", false, Sensitive, Some("ab")),
            ("(?:abc)*de", false, Sensitive, Some("de")),
            ("caféteria", true, Insensitive, Some("teria")),
            ("[a-z]+", false, Sensitive, None),
            ("x", true, Sensitive, None),
            ("(", false, Sensitive, None),
        ] {
            let found = text_in(&query(pattern, fixed, case));
            let found = found.map(|text| String::from_utf8_lossy(&text).into_owned());
            assert_eq!(found.as_deref(), wanted, "{pattern}");
        }
    }

    #[test]
    fn pattern_without_literal_is_skipped() {
        let queries: Vec<SearchQuery> = ["retry", "try", "mask", "é"]
            .iter()
            .map(|pattern| query(pattern, true, CaseMode::Insensitive))
            .collect();
        let together = Together::of(&queries).expect("three texts are known");
        for (text, wanted) in [
            ("nothing of it", [false, false, false, true]),
            ("it is Trying", [false, true, false, true]),
            ("a RETRY", [true, true, false, true]),
            ("a MAS\u{212a}", [true, true, true, true]),
        ] {
            let mut may_match = Vec::new();
            together.look(text.as_bytes(), &mut may_match);
            assert_eq!(may_match, wanted, "{text}");
        }
        assert!(Together::of(&queries[..1]).is_none());
    }
}
