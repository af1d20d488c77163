//! Searches a text for secrets.
//!
//! One pass over the text finds the keywords of all rules, along with the stems of secrets' names
//! (`pwd`, `token`). A rule's pattern is only tried at one of its keywords, so ordinary text costs
//! little more than this one fast pass.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use crate::assign::named::{Kinds, name_around};
use crate::hidden::is_hidden;
use crate::keyword_index::{Keyword, KeywordIndex};
use crate::mark::hide;
use crate::own_rules;
use crate::rules::rule::RuleSet;
use crate::rules::{Found, RuleId, built_in};
use crate::scanned_text::Text;
use crate::words::words;

/// Cap on scans of one text. Two are normal for a text with secrets: the second finds nothing new.
pub(crate) const MAX_SCANS: usize = 16;

/// Distance within which hiding a secret may reveal another one, in bytes.
///
/// No name is this far from its value, and no pattern reaches this far across line ends.
const RESCAN_DISTANCE: usize = 4 << 10;

/// The rules and the readers of names to try at a keyword.
#[derive(Default)]
struct Owners {
    /// True if the keyword is part of secrets' names.
    is_stem: bool,
    /// Rules with a pattern that begins with the keyword.
    anchored: RuleSet,
    /// Indexes of rules with a pattern to try in the text around the keyword.
    around: Vec<usize>,
}

/// Builds the index of the keywords of built-in rules and the stems of names, on first use.
fn keywords() -> &'static KeywordIndex<Owners> {
    static KEYWORDS: OnceLock<KeywordIndex<Owners>> = OnceLock::new();
    KEYWORDS.get_or_init(|| {
        let mut owners: BTreeMap<&str, Owners> = BTreeMap::new();
        for stem in words().stems.iter() {
            owners.entry(stem).or_default().is_stem = true;
        }
        for (number, rule) in built_in().iter().enumerate() {
            for word in &rule.keywords {
                let owners = owners.entry(word).or_default();
                match rule.is_anchored {
                    true => owners.anchored.rules.push(number),
                    false => owners.around.push(number),
                }
            }
        }
        KeywordIndex::new(owners)
    })
}

/// Finds and hides secrets until hiding one reveals no other.
///
/// `found` has the secrets that are known from the start.
pub(crate) fn scan_until_stable(bytes: &mut Cow<'_, [u8]>, mut found: Vec<Found>) -> Vec<Found> {
    let mut places = Vec::from([all(bytes)]);
    for _ in 0..MAX_SCANS {
        if !found.is_empty() {
            hide(&found, bytes.to_mut());
        }
        let before = found.clone();
        found.extend(scan_places(&Text::new(bytes), &places));
        found = merge(found);
        places = places_around(&found, &before, bytes.len());
        if places.is_empty() {
            break;
        }
    }
    found
}

fn all(bytes: &[u8]) -> Range<usize> {
    0..bytes.len()
}

/// Lists the ranges to scan again: the text around every finding that is not in `before`.
pub(crate) fn places_around(found: &[Found], before: &[Found], length: usize) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut known = before.iter().peekable();
    for new in found {
        while known
            .next_if(|known| known.range.start < new.range.start)
            .is_some()
        {}
        // A finding of `before` was hidden in an earlier scan, unless it has grown since.
        if known.peek().is_some_and(|known| known.range == new.range) {
            continue;
        }
        let start = new.range.start.saturating_sub(RESCAN_DISTANCE);
        let end = new.range.end.saturating_add(RESCAN_DISTANCE).min(length);
        match places.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => places.push(start..end),
        }
    }
    places
}

/// Finds the secrets in `places`. These must be in order and not touch.
pub(crate) fn scan_places(text: &Text<'_>, places: &[Range<usize>]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut attempts = Attempts::new(text);
    let mut read = 0;
    let mut kinds = Kinds::default();
    for place in places {
        // The text before this range has already been searched for names.
        let mut names = place.start;
        let on_keyword = |keyword: &Keyword<Owners>, at: Range<usize>| {
            let at = at.start + place.start..at.end + place.start;
            attempts.at_keyword(&keyword.owner, &at, &mut found);
            if keyword.owner.is_stem && at.start >= names && may_end_word(keyword.word, text, &at) {
                names = named_secret(text, at, &mut kinds, &mut read, &mut found);
            }
        };
        keywords().for_each(text.slice(place.clone()), on_keyword);
    }
    attempts.finish(&mut found);
    own_rules::find(text, &mut found);
    merge(found)
}

struct Attempts<'t, 'b> {
    text: &'t Text<'b>,
    /// For each rule, the end of the searched part, and a range still to be searched.
    progress: Vec<(usize, Range<usize>)>,
}

impl<'t, 'b> Attempts<'t, 'b> {
    fn new(text: &'t Text<'b>) -> Self {
        Self {
            text,
            progress: vec![(0, 0..0); built_in().len()],
        }
    }

