use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::Found;
use super::assign::name_around;
use super::issuers::ISSUERS;
use super::keywords::{Hit, Keywords, Owner};
use super::mark::{hide, is_hidden, marks_in, visible};
use super::own;
use super::rules::{ASSIGNED, FORMS};
use super::text::Text;

/// One kind of secret.
pub(super) struct Rule {
    /// What the mark says, in kebab case.
    pub(super) name: &'static str,
    /// One of them stands in every text the pattern matches. Lower case ones are found in any case,
    /// others as they are written.
    pub(super) keywords: &'static [&'static str],
    /// Whether a keyword counts only where more of a token follows it.
    pub(super) prefix: bool,
    /// A regular expression.
    pub(super) pattern: &'static str,
    /// Where the secret is.
    pub(super) secret: Secret,
}

/// Where the secret is that a pattern found.
pub(super) enum Secret {
    /// It is what matched, or the first group of it, if it is accepted.
    Matched(fn(&str) -> bool),
    /// They are found by a function, given the text and what matched, which stands in front of them. It
    /// gives where to go on.
    After(fn(&Text<'_>, Range<usize>, &mut Vec<Range<usize>>) -> usize),
}

/// Number of rules that have a pattern.
const RULES: usize = FORMS.len() + ISSUERS.len();

/// Which rule knows a secret: its place in the table, that of names at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RuleId(usize);

impl RuleId {
    /// The rule for values that are secret by the name they are given to.
    pub(super) const ASSIGNED: Self = Self(RULES);

    /// The rule of a kind that a repository has for itself.
    pub(super) fn own(kind: &str) -> Self {
        Self(RULES + 1 + own::number_of(kind))
    }

    /// What the mark says.
    pub(crate) fn name(self) -> &'static str {
        if let Some(own) = self.0.checked_sub(RULES + 1) {
            return own::kind_of(own).unwrap_or(ASSIGNED);
        }
        let mut rules = FORMS.iter().chain(ISSUERS);
        rules.nth(self.0).map_or(ASSIGNED, |rule| rule.name)
    }

    /// The rule whose marks say `name`; of several the first.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        let known = rules().find(|(_, rule)| rule.name.as_bytes() == name);
        let assigned = || (name == ASSIGNED.as_bytes()).then_some(Self::ASSIGNED);
        let own = || own::known_number(name).map(|own| Self(RULES + 1 + own));
        let known = known.map(|(at, _)| Self(at)).or_else(assigned);
        known.or_else(own)
    }
}

/// All rules that have a pattern, with their numbers.
pub(super) fn rules() -> impl Iterator<Item = (usize, &'static Rule)> {
    FORMS.iter().chain(ISSUERS).enumerate()
}

/// Whether a kind is built in.
pub(super) fn is_built_in(kind: &str) -> bool {
    kind == ASSIGNED || rules().any(|(_, rule)| rule.name == kind)
}

/// How often a text is scanned at most. Twice is normal where there is a secret at all.
const MAX_SCANS: usize = 16;

/// The secret values in `bytes`, in order and without overlaps.
pub(crate) fn scan(bytes: &[u8]) -> Vec<Found> {
    let marks = marks_in(bytes);
    let mut found = marks.clone();
    // What stands beside a secret may show as one once that is replaced, since tokens end at borders: it
    // shall not take a second redaction to see it. So what is replaced already is hidden from the start.
    let mut masked = Cow::Borrowed(bytes);
    for _ in 0..MAX_SCANS {
        if !found.is_empty() {
            hide(&found, masked.to_mut());
        }
        let before = found.clone();
        found.extend(scan_once(&masked));
        found = merge(found);
        if found == before {
            break;
        }
    }
    let is_mark = |found: &Found| {
        let at = marks.partition_point(|mark| mark.range.start < found.range.start);
        marks.get(at).is_some_and(|mark| mark.range == found.range)
    };
    found.retain(|found| !is_mark(found));
    found
}

fn scan_once(bytes: &[u8]) -> Vec<Found> {
    scan_text(&Text::new(bytes))
}

fn scan_text(text: &Text<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let present = look_for_keywords(text, &mut found);
    for (at, rule) in rules().filter(|(at, _)| present[*at]) {
        apply(at, rule, text, &mut found);
    }
    own::find(text.bytes, &mut found);
    merge(found)
}

