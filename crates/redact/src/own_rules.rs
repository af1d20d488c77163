//! A repository's own rules: which values are secret there, beside those that the table knows.
//!
//! One stands on a line: the kind, a colon, and a regular expression, whose first group is the
//! value, or all of it. `!kind: pattern` leaves values of that kind alone that match; `!: pattern` those of all own kinds. Nothing
//! can be said of the built-in kinds: whoever can commit to a repository can write the file, and would show what it hides.
//!
//! A rule is tried on each line by itself, so that it never reaches over the end of one; what is meant to is refused. What one repository hides is hidden in
//! all that this process shows: rules only add, and texts that are no files (what a program printed, a message) belong to none.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};
use windlass_base::Digest;

use crate::hidden::is_hidden;
use crate::mark::LONGEST_NAME;
use crate::rules::{Found, RuleId, is_built_in};

/// The most rules, those that leave values alone included.
const MAX_RULES: usize = 200;
/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 4 << 10;
/// The most memory that a pattern takes when it is ready, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// A line of a repository's own rules that is none.
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct OwnRuleError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong with it.
    pub message: String,
}

/// A repository's own rules.
#[derive(Debug, Default)]
pub struct OwnRules {
    /// Whether any rule may match.
    any: Option<RegexSet>,
    rules: Vec<OwnRule>,
    digest: Option<Digest>,
}

#[derive(Debug)]
struct OwnRule {
    id: RuleId,
    pattern: Regex,
    /// Values that are left alone.
    allowed: Vec<Regex>,
}

/// A line that is a rule: what it says, and where.
struct Line<'a> {
    kind: &'a str,
    pattern: &'a str,
    allows: bool,
    number: usize,
    /// Where kind and pattern begin, in characters from 1.
    columns: (usize, usize),
}

impl OwnRules {
    /// The rules in `bytes`, a text in UTF-8.
    ///
    /// # Errors
    /// When a line is no rule, with its place.
    pub fn parse(bytes: &[u8]) -> Result<Self, OwnRuleError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let start = before
                .iter()
                .rposition(|b| *b == b'\n')
                .map_or(0, |at| at + 1);
            let before_it = String::from_utf8_lossy(&before[start..]);
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            let column = 1 + before_it.chars().count();
            wrong(line, column, "it is not UTF-8".to_owned())
        })?;
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            lines.extend(read_line(number, line)?);
            if lines.len() > MAX_RULES {
                let message = format!("there are more than {MAX_RULES} rules");
                return Err(wrong(number, 1, message));
            }
        }
        let mut rules: Vec<OwnRule> = Vec::new();
        for line in lines.iter().filter(|line| !line.allows) {
            rules.push(OwnRule {
                id: RuleId::own(line.kind),
                pattern: compiled(line)?,
                allowed: Vec::new(),
            });
        }
        for line in lines.iter().filter(|line| line.allows) {
            let pattern = compiled(line)?;
            let is_meant =
                |rule: &&mut OwnRule| line.kind.is_empty() || rule.id.name() == line.kind;
            let mut meant = rules.iter_mut().filter(is_meant).peekable();
            if meant.peek().is_none() {
                let kind = line.kind;
                let message = match is_built_in(kind) {
                    true => {
                        format!("`{kind}` is built in, and what that finds is never left alone")
                    }
                    false => format!("no rule here is called `{kind}`"),
                };
                return Err(wrong(line.number, line.columns.0, message));
            }
            meant.for_each(|rule| rule.allowed.push(pattern.clone()));
        }
        let patterns = lines.iter().filter(|line| !line.allows);
        let any = RegexSetBuilder::new(patterns.map(|line| line.pattern))
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_COMPILED * 8)
            .build()
            .map_err(|_| wrong(1, 1, "the rules are too large together".to_owned()))?;
        Ok(Self {
            any: (!rules.is_empty()).then_some(any),
            rules,
            digest: Some(Digest::of_bytes(text.as_bytes())),
        })
    }

    /// Lets them count from now on, in place of those that `owner` had.
    pub fn install(self: &Arc<Self>, owner: &OsStr) {
        if self.rules.is_empty() && !HAS_RULES.load(Ordering::Acquire) {
            return;
        }
        let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|(known, _)| known != owner);
        if !self.rules.is_empty() {
            opened.push((owner.to_owned(), Arc::clone(self)));
        }
        HAS_RULES.store(!opened.is_empty(), Ordering::Release);
    }

    /// The digest of their text; none where nobody gave one.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Finds the values in `bytes`, each on one line.
    fn find(&self, bytes: &[u8], found: &mut Vec<Found>) {
        let Some(any) = self.any.as_ref().filter(|any| any.is_match(bytes)) else {
            return;
        };
        for line in lines(bytes) {
            for at in &any.matches(&bytes[line.clone()]) {
                if let Some(rule) = self.rules.get(at) {
                    rule.find(&bytes[line.clone()], line.start, found);
                }
            }
        }
    }
}

