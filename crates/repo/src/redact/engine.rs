use std::ops::Range;
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
    /// A regular expression.
    pub(super) pattern: &'static str,
    /// Where the secret is.
    pub(super) secret: Secret,
}

/// Where the secret is that a pattern found.
pub(super) enum Secret {
    /// It is what matched, or the first group of it, if it is accepted.
    Matched(fn(&str) -> bool),
    /// It is found by a function, given all bytes and what matched, which stands in front of it.
    After(fn(&[u8], Range<usize>) -> Option<Range<usize>>),
}

/// How often a text is scanned at most. Twice is normal where there is a secret at all.
const MAX_SCANS: usize = 16;

/// The secret values in `bytes`, in order and without overlaps.
pub(crate) fn scan(bytes: &[u8]) -> Vec<Found> {
    let mut found = scan_once(bytes);
    if found.is_empty() {
        return found;
    }
    // What stands beside a secret may show as one once that is replaced, since tokens end at borders: it
    // shall not take a second redaction to see it.
    let mut masked = bytes.to_vec();
    for _ in 1..MAX_SCANS {
        for Found { range, .. } in &found {
            for byte in &mut masked[range.clone()] {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = 1;
                }
            }
        }
        let before = found.clone();
        found.extend(scan_once(&masked));
        found = merge(found);
        if found == before {
            break;
        }
    }
    found
}

fn scan_once(bytes: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    // Most programs print nothing to standard error, and getting ready takes a millisecond.
    if bytes.is_empty() {
        return found;
    }
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
    let mut locations = regex.capture_locations();
    let mut at = 0;
    while at <= bytes.len() {
        let (range, next) = match rule.secret {
            Secret::Matched(accepts) => {
                let Some(whole) = regex.captures_read_at(&mut locations, bytes, at) else {
                    return;
                };
                let group = (1..locations.len()).find_map(|group| locations.get(group));
                let (start, end) = group.unwrap_or((whole.start(), whole.end()));
                let accepted = !is_in_mark(bytes, whole.start())
                    && accepts(&String::from_utf8_lossy(&bytes[start..end]));
                (accepted.then_some(start..end), end)
            }
            Secret::After(find) => {
                let Some(head) = regex.find_at(bytes, at) else {
                    return;
                };
                let range = if is_in_mark(bytes, head.start()) {
                    None
                } else {
                    find(bytes, head.range())
                };
                // The next head may stand in what was turned down.
                (range, head.end())
            }
        };
        at = next.max(at + 1);
        if let Some(Range { start, end }) = range
            && start < end
            && !is_in_mark(bytes, start)
        {
            let end = end + rest_of_long_token(&bytes[start..end], &bytes[end..]);
            found.push(Found {
                range: start..end,
                rule: rule.name,
            });
            at = at.max(end);
        }
    }
}

/// How many bytes after a long secret belong to it: patterns have bounds, tokens do not.
fn rest_of_long_token(secret: &[u8], after: &[u8]) -> usize {
    const LONG: usize = 200;
    let in_token = |b: &u8| b.is_ascii_alphanumeric() || b"+/=_-.".contains(b);
    if secret.len() < LONG || !secret.last().is_some_and(in_token) {
        return 0;
    }
    after.iter().take_while(|b| in_token(b)).count()
}

/// Whether the byte at `at` belongs to a mark, whose words are those of secrets.
fn is_in_mark(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(MARK.len() + LONGEST_NAME)..at];
    memchr::memmem::rfind(before, MARK.as_bytes())
        .is_some_and(|mark| memchr::memchr(b']', &before[mark..]).is_none())
}

/// The longest name of a rule, in bytes.
const LONGEST_NAME: usize = 32;

/// Sorts, and joins what overlaps under the name of what begins first; of rules that begin at the same
/// place, the first in the table gives the name.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    let order = |found: &Found| RULES.iter().position(|rule| rule.name == found.rule);
    found.sort_by_key(|found| (found.range.start, order(found), found.range.end));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_work() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(!rule.keywords.is_empty(), "{}", rule.name);
            assert!(rule.name.len() <= LONGEST_NAME, "{}", rule.name);
            assert!(!regex(at).is_match(b""), "{}", rule.name);
        }
    }
}