/// Looks for all keywords at once, and says which rules have one there. Values that are secret by their
/// names are found on the way.
fn look_for_keywords(text: &Text<'_>, found: &mut Vec<Found>) -> [bool; RULES] {
    let mut present = [false; RULES];
    // Names are looked for from here on: what stands before it was read.
    let mut names = 0;
    for Hit { owner, word, at } in keywords().find(text.bytes) {
        match owner {
            Owner::Name => {
                if at.start >= names && may_end_word(word, text.get(at.end)) {
                    names = named_secret(text, at, found);
                }
            }
            Owner::Rule(number, rule) => {
                present[number] = present[number] || is_keyword(rule, word, at, text);
            }
        }
    }
    present
}

/// How far around the line of its keyword a pattern is tried: further than any matches over the ends of lines.
const AROUND: usize = 1 << 10;

/// Whether what stands in `range` may make a secret there or behind it: a name with a value, or the keyword of a rule
/// whose pattern matches near it.
pub(super) fn may_hold_secret(text: &Text<'_>, range: Range<usize>) -> bool {
    let start = range.start;
    let near = start.saturating_sub(AROUND)..text.bytes.len().min(range.end + AROUND);
    let mut tried = [false; RULES];
    keywords()
        .find(text.slice(range))
        .any(|Hit { owner, word, at }| {
            let at = at.start + start..at.end + start;
            match owner {
                Owner::Name => {
                    let mut found = Vec::new();
                    may_end_word(word, text.get(at.end)) && {
                        named_secret(text, at, &mut found);
                        !found.is_empty()
                    }
                }
                Owner::Rule(number, rule) => {
                    !tried[number] && is_keyword(rule, word, at, text) && {
                        tried[number] = true;
                        regex(number, rule).is_match(text.slice(near.clone()))
                    }
                }
            }
        })
}

fn keywords() -> &'static Keywords {
    static KEYWORDS: OnceLock<Keywords> = OnceLock::new();
    KEYWORDS.get_or_init(|| Keywords::of(rules()))
}

/// Whether `word`, found at `at`, makes it worth to run its rule.
fn is_keyword(rule: &Rule, word: &str, at: Range<usize>, text: &Text<'_>) -> bool {
    /// How many more bytes a token has at least.
    const MORE: usize = 10;
    let any_case = !word.bytes().any(|b| b.is_ascii_uppercase());
    let token = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-.~,".contains(&b);
    (any_case || &text.bytes[at.clone()] == word.as_bytes())
        && (!rule.prefix || text.run(at.end, MORE, token) == at.end + MORE)
}

/// Whether the word of a name that `stem` begins or ends can go on with `next`: most words with a stem in them
/// are others (`keyboard`, `passing`), and need no closer look.
fn may_end_word(stem: &str, next: Option<u8>) -> bool {
    match next {
        Some(next) if next.is_ascii_lowercase() => match stem {
            "pass" => b"wpc".contains(&next),
            "credential" => next == b's',
            _ => false,
        },
        _ => true,
    }
}

/// Finds the value of the name around `stem`, if that is a secret; gives where to go on.
fn named_secret(text: &Text<'_>, stem: Range<usize>, found: &mut Vec<Found>) -> usize {
    let (name, end) = name_around(text, stem);
    match name.and_then(|name| name.value(text)) {
        Some(range) if !is_hidden(&text.bytes[range.clone()]) => {
            let end = range.end;
            found.push(Found {
                range,
                rule: RuleId::ASSIGNED,
            });
            end
        }
        _ => end,
    }
}

/// The regular expression of a rule and its number, compiled when it is first needed.
fn regex(at: usize, rule: &Rule) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; RULES] = [const { OnceLock::new() }; RULES];
    COMPILED[at].get_or_init(|| {
        RegexBuilder::new(rule.pattern)
            .unicode(false)
            .build()
            .expect("a test compiles every pattern")
    })
}