impl OwnRule {
    fn find(&self, line: &[u8], offset: usize, found: &mut Vec<Found>) {
        for captures in self.pattern.captures_iter(line) {
            let group = captures.iter().skip(1).flatten().next();
            let Some(value) = group.or_else(|| captures.get(0)) else {
                continue;
            };
            let is_left = self.allowed.iter().any(|it| it.is_match(value.as_bytes()));
            if !value.is_empty() && !is_left && !is_hidden(value.as_bytes()) {
                found.push(Found {
                    range: offset + value.start()..offset + value.end(),
                    rule: self.id,
                });
            }
        }
    }
}

/// The lines of a text, without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(from..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let start = from;
        from += length + 1;
        let text = &rest[..length];
        let length = text.strip_suffix(b"\r").unwrap_or(text).len();
        Some(start..start + length)
    })
}

fn wrong(line: usize, column: usize, message: String) -> OwnRuleError {
    OwnRuleError {
        line,
        column,
        message,
    }
}

/// What a line says; nothing where it is blank or a comment.
fn read_line(number: usize, line: &str) -> Result<Option<Line<'_>>, OwnRuleError> {
    let text = line.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let column = |part: &str| {
        let before = &line[..part.as_ptr() as usize - line.as_ptr() as usize];
        before.chars().count() + 1
    };
    let Some((kind, pattern)) = text.split_once(':') else {
        let message = "a rule is a kind, a colon and a regular expression: `ticket: ACME-[0-9]{6}`";
        return Err(wrong(number, column(text), message.to_owned()));
    };
    let (allows, kind) = match kind.strip_prefix('!') {
        Some(kind) => (true, kind.trim()),
        None => (false, kind.trim()),
    };
    let pattern = pattern.trim();
    let line = Line {
        kind,
        pattern,
        allows,
        number,
        columns: (column(kind), column(pattern)),
    };
    let refuse = |column: usize, message: String| Err(wrong(number, column, message));
    let is_name = |kind: &str| {
        let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        kind.len() <= LONGEST_NAME && kind.bytes().all(is_part) && !kind.starts_with('-')
    };
    if !is_name(kind) || kind.is_empty() && !allows {
        let message = format!(
            "`{kind}` is no kind: lower case letters, digits and hyphens, {LONGEST_NAME} at most"
        );
        return refuse(line.columns.0, message);
    }
    if !allows && is_built_in(kind) {
        let message = format!("`{kind}` is a kind that is built in: choose another name");
        return refuse(line.columns.0, message);
    }
    if pattern.is_empty() || pattern.len() > MAX_PATTERN {
        let message = format!("a regular expression has from 1 to {MAX_PATTERN} bytes");
        return refuse(line.columns.1, message);
    }
    Ok(Some(line))
}

