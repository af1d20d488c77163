//! Which of several patterns a text may have a match of: it is gone through once, however many are looked for.

use aho_corasick::AhoCorasick;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::search_query::{CaseMode, SearchQuery};

/// The fewest bytes of a text that tells anything: shorter ones stand in every file.
const MIN_BYTES: usize = 2;
/// What is beside `k` and `s` the same letter where case is none.
const SAME_LETTERS: [char; 2] = ['\u{212a}', '\u{17f}'];

/// What matches of each of several patterns have, whatever the case of its letters.
pub(super) struct Together {
    texts: AhoCorasick,
    /// Of which pattern each text is; of any, where there is none.
    patterns: Vec<Option<usize>>,
    /// The patterns of which no text is known: each may have a match anywhere.
    unknown: Vec<bool>,
}

impl Together {
    /// For `queries`; nothing where looking for each by itself is as good.
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

    /// Says of each pattern whether `bytes` may have a match of it.
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

/// The longest text of ASCII that every match of `query` has, in small letters.
fn text_in(query: &SearchQuery) -> Option<Vec<u8>> {
    // Which letters decide on the case is for the pattern itself to say; not minding it is never wrong.
    let pattern = match query.fixed {
        true => regex::escape(&query.pattern),
        false => query.pattern.clone(),
    };
    let parsed = ParserBuilder::new()
        .multi_line(true)
        .case_insensitive(query.case != CaseMode::Sensitive)
        .utf8(false)
        .build()
        .parse(&pattern)
        .ok()?;
    longest(&parsed).filter(|text| text.len() >= MIN_BYTES)
}

/// Patterns are no deeper than the parser lets them be.
fn longest(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Capture(capture) => longest(&capture.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => longest(&repeated.sub),
        HirKind::Alternation(choices) => {
            let mut texts = choices.iter().map(longest);
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

/// The text that a part of a pattern is, if it is nothing else.
fn whole(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(text) if text.0.is_ascii() => Some(text.0.to_ascii_lowercase()),
        HirKind::Class(class) => letter(class).map(|letter| vec![letter]),
        HirKind::Capture(capture) => whole(&capture.sub),
        HirKind::Empty => Some(Vec::new()),
        _ => None,
    }
}

/// The letter that a class is in both of its forms.
fn letter(class: &Class) -> Option<u8> {
    /// A class of more is none of one letter.
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
    fn the_text_that_all_matches_have_is_known() {
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
    fn only_patterns_without_their_text_are_left_out() {
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
