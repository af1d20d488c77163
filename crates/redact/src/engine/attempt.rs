//! Trying the patterns of rules, where their keywords say that they may match.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use crate::hidden::{is_hidden, visible};
use crate::rules::rule::{Reach, Rule, Secret};
use crate::rules::{Found, RULES, RuleId};
use crate::scanned_text::Text;

/// How far around its keyword a pattern is tried that goes over the ends of lines: further than any matches.
pub(crate) const AROUND: usize = 1 << 10;

/// How many bytes may stand before a keyword that a pattern begins with: an escaped line end, a sign.
const BEFORE: usize = 2;

/// How often a pattern may be tried in vain from its keywords on, and in how many bytes of text each time, before the rest of
/// the text is gone through at once instead: one that consists of keywords would take a hundred times as long.
const MOST_IN_VAIN: usize = 1 << 12;
const BYTES_IN_VAIN: usize = 1 << 6;

/// All rules at work on one text. Nothing is kept of a keyword but what is still to be looked through: a text may
/// consist of keywords.
pub(crate) struct Attempts<'t, 'b> {
    text: &'t Text<'b>,
    spoken_of: &'t mut SpokenOf,
    rules: [Progress; RULES],
}

/// Which rules have a keyword that says whose a token would be.
pub(crate) type SpokenOf = [bool; RULES];

/// How far one rule has come.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// What stands before it was looked at.
    from: usize,
    /// How often it was tried in vain from a keyword on.
    in_vain: usize,
    /// What is to be looked through, joined of what overlaps: nothing if it ends where it starts.
    near: (usize, usize),
}

impl<'t, 'b> Attempts<'t, 'b> {
    pub(crate) fn new(text: &'t Text<'b>, spoken_of: &'t mut SpokenOf) -> Self {
        Self {
            text,
            spoken_of,
            rules: [Progress::default(); RULES],
        }
    }

    /// Tries a rule at a keyword of its, or notes to do so: keywords come in the order of the text.
    pub(crate) fn at_keyword(
        &mut self,
        number: usize,
        rule: &Rule,
        at: Range<usize>,
        found: &mut Vec<Found>,
    ) {
        match rule.reach {
            Reach::Onward => self.onward(number, rule, at.start, found),
            Reach::Line => self.note(number, rule, at, found),
            Reach::Around => {
                let around = at.start.saturating_sub(AROUND)..at.end.saturating_add(AROUND);
                self.note(number, rule, around, found);
            }
            Reach::Text(_) => self.spoken_of[number] = true,
        }
    }

    /// Looks through all that is left in `places`.
    pub(crate) fn finish(mut self, places: &[Range<usize>], found: &mut Vec<Found>) {
        for (number, rule) in crate::rules::rules() {
            self.look_at_places(number, rule, places, found);
        }
    }

    /// Looks through what is left for a rule in `places`.
    fn look_at_places(
        &mut self,
        number: usize,
        rule: &Rule,
        places: &[Range<usize>],
        found: &mut Vec<Found>,
    ) {
        if let Reach::Text(next) = rule.reach
            && self.spoken_of[number]
        {
            for &Range { start, end } in places {
                let mut from = start;
                while let Some(at) = next(self.text.slice(0..end), from) {
                    self.note(number, rule, at..at + 1, found);
                    from = at + 1;
                }
            }
        }
        self.look_near(number, rule, found);
    }

    /// Tries a rule from its keyword at `at` on.
    fn onward(&mut self, number: usize, rule: &Rule, at: usize, found: &mut Vec<Found>) {
        let Progress { from, in_vain, .. } = &mut self.rules[number];
        if *in_vain > MOST_IN_VAIN && *in_vain * BYTES_IN_VAIN > at {
            let rest = at.saturating_sub(BEFORE)..self.text.bytes.len();
            self.note(number, rule, rest, found);
            return;
        }
        let first = at.saturating_sub(BEFORE).max(*from);
        for start in first..=at {
            let input = Input::new(self.text.bytes)
                .range(start..)
                .anchored(Anchored::Yes);
            if let Some(next) = attempt(number, rule, self.text, &input, found) {
                *from = next;
                return;
            }
        }
        *in_vain += 1;
    }

    /// Notes that a rule is to be tried on the lines of `range`, and looks through what was noted before if that is apart.
    fn note(&mut self, number: usize, rule: &Rule, range: Range<usize>, found: &mut Vec<Found>) {
        let bytes = self.text.bytes;
        let (_, known) = self.rules[number].near;
        // What is known already is not read once more for where lines end.
        let end = range.end.min(bytes.len());
        let end = if end <= known {
            known
        } else {
            memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |line| end + line + 1)
        };
        if range.start < known {
            self.rules[number].near.1 = end;
            return;
        }
        self.look_near(number, rule, found);
        let line = memchr::memrchr(b'\n', &bytes[known..range.start]);
        self.rules[number].near = (line.map_or(known, |line| known + line), end);
    }

    /// Looks through what was noted for a rule.
    fn look_near(&mut self, number: usize, rule: &Rule, found: &mut Vec<Found>) {
        let progress = &mut self.rules[number];
        let (start, end) = progress.near;
        if start == end {
            return;
        }
        let mut from = progress.from.max(start);
        while from <= end {
            let input = Input::new(self.text.bytes).range(from..end);
            let Some(next) = attempt(number, rule, self.text, &input, found) else {
                break;
            };
            from = next;
        }
        progress.from = from;
        progress.near = (end, end);
    }
}