/// The pattern of a line, ready.
fn compiled(line: &Line<'_>) -> Result<Regex, OwnRuleError> {
    let refuse = |within: usize, message: String| {
        Err(wrong(line.number, line.columns.1 + within - 1, message))
    };
    let parsed = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .crlf(true)
        .build()
        .parse(line.pattern);
    let hir = match parsed {
        Ok(hir) => hir,
        Err(regex_syntax::Error::Parse(error)) => {
            return refuse(error.span().start.column, error.kind().to_string());
        }
        Err(regex_syntax::Error::Translate(error)) => {
            return refuse(error.span().start.column, error.kind().to_string());
        }
        Err(error) => return refuse(1, error.to_string()),
    };
    let looks = hir.properties().look_set();
    if looks.contains(Look::Start) || looks.contains(Look::End) {
        let message = "a rule is tried on each line: write `^` and `$` for its ends";
        return refuse(1, message.to_owned());
    }
    if hir.properties().minimum_len() == Some(0) {
        return refuse(1, "it matches where nothing stands".to_owned());
    }
    if !matches_within_line(&hir) {
        let message = "each line is looked at by itself, and this matches only over the end of one: write a rule for each line";
        return refuse(1, message.to_owned());
    }
    if means_line_ends(&hir) {
        let message = "each line is looked at by itself, and this is meant to go over the end of one (`(?s)`, `[\\s\\S]`): \
                       write `.` without `(?s)`, or a rule for each line";
        return refuse(1, message.to_owned());
    }
    let built = RegexBuilder::new(line.pattern)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_COMPILED)
        .build();
    built.or_else(|_| refuse(1, "it takes too much memory: make it shorter".to_owned()))
}

/// Whether something without the end of a line can match.
fn matches_within_line(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => !literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => class
            .iter()
            .any(|it| it.start() != '\n' || it.end() != '\n'),
        HirKind::Class(Class::Bytes(class)) => class
            .iter()
            .any(|it| it.start() != b'\n' || it.end() != b'\n'),
        HirKind::Repetition(repetition) => {
            repetition.min == 0 || matches_within_line(&repetition.sub)
        }
        HirKind::Capture(capture) => matches_within_line(&capture.sub),
        HirKind::Concat(parts) => parts.iter().all(matches_within_line),
        HirKind::Alternation(parts) => parts.iter().any(matches_within_line),
    }
}

/// Whether a part of it is any character, the end of a line as well: who writes that wants more than a line.
fn means_line_ends(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) => false,
        // `.` is not the first half of the end of a line on Windows either.
        HirKind::Class(class) => has_all_but(class, b"\r"),
        HirKind::Repetition(repetition) => means_line_ends(&repetition.sub),
        HirKind::Capture(capture) => means_line_ends(&capture.sub),
        HirKind::Concat(parts) => parts.iter().any(means_line_ends),
        HirKind::Alternation(parts) => {
            let is_dot =
                |part: &Hir| matches!(part.kind(), HirKind::Class(it) if has_all_but(it, b"\r\n"));
            let has_other_half = || parts.iter().any(|part| !matches_within_line(part));
            parts.iter().any(means_line_ends) || (parts.iter().any(is_dot) && has_other_half())
        }
    }
}

/// Whether all are in a class but some of `these`.
fn has_all_but(class: &Class, these: &[u8]) -> bool {
    let is_one = |start: u32, end: u32| start == end && these.iter().any(|b| u32::from(*b) == end);
    match class.clone() {
        Class::Unicode(mut class) => {
            class.negate();
            class
                .iter()
                .all(|it| is_one(it.start().into(), it.end().into()))
        }
        Class::Bytes(mut class) => {
            class.negate();
            class
                .iter()
                .all(|it| is_one(it.start().into(), it.end().into()))
        }
    }
}

/// The rules of all repositories that this process opened, by who has them.
static OPENED: RwLock<Vec<(OsString, Arc<OwnRules>)>> = RwLock::new(Vec::new());
/// Whether there is any rule.
static HAS_RULES: AtomicBool = AtomicBool::new(false);

/// Finds what the rules of all opened repositories know.
pub(crate) fn find(bytes: &[u8], found: &mut Vec<Found>) {
    if !HAS_RULES.load(Ordering::Acquire) {
        return;
    }
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    for (_, rules) in opened.iter() {
        rules.find(bytes, found);
    }
}