fn apply(number: usize, rule: &Rule, text: &Text<'_>, found: &mut Vec<Found>) {
    let bytes = text.bytes;
    let regex = regex(number, rule);
    let mut locations = regex.capture_locations();
    let mut secrets = Vec::new();
    let mut at = 0;
    while at <= bytes.len() {
        let next = match rule.secret {
            Secret::Matched(accepts) => {
                let Some(whole) = regex.captures_read_at(&mut locations, bytes, at) else {
                    return;
                };
                let group = (1..locations.len()).find_map(|group| locations.get(group));
                let (start, end) = group.unwrap_or((whole.start(), whole.end()));
                if accepts(&visible(&bytes[start..end])) {
                    secrets.push(start..end);
                }
                end
            }
            Secret::After(find) => {
                let Some(head) = regex.find_at(bytes, at) else {
                    return;
                };
                find(text, head.range(), &mut secrets)
            }
        };
        at = next.max(at + 1);
        for Range { start, end } in secrets.drain(..) {
            if start < end && !is_hidden(&bytes[start..end]) {
                let end = end + rest_of_long_token(&bytes[start..end], &bytes[end..]);
                found.push(Found {
                    range: start..end,
                    rule: RuleId(number),
                });
                at = at.max(end);
            }
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

/// Sorts, and joins what overlaps under the name of what begins first; of rules that begin at the same
/// place, the first in the table gives the name.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.range.start, found.rule, found.range.end));
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
    fn work_grows_with_the_text_and_not_faster() {
        let examined = |piece: &str, length: usize| {
            let bytes = piece.repeat(length / piece.len());
            let text = Text::new(bytes.as_bytes());
            scan_text(&text);
            text.examined()
        };
        for piece in [
            r#"password=""#,
            r#"password="x9 y8 "#,
            "password=x9y8z7 ",
            "password=x9y8z7 w6\n",
            "password: zebracorn\n",
            "password: zebra corn\n",
            "\n\npassword: zebracorn\n\n",
            "setPassword(\"",
            "password=\'\'\'x9y8",
            "password: |\n  ",
            "password: |\n  x9y8z7 w6\n",
            "password: x9y8,",
            "password:\t",
            "password[",
            "password_",
            r#"password,""#,
            r"password\\",
            "<password>",
            "<password ",
            "<a:password>x9y8z7w6",
            "<key>password</key><string>",
            "name: password\nvalue",
            "name: password\na: b\nc: d\n",
            "name: password\nvalue: |\n",
            "name: password\nvalue: x9y8z7 w6\n",
            "password is ",
            "password for a b c d e ",
            "password is x9y8z7w6 ",
            "machine a login b password ",
            "login b password ",
            "api key: ",
            "cookie, value: ",
            "--password ",
            "ENV PASSWORD ",
            "DB_PASSWORD=x_y_z ",
            "- DB_PASSWORD=x_y_z\n",
            "A=1 DB_PASSWORD=x_y_z ",
            "DB_PASSWORD: x_y_z\n",
            "a.password=x_y\n",
            "password: s3cr3t_pw\n",
            "define('PASSWORD', '",
            "<entry key=\"password\" ",
            "-----END PRIVATE KEY-----",
            "-----END PRIVATE KEY-----\n",
            "x9y8z7w6v5u4t3s2r1q0p9o8n7m6l5k4j3\n-----END PRIVATE KEY-----\n",
            "x9y8z7w6v5u4t3s2r1q0p9o8n7m6l5k4j3\nx9\n-----END PRIVATE KEY----",
            "cookie:",
            "cookie: a=x9y8z7w6v5u4t3s2r1;",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nx9y8z7w6v5u4t3s2r1q0p9o8n7m6l5k4j3\n",
            "-----BEGIN PRIVATE KEY-----\n-----END ",
        ] {
            let (some, more) = (examined(piece, 16 << 10), examined(piece, 64 << 10));
            assert!(more < some * 5, "{piece:?}: {some}, {more}");
            assert!(some < (16 << 10) * 1000, "{piece:?}: {some}");
        }
    }

    #[test]
    fn every_rule_can_work() {
        for (at, rule) in rules() {
            assert!(!rule.keywords.is_empty(), "{}", rule.name);
            assert!(
                rule.name.len() <= super::super::mark::LONGEST_NAME,
                "{}",
                rule.name
            );
            assert!(!regex(at, rule).is_match(b""), "{}", rule.name);
        }
    }
}
