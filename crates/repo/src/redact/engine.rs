use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use super::rules::RULES;
use super::{Found, MARK};

/// One kind of secret.
pub(super) struct Rule {
    /// What the mark says, in kebab case.
    pub(super) name: &'static str,
    /// One of them stands in every text the pattern matches. Lower case ones are found in any case,
    /// others as they are written.
    pub(super) keywords: &'static [&'static str],
    /// The first group that takes part in a match is the secret; without groups, the whole match is.
    pub(super) pattern: &'static str,
    /// Whether a match is a secret indeed.
    pub(super) accepts: fn(&Candidate<'_>) -> bool,
}

/// A match of a rule's pattern.
pub(super) struct Candidate<'a> {
    /// All bytes that are scanned.
    pub(super) text: &'a [u8],
    /// Where the match starts.
    pub(super) start: usize,
    /// Where the secret in it starts.
    pub(super) secret_start: usize,
    /// The secret in it.
    pub(super) secret: &'a [u8],
}

/// The secret values in `bytes`, in order and without overlaps.
pub(crate) fn scan(bytes: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    for at in rules_with_a_keyword_in(bytes) {
        apply(&RULES[at], regex(at), bytes, &mut found);
    }
    merge(found)
}

/// Looks for all keywords at once.
fn rules_with_a_keyword_in(bytes: &[u8]) -> Vec<usize> {
    static KEYWORDS: OnceLock<(AhoCorasick, Vec<(usize, &str)>)> = OnceLock::new();
    let (automaton, owners) = KEYWORDS.get_or_init(|| {
        let owners: Vec<_> = RULES
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| rule.keywords.iter().map(move |word| (at, *word)))
            .collect();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(owners.iter().map(|(_, word)| word))
            .expect("the keywords are few and short");
        (automaton, owners)
    });
    let mut present = vec![false; RULES.len()];
    for hit in automaton.find_overlapping_iter(bytes) {
        let (rule, word) = owners[hit.pattern().as_usize()];
        let any_case = !word.bytes().any(|b| b.is_ascii_uppercase());
        if any_case || &bytes[hit.range()] == word.as_bytes() {
            present[rule] = true;
        }
    }
    (0..RULES.len()).filter(|at| present[*at]).collect()
}

/// The regular expression of rule number `at`, compiled when it is first needed.
fn regex(at: usize) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];
    COMPILED[at].get_or_init(|| {
        RegexBuilder::new(RULES[at].pattern)
            .unicode(false)
            .build()
            .expect("a test compiles every pattern")
    })
}

fn apply(rule: &Rule, regex: &Regex, bytes: &[u8], found: &mut Vec<Found>) {
    let mut at = 0;
    let mut locations = regex.capture_locations();
    while at <= bytes.len() {
        let Some(whole) = regex.captures_read_at(&mut locations, bytes, at) else {
            return;
        };
        let group = (1..locations.len()).find_map(|group| locations.get(group));
        let (start, end) = group.unwrap_or((whole.start(), whole.end()));
        let candidate = Candidate {
            text: bytes,
            start: whole.start(),
            secret_start: start,
            secret: &bytes[start..end],
        };
        if start < end
            && memchr::memmem::find(candidate.secret, MARK.as_bytes()).is_none()
            && (rule.accepts)(&candidate)
        {
            found.push(Found {
                range: start..end,
                rule: rule.name,
            });
            at = end.max(whole.start() + 1);
        } else {
            // Another match may begin inside the one that was turned down.
            at = start.max(whole.start() + 1);
        }
    }
}

/// Sorts, and joins what overlaps under the name of what begins first, or else is longest.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by(|a, b| {
        (a.range.start, b.range.end, a.rule).cmp(&(b.range.start, a.range.end, b.rule))
    });
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match merged.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
            }
            _ => merged.push(next),
        }
    }
    merged
}