/// Whether any own rule knows something on a line.
pub(crate) fn may_match(line: &[u8]) -> bool {
    let mut found = Vec::new();
    find(line, &mut found);
    !found.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rules: &str, text: &str) -> Vec<String> {
        let rules = OwnRules::parse(rules.as_bytes()).unwrap();
        let mut found = Vec::new();
        rules.find(text.as_bytes(), &mut found);
        let shown = |it: &Found| format!("{}: {}", it.rule.name(), &text[it.range.clone()]);
        found.iter().map(shown).collect()
    }

    #[test]
    fn own_kinds_are_found_line_by_line_but_for_what_is_left_alone() {
        let rules = "# ours\n\nticket: \\bACME-([0-9]{6})\\b\nhost: ^[a-z]+\\.corp$\n!ticket: ^000\n!: ^public\n";
        assert_eq!(
            found(
                rules,
                "see ACME-123456, ACME-000001\r\nbuild.corp\r\npublic.corp\nx build.corp"
            ),
            ["ticket: 123456", "host: build.corp"]
        );
        // Never over the end of a line.
        assert!(found("x: a\\s+b", "a\nb").is_empty());
        assert_eq!(found("x: a\\s+b", "a  b"), ["x: a  b"]);
        assert!(found("", "ACME-123456").is_empty());
    }

    #[test]
    fn what_is_no_rule_is_told_with_its_place() {
        for (text, place) in [
            ("ticket", "1:1: a rule is a kind"),
            ("a: b\n  Ticket: x", "2:3: `Ticket` is no kind"),
            ("ticket: a(b", "1:10: unclosed group"),
            ("é: x", "1:1: `é` is no kind"),
            ("ticket: x*", "1:9: it matches where nothing stands"),
            ("ticket: \\Ax", "1:9: a rule is tried on each line"),
            (
                "ticket: one\\ntwo",
                "1:9: each line is looked at by itself, and this matches only",
            ),
            (
                "ticket: one(\\r?\\n)+two|a\\nb",
                "1:9: each line is looked at by itself, and this matches only",
            ),
            (
                "ticket: (?s)A.*?B",
                "1:9: each line is looked at by itself, and this is meant",
            ),
            (
                "ticket: A(?s:.+)B",
                "1:9: each line is looked at by itself, and this is meant",
            ),
            (
                "ticket: A[\\s\\S]*B",
                "1:9: each line is looked at by itself, and this is meant",
            ),
            (
                "ticket: A(?:.|\\n)*B",
                "1:9: each line is looked at by itself, and this is meant",
            ),
            (
                "ticket: A(?s-u:.)B",
                "1:9: each line is looked at by itself, and this is meant",
            ),
            ("ticket: (\\w{900}){900}", "1:9: it takes too much memory"),
            ("ticket:", "1:8: a regular expression has"),
            (
                "private-key: x",
                "1:1: `private-key` is a kind that is built in",
            ),
            ("!private-key: x", "1:2: `private-key` is built in"),
            ("!ticket: x", "1:2: no rule here is called `ticket`"),
        ] {
            let error = OwnRules::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(place), "{text}: {error}");
        }
        assert!(OwnRules::parse("x: y\n".repeat(201).as_bytes()).is_err());
    }

    #[test]
    fn what_matches_within_a_line_may_go_over_its_end_as_well() {
        for pattern in [
            "a\\s+b",
            "a[^x]*b",
            "a\\n?b",
            "a(\\n|-)b",
            "(a|\\n)b",
            "(?s)ab",
            "a\\Wb",
            "\\D{3}",
            "a\\b.",
        ] {
            assert!(
                OwnRules::parse(format!("x: {pattern}").as_bytes()).is_ok(),
                "{pattern}"
            );
        }
    }

    #[test]
    fn a_pattern_that_others_would_be_long_at_takes_no_time() {
        let text = "a".repeat(200_000);
        assert!(found("slow: (a+)+b|(a|aa)+c", &text).is_empty());
    }
}