    /// Tries the anchored rules of a keyword found at `at`, and postpones the others.
    ///
    /// Neighboring keywords often share their surroundings, so their ranges are joined and
    /// searched once.
    ///
    /// Keywords arrive in text order except for overlapping ones. The range of an earlier keyword
    /// then includes any bounded match around the late one.
    fn at_keyword(&mut self, owners: &Owners, at: &Range<usize>, found: &mut Vec<Found>) {
        if owners.anchored.may_match(built_in(), self.text, at) {
            for number in &owners.anchored.rules {
                let (from, _) = &mut self.progress[*number];
                if at.start >= *from {
                    let next = built_in()[*number].find_at(self.text, at, found);
                    *from = next.unwrap_or(*from);
                }
            }
        }
        for number in &owners.around {
            let rule = &built_in()[*number];
            let (from, lines) = &mut self.progress[*number];
            if at.start >= *from && at.end > lines.end {
                let around = rule.around(self.text.bytes, at, lines.start);
                if around.start < lines.end {
                    lines.end = around.end;
                } else {
                    let ready = std::mem::replace(lines, around);
                    rule.find_in(self.text, ready, found);
                }
            }
        }
    }

    fn finish(self, found: &mut Vec<Found>) {
        for (rule, (_, lines)) in built_in().iter().zip(self.progress) {
            if !lines.is_empty() {
                rule.find_in(self.text, lines, found);
            }
        }
    }
}

/// Returns true if a word that begins or ends with `stem`, found at `at`, may be the end of a
/// secret's name. Most words with a stem mean something else, such as `keyboard` or `passing`.
fn may_end_word(stem: &str, text: &Text<'_>, at: &Range<usize>) -> bool {
    let lower = |at: usize| text.get(at).filter(u8::is_ascii_lowercase);
    match lower(at.end) {
        None => true,
        Some(b's') if stem == "pass" || lower(at.end + 1).is_some() => false,
        // The plurals `keys` and `tokens` are usually not secrets, so they need a word in front.
        Some(b's') if matches!(stem, "key" | "token") => {
            let before = at.start.checked_sub(1).and_then(|at| text.get(at));
            before.is_some_and(|b| b.is_ascii_alphanumeric() || b"_- ".contains(&b))
        }
        Some(next) => next == b's' || (stem == "pass" && b"wpc".contains(&next)),
    }
}

/// Adds the secret assigned to the name around `stem`, if any. Returns the position for finding
/// further names.
fn named_secret<'t>(
    text: &Text<'t>,
    stem: Range<usize>,
    kinds: &mut Kinds<'t>,
    read: &mut usize,
    found: &mut Vec<Found>,
) -> usize {
    let (name, mut end) = name_around(text, stem, kinds);
    let mut more = Vec::new();
    let value = name.and_then(|name| name.value(text, read, &mut more));
    for range in value.into_iter().chain(more) {
        if !is_hidden(&text.bytes[range.clone()]) {
            end = range.end;
            found.push(Found {
                range,
                rule: RuleId::ASSIGNED,
            });
        }
    }
    end
}

/// Sorts findings and joins overlapping ones.
///
/// A joined finding gets the rule of its first part, or the one listed first if several rules begin
/// there.
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

    #[test]
    fn work_grows_with_the_text_and_not_faster() {
        // Count the examined bytes instead of measuring the time, which depends on the machine.
        let examined = |piece: &str, length: usize| {
            let bytes = piece.repeat(length / piece.len());
            let text = Text::new(bytes.as_bytes());
            scan_places(&text, &[all(text.bytes)]);
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
            assert!(more <= some * 5, "{piece:?}: {some}, {more}");
            assert!(some < (16 << 10) * 1000, "{piece:?}: {some}");
        }
    }

    #[test]
    fn secret_behind_many_keywords_is_found() {
        let secret = format!(
            "ghp_{}",
            "x9Kq2LmZ7vTb4WcY8nRd".repeat(2).get(..36).unwrap()
        );
        let text = format!("{}\n{secret}\n", "ghp_ ".repeat(10_000));
        let found = scan_places(
            &Text::new(text.as_bytes()),
            std::slice::from_ref(&(0..text.len())),
        );
        let at = text.find(&secret).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].range, at..at + secret.len());
    }

    #[test]
    fn keyword_in_any_case_is_found() {
        let words = built_in().iter().flat_map(|rule| &rule.keywords);
        for word in words.chain(crate::words::words().stems.iter()) {
            for text in [word.to_ascii_uppercase(), word.clone()] {
                let mut is_found = false;
                keywords().for_each(text.as_bytes(), |it, _| is_found |= it.word == word);
                let keeps_case = word.bytes().any(|b| b.is_ascii_uppercase());
                assert!(is_found || (keeps_case && text != *word), "{text}");
            }
        }
    }
}
