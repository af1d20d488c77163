//! Looking for secrets in a text. One pass looks for the `keywords` of all rules at once; a rule's regular expression is compiled
//! when one of its keywords is there that is `likely` one of a secret, and is an `attempt` around that alone, so that ordinary text
//! costs one fast pass. A text is scanned as a whole, since a secret can begin outside of what is shown.

pub(crate) mod attempt;
mod keywords;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::assign::list::Lists;
use crate::assign::named::name_around;
use crate::engine::attempt::{Attempts, SpokenOf, matches_near};
use crate::engine::keywords::{Hit, Keywords, Owner};
use crate::hidden::is_hidden;
use crate::mark::hide;
use crate::own_rules;
use crate::rules::rule::{Reach, Rule};
use crate::rules::{Found, RULES, RuleId, rules};
use crate::scanned_text::Text;

/// How often a text is scanned at most. Twice is normal where there is a secret at all.
pub(crate) const MAX_SCANS: usize = 16;

/// Whether a name of a secret stands in `range`.
pub(crate) fn has_name(text: &Text<'_>, range: Range<usize>) -> bool {
    let start = range.start;
    keywords().find(text.slice(range)).any(|hit| {
        let at = hit.at.start + start..hit.at.end + start;
        matches!(hit.owner, Owner::Name)
            && may_end_word(hit.word, text, &at)
            && name_around(text, at).0.is_some()
    })
}

/// All that is found where `found` is known already; it is hidden in `bytes` then. `names` are those of secrets that have none in
/// this text, in order.
pub(crate) fn look(
    bytes: &mut Cow<'_, [u8]>,
    mut found: Vec<Found>,
    names: &mut Vec<usize>,
) -> Vec<Found> {
    let mut spoken_of = [false; RULES];
    let mut places = Vec::from([all(bytes)]);
    for _ in 0..MAX_SCANS {
        if !found.is_empty() {
            hide(&found, bytes.to_mut());
        }
        let before = found.clone();
        found.extend(scan_places(
            &Text::new(bytes),
            &places,
            &mut spoken_of,
            names,
        ));
        found = merge(found);
        places = places_around(&found, &before, bytes.len());
        if places.is_empty() {
            break;
        }
    }
    names.sort_unstable();
    names.dedup();
    found
}

/// The place that is a whole text.
fn all(bytes: &[u8]) -> Range<usize> {
    0..bytes.len()
}

/// How far from what is hidden something may show as a secret for that, in bytes: further than a name stands from its
/// value, or what a pattern matches goes over the ends of lines.
const BESIDE: usize = 4 << 10;

/// Where to look once more: around what was found that was not known `before`.
pub(crate) fn places_around(found: &[Found], before: &[Found], length: usize) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut known = before.iter().peekable();
    for new in found {
        while known
            .next_if(|known| known.range.start < new.range.start)
            .is_some()
        {}
        if known.peek().is_some_and(|known| known.range == new.range) {
            continue;
        }
        let start = new.range.start.saturating_sub(BESIDE);
        let end = new.range.end.saturating_add(BESIDE).min(length);
        match places.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => places.push(start..end),
        }
    }
    places
}

/// What is found by the keywords in `places`, which are in order and apart. `spoken_of` are the rules that have a keyword
/// anywhere; `without_value` is where names of secrets stand that have none.
pub(crate) fn scan_places(
    text: &Text<'_>,
    places: &[Range<usize>],
    spoken_of: &mut SpokenOf,
    without_value: &mut Vec<usize>,
) -> Vec<Found> {
    let mut found = Vec::new();
    let mut attempts = Attempts::new(text, spoken_of);
    let mut lists = Lists::default();
    for place in places {
        // Names are looked for from here on: what stands before it was read.
        let mut names = place.start;
        for Hit { owner, word, at } in keywords().find(text.slice(place.clone())) {
            let at = at.start + place.start..at.end + place.start;
            match owner {
                Owner::Name => {
                    if at.start >= names && may_end_word(word, text, &at) {
                        let known = found.len();
                        let start = at.start;
                        let is_name;
                        (names, is_name) = named_secret(text, at, &mut lists, &mut found);
                        if is_name && found.len() == known {
                            without_value.push(start);
                        }
                    }
                }
                Owner::Rule(number, rule) => {
                    if is_keyword(rule, word, at.clone(), text) {
                        attempts.at_keyword(number, rule, at, &mut found);
                    }
                }
            }
        }
    }
    attempts.finish(places, &mut found);
    own_rules::find(text.bytes, &mut found);
    merge(found)
}

/// Whether what stands in `range` may make a secret there or behind it: a name with a value, or the keyword of a rule
/// whose pattern matches near it.
pub(crate) fn may_hold_secret(text: &Text<'_>, range: Range<usize>) -> bool {
    let start = range.start;
    let end = range.end;
    let mut tried = [false; RULES];
    let mut lists = Lists::default();
    keywords()
        .find(text.slice(range))
        .any(|Hit { owner, word, at }| {
            let at = at.start + start..at.end + start;
            match owner {
                Owner::Name => may_end_word(word, text, &at) && names_secret(text, at, &mut lists),
                Owner::Rule(number, rule) => {
                    !tried[number] && is_keyword(rule, word, at.clone(), text) && {
                        // All that is not tried from the keyword on is tried on the lines around, once.
                        tried[number] = !matches!(rule.reach, Reach::Onward);
                        matches_near(number, rule, text, at, start..end)
                    }
                }
            }
        })
}