/// Whether the pattern of a rule matches near a keyword of its at `at`, in `lines` or not far from them.
pub(crate) fn matches_near(
    number: usize,
    rule: &Rule,
    text: &Text<'_>,
    at: Range<usize>,
    lines: Range<usize>,
) -> bool {
    let regex = regex(number, rule);
    let bytes = text.bytes;
    if let Reach::Onward = rule.reach {
        return (at.start.saturating_sub(BEFORE)..=at.start).any(|start| {
            let input = Input::new(bytes).range(start..).anchored(Anchored::Yes);
            regex.search_half(&input).is_some()
        });
    }
    let near = lines.start.saturating_sub(AROUND)..bytes.len().min(lines.end + AROUND);
    regex.is_match(Input::new(bytes).range(near))
}

/// The regular expression of a rule and its number, compiled when it is first needed.
pub(crate) fn regex(at: usize, rule: &Rule) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; RULES] = [const { OnceLock::new() }; RULES];
    COMPILED[at].get_or_init(|| {
        Regex::builder()
            .configure(Config::new().utf8_empty(false))
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .build(rule.pattern)
            .expect("a test compiles every pattern")
    })
}

/// Notes the secrets of one match of a rule; gives where to go on, none where it does not match.
fn attempt(
    number: usize,
    rule: &Rule,
    text: &Text<'_>,
    input: &Input<'_>,
    found: &mut Vec<Found>,
) -> Option<usize> {
    let bytes = text.bytes;
    let regex = regex(number, rule);
    let mut secrets = Vec::new();
    // Most keywords are none, and that is known faster than where it matches.
    regex.search_half(input)?;
    let next = match rule.secret {
        Secret::Matched(accepts) => {
            let mut captures = regex.create_captures();
            regex.search_captures(input, &mut captures);
            let group = (1..captures.group_len()).find_map(|group| captures.get_group(group));
            let secret = group.or_else(|| captures.get_group(0))?.range();
            if accepts(&visible(&bytes[secret.clone()])) {
                secrets.push(secret.clone());
            }
            secret.end
        }
        Secret::After(find) => find(text, regex.search(input)?.range(), &mut secrets),
    };
    let mut next = next.max(input.start() + 1);
    for Range { start, end } in secrets {
        if start < end && !is_hidden(&bytes[start..end]) {
            let end = end + rest_of_long_token(&bytes[start..end], &bytes[end..]);
            found.push(Found {
                range: start..end,
                rule: RuleId::numbered(number),
            });
            next = next.max(end);
        }
    }
    Some(next)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rules;
    use crate::scan::scan;

    #[test]
    fn in_a_text_of_keywords_alone_a_secret_is_found_all_the_same() {
        let (number, _) = rules()
            .find(|(_, rule)| rule.name == "github-token")
            .unwrap();
        let secret = format!(
            "ghp_{}",
            "x9Kq2LmZ7vTb4WcY8nRd".repeat(2).get(..36).unwrap()
        );
        let text = format!("{}\n{secret}\n", "ghp_ ".repeat(MOST_IN_VAIN * 2));
        let found = scan(text.as_bytes());
        let found: Vec<_> = found.into_iter().map(|one| (one.range, one.rule)).collect();
        let at = text.find(&secret).unwrap();
        assert_eq!(found, [(at..at + secret.len(), RuleId::numbered(number))]);
    }

    /// What a rule finds in a text, tried on all of it.
    fn everywhere(number: usize, rule: &Rule, text: &Text<'_>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut from = 0;
        while from <= text.bytes.len() {
            let input = Input::new(text.bytes).range(from..);
            let Some(next) = attempt(number, rule, text, &input, &mut found) else {
                break;
            };
            from = next;
        }
        found.into_iter().map(|found| found.range).collect()
    }

    #[test]
    fn what_is_tried_around_keywords_finds_what_is_found_everywhere() {
        let mut texts = String::from("the cookie and authorization of https://example.com\n");
        let kept = include_str!("../../tests/data/issuer_examples.txt").lines();
        for line in kept.filter(|line| !line.starts_with('#')) {
            let backwards = line.split_once('\t').map_or("", |(_, kept)| kept);
            texts.extend(backwards.chars().rev());
            texts.push('\n');
        }
        let text = Text::new(texts.as_bytes());
        let lower = texts.to_ascii_lowercase();
        let mut compared = 0;
        for (number, rule) in rules() {
            let keywords: std::collections::BTreeSet<(usize, usize)> = (rule.keywords.iter())
                .flat_map(|word| {
                    let word = word.to_ascii_lowercase();
                    let found = lower.match_indices(word.as_str());
                    found
                        .map(|(at, word)| (at, at + word.len()))
                        .collect::<Vec<_>>()
                })
                .collect();
            let mut spoken_of = [false; RULES];
            let mut attempts = Attempts::new(&text, &mut spoken_of);
            let mut found = Vec::new();
            for (start, end) in keywords {
                if (rule.likely)(&text, start..end) {
                    attempts.at_keyword(number, rule, start..end, &mut found);
                }
            }
            let all = 0..texts.len();
            attempts.look_at_places(number, rule, std::slice::from_ref(&all), &mut found);
            let found: Vec<_> = found.into_iter().map(|found| found.range).collect();
            compared += found.len();
            assert_eq!(found, everywhere(number, rule, &text), "{}", rule.name);
        }
        assert!(compared > 300, "{compared}");
    }
}