/// Whether the name around `stem` is given a secret, or a list of them. `lists` are those that were read for names before.
pub(crate) fn names_secret(text: &Text<'_>, stem: Range<usize>, lists: &mut Lists) -> bool {
    let mut found = Vec::new();
    named_secret(text, stem, lists, &mut found);
    !found.is_empty()
}

fn keywords() -> &'static Keywords {
    static KEYWORDS: OnceLock<Keywords> = OnceLock::new();
    KEYWORDS.get_or_init(|| Keywords::of(rules()))
}

/// Whether `word`, found at `at`, makes it worth to run its rule.
fn is_keyword(rule: &Rule, word: &str, at: Range<usize>, text: &Text<'_>) -> bool {
    let any_case = !word.bytes().any(|b| b.is_ascii_uppercase());
    (any_case || &text.bytes[at.clone()] == word.as_bytes()) && (rule.likely)(text, at)
}

/// Whether the word of a name that `stem`, found at `at`, begins or ends can go on as it does: most words with a stem in
/// them are others (`keyboard`, `passing`), and need no closer look.
fn may_end_word(stem: &str, text: &Text<'_>, at: &Range<usize>) -> bool {
    let lower = |at: usize| text.get(at).filter(u8::is_ascii_lowercase);
    match lower(at.end) {
        None => true,
        Some(b's') if stem == "pass" || lower(at.end + 1).is_some() => false,
        // `mot de passe`
        Some(b'e') if stem == "pass" => lower(at.end + 1).is_none(),
        // Many things have keys and tokens: which, a word in front says.
        Some(b's') if matches!(stem, "key" | "token") => {
            let before = at.start.checked_sub(1).and_then(|at| text.get(at));
            before.is_some_and(|b| b.is_ascii_alphanumeric() || b"_- ".contains(&b))
        }
        Some(next) => next == b's' || (stem == "pass" && b"wpc".contains(&next)),
    }
}

/// Finds the value of the name around `stem`, if that is a secret; gives where to go on, and whether there may be a name.
fn named_secret(
    text: &Text<'_>,
    stem: Range<usize>,
    lists: &mut Lists,
    found: &mut Vec<Found>,
) -> (usize, bool) {
    // Behind an escaped line end, the escape is no part of it.
    let is_escaped = matches!(text.slice(0..stem.start), [.., b'\\', b'n' | b'r' | b't']);
    let (name, mut end) = name_around(text, stem);
    let is_name = name.is_some() || is_escaped;
    let mut more = Vec::new();
    let value = name.and_then(|name| name.value(text, lists, &mut more));
    for range in value.into_iter().chain(more) {
        if !is_hidden(&text.bytes[range.clone()]) {
            end = range.end;
            found.push(Found {
                range,
                rule: RuleId::ASSIGNED,
            });
        }
    }
    (end, is_name)
}

/// Sorts, and joins what overlaps under the name of what begins first; of rules that begin at the same
/// place, the first in the table gives the name.
pub(crate) fn merge(mut found: Vec<Found>) -> Vec<Found> {
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
    use crate::engine::attempt::regex;

    #[test]
    fn work_grows_with_the_text_and_not_faster() {
        let examined = |piece: &str, length: usize| {
            let bytes = piece.repeat(length / piece.len());
            let text = Text::new(bytes.as_bytes());
            scan_places(
                &text,
                &[all(text.bytes)],
                &mut [false; RULES],
                &mut Vec::new(),
            );
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
            "password: x)K~q.T(wQ+e&",
            "**password:** x9y8z7 ",
            "**Password:**",
            "curl -u a:'",
            "<b>password</b>: x9y8z7",
            "<td>password</td><td>",
            "password:\t",
            "password[",
            "password = a || ",
            "password = a || 'x9' ",
            "password = 'x9' + ",
            "password || 'x9' ",
            "password = ('",
            "password = f(((((((((",
            "passwords = [",
            "passwords = ['x9', ",
            "passwords = ['x9',\n",
            "passwords = {'x9': \"",
            "passwords = [/*",
            "passwords = [secrets = [",
            "secrets = [`",
            "passwords: [x9y8z7w6 ",
            "passwords:\n",
            "passwords:\n  - x9y8z7w6\n",
            "- passwords:\n",
            "passwords:\n\n",
            "user,password\n",
            "user,password\nbob,x9y8z7w6\n",
            "user,password,",
            "user\tpassword\n\",",
            "| password | x9y8z7w6 |\n",
            "| password |\n|---|\n",
            "|---|\n| password | ",
            "API_KEYS=x9y8z7w6,",
            "API_KEYS=\"x9y8z7w6,",
            "passwords: x9y8z7w6, ",
            "passwords: x9y8z7w6 zebra\n",
            "API_KEYS=\"x9y8z7w6\" ",
            "user;password\na;\"\n",
            "password, ",
            "insert into a (password, ",
            "insert into a (password) values ('",
            "insert into a (password) values (f(",
            "copy a (password) from stdin;\nx\n",
            "user|token|secret\n\"|x|\n",
            "password = a ? 'x9y8z7' : ",
            "password = a ||\n",
            "Private-Lines: 9\n",
            "Private-Lines: 9\nx9y8z7w6v5u4t3s2r1q0p9o8n7m6l5k4j3\n",
            "credentials: bob / ",
            "requirepass x9y8z7w6 ",
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
            "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t",
            "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t\n",
            "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t ",
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
                rule.name.len() <= crate::mark::LONGEST_NAME,
                "{}",
                rule.name
            );
            assert!(!regex(at, rule).is_match(""), "{}", rule.name);
        }
    }
}
