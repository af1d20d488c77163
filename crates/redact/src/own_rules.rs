//! A repository's rules beside the built-in ones, in `.windlass/redactions` or a gitleaks
//! configuration.
//!
//! Each line of `.windlass/redactions` is a rule: a kind, a colon and a regular expression. The
//! value is the expression's first group, or the whole match without a group. For example,
//! `internal-id: id=(\d{8})` hides the digits after `id=`. `!kind: pattern` leaves matching values
//! of that kind alone, and `!: pattern` those of all kinds in the file.
//!
//! The file cannot change the built-in kinds: any committer can write it, and could thus reveal
//! their hidden values. For the same reason, the allowlists of `.gitleaks.toml` only count if the
//! caller trusts the file.
//!
//! A repository's rules apply to all output of this process, because some texts are not files of
//! any repository, such as a message or the output of a program. Additional rules only hide more,
//! so they do no harm. Trusted allowlists reveal values, so they only apply as long as no second
//! repository is open.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use regex_automata::meta::{BuildError, Regex};
use windlass_base::Digest;

use crate::mark::LONGEST_NAME;
use crate::rules::gitleaks_config::{Allowlist, Config};
use crate::rules::rule::{Allowed, Dialect, Rule, compile_own};
use crate::rules::{Found, RuleId, is_built_in};
use crate::scanned_text::Text;

/// Maximum number of lines in `.windlass/redactions`: rules and exceptions.
const MAX_RULES: usize = 200;
/// Maximum number of rules in a gitleaks configuration. The one supplied with gitleaks contains
/// 222.
const MAX_CONFIGURED: usize = 1_000;
/// Maximum length of a pattern, in bytes.
const MAX_PATTERN: usize = 4 << 10;

/// An invalid line in a repository's rules.
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct OwnRuleError {
    /// Line number, 1-based.
    pub line: usize,
    /// Column in characters, 1-based.
    pub column: usize,
    /// The problem, for the user.
    pub message: String,
}

/// A repository's rules. They apply once [installed](Self::install).
#[derive(Debug, Default)]
pub struct OwnRules {
    rules: Vec<Rule>,
    /// Values never to report, not even by built-in rules.
    allowed: Vec<Allowed>,
    digest: Option<Digest>,
    allowlists: Option<Digest>,
}

/// The parts of a line in `.windlass/redactions`.
struct Line<'a> {
    kind: &'a str,
    pattern: &'a str,
    allows: bool,
    number: usize,
    /// Columns of kind and pattern, in characters and 1-based.
    columns: (usize, usize),
}

impl OwnRules {
    /// Parses `.windlass/redactions`.
    ///
    /// # Errors
    /// Returns an error with its position for an invalid line, and for a file that is not UTF-8.
    pub fn parse(bytes: &[u8]) -> Result<Self, OwnRuleError> {
        let text = utf8(bytes)?;
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            lines.extend(read_line(number, line)?);
            if lines.len() > MAX_RULES {
                let message = format!("there are more than {MAX_RULES} rules");
                return Err(wrong(number, 1, message));
            }
        }
        let mut rules: Vec<Rule> = Vec::new();
        for line in lines.iter().filter(|line| !line.allows) {
            rules.push(Rule::own(RuleId::own(line.kind), compiled(line)?));
        }
        // An exception may precede the rules that it applies to.
        for line in lines.iter().filter(|line| line.allows) {
            let pattern = compiled(line)?;
            let is_meant = |rule: &&mut Rule| line.kind.is_empty() || rule.id.name() == line.kind;
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
            meant.for_each(|rule| rule.allow(Allowed::matching(pattern.clone())));
        }
        Ok(Self {
            rules,
            digest: Some(Digest::of_bytes(text.as_bytes())),
            ..Self::default()
        })
    }

    /// Adds the rules of a gitleaks configuration, and its allowlists if the caller trusts the
    /// file.
    ///
    /// # Errors
    /// Returns an error for an invalid configuration or pattern.
    pub fn add_gitleaks(&mut self, bytes: &[u8], is_trusted: bool) -> Result<(), OwnRuleError> {
        let text = utf8(bytes)?;
        let config: Config = toml::from_str(text).map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            let (line, column) = place(&bytes[..at.min(bytes.len())]);
            wrong(line, column, error.message().to_owned())
        })?;
        let refuse = |name: &str, error: &BuildError| wrong(1, 1, format!("`{name}`: {error}"));
        let lists = config.lists.into_all();
        let mut has_lists = !lists.is_empty();
        let is_limited = |list: &Allowlist| !list.target_rules.is_empty();
        let (limited, lists): (Vec<_>, Vec<_>) = lists.into_iter().partition(is_limited);
        if config.rules.len() > MAX_CONFIGURED {
            let message = format!("there are more than {MAX_CONFIGURED} rules");
            return Err(wrong(1, 1, message));
        }
        for mut entry in config.rules {
            let own = std::mem::take(&mut entry.lists).into_all();
            has_lists |= !own.is_empty();
            // A rule that only tests paths doesn't find any values.
            if entry.regex.is_empty() {
                continue;
            }
            let name = kind_of(&entry.id);
            let rule = Rule::configured(RuleId::own(&name), &entry);
            let mut rule = rule.map_err(|error| {
                // The file contains the pattern verbatim, unless it's written with escapes. Report
                // the position of the rule's name then.
                let at = text.find(&entry.regex).or_else(|| text.find(&entry.id));
                let (line, column) = place(&bytes[..at.unwrap_or(0)]);
                wrong(line, column, format!("`{}`: {error}", entry.id))
            })?;
            let is_meant = |list: &&Allowlist| list.target_rules.contains(&entry.id);
            let of_others = limited.iter().filter(is_meant).cloned();
            for list in own.into_iter().chain(of_others).filter(|_| is_trusted) {
                rule.allow(Allowed::compile(list).map_err(|error| refuse(&name, &error))?);
            }
            self.rules.push(rule);
        }
        for list in lists.into_iter().filter(|_| is_trusted) {
            let list = Allowed::compile(list).map_err(|error| refuse("allowlist", &error))?;
            self.allowed.push(list);
        }
        let digest = Digest::of_bytes(bytes);
        let known = self
            .digest
            .map(|known| known.to_string())
            .unwrap_or_default();
        let all = format!("{known} {digest} {is_trusted}");
        self.digest = Some(Digest::of_bytes(all.as_bytes()));
        self.allowlists = has_lists.then_some(digest);
        Ok(())
    }

    /// The digest of the gitleaks configuration. `None` if it does not contain any allowlists for
    /// the user to trust.
    #[must_use]
    pub fn allowlists(&self) -> Option<Digest> {
        self.allowlists
    }

    /// Applies the rules to all texts of this process from now on. They replace earlier rules of
    /// the same `owner`.
    pub fn install(self: &Arc<Self>, owner: &OsStr) {
        let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|(known, _)| known != owner);
        opened.push((owner.to_owned(), Arc::clone(self)));
        let has_rules =
            |(_, own): &(_, Arc<Self>)| !own.rules.is_empty() || !own.allowed.is_empty();
        HAS_RULES.store(opened.iter().any(has_rules), Ordering::Release);
    }

    /// Digest of all parsed files and of the trust in them. `None` without any file.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    fn find(&self, text: &Text<'_>, found: &mut Vec<Found>) {
        // Keywords match in any case. Convert the text once for all rules, and only if needed.
        let needs_words = self.rules.iter().any(|rule| !rule.keywords.is_empty());
        let lower = needs_words.then(|| text.bytes.to_ascii_lowercase());
        for rule in &self.rules {
            let occurs = |word: &String| {
                let lower = lower.as_deref().unwrap_or_default();
                memchr::memmem::find(lower, word.as_bytes()).is_some()
            };
            if rule.keywords.is_empty() || rule.keywords.iter().any(occurs) {
                rule.find_in(text, 0..text.bytes.len(), found);
            }
        }
    }
}

fn wrong(line: usize, column: usize, message: String) -> OwnRuleError {
    OwnRuleError {
        line,
        column,
        message,
    }
}

/// Returns the line and column (1-based) of the byte after `before` in a file.
fn place(before: &[u8]) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
    (line, column)
}

fn utf8(bytes: &[u8]) -> Result<&str, OwnRuleError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (line, column) = place(&bytes[..error.valid_up_to()]);
        wrong(line, column, "it is not UTF-8".to_owned())
    })
}

/// Turns the id of a gitleaks rule into a name for marks, e.g. `AWS_Key` into `aws-key`.
fn kind_of(id: &str) -> String {
    let in_kind = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_lowercase() || c.is_ascii_digit() => c,
        _ => '-',
    };
    let kind: String = id.chars().take(LONGEST_NAME).map(in_kind).collect();
    if kind.is_empty() {
        "own-rule".to_owned()
    } else {
        kind
    }
}

/// Parses a line. Returns `None` for a blank line or a comment.
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

/// Compiles the pattern of a line. The column of an error is the one in the file, not in the
/// pattern.
fn compiled(line: &Line<'_>) -> Result<Regex, OwnRuleError> {
    let refuse =
        |within: usize, message: String| wrong(line.number, line.columns.1 + within - 1, message);
    let regex = compile_own(line.pattern, Dialect::Lines).map_err(|error| {
        if error.size_limit().is_some() {
            return refuse(1, "it takes too much memory: make it shorter".to_owned());
        }
        match error.syntax_error() {
            Some(regex_syntax::Error::Parse(error)) => {
                refuse(error.span().start.column, error.kind().to_string())
            }
            Some(regex_syntax::Error::Translate(error)) => {
                refuse(error.span().start.column, error.kind().to_string())
            }
            _ => refuse(1, error.to_string()),
        }
    })?;
    if regex.is_match("") {
        return Err(refuse(1, "it matches the empty text".to_owned()));
    }
    Ok(regex)
}

/// The rules of all repositories opened by this process, by owner.
static OPENED: RwLock<Vec<(OsString, Arc<OwnRules>)>> = RwLock::new(Vec::new());
/// False until a repository installs rules. It saves scans the lock on [`OPENED`].
static HAS_RULES: AtomicBool = AtomicBool::new(false);

pub(crate) fn find(text: &Text<'_>, found: &mut Vec<Found>) {
    if !HAS_RULES.load(Ordering::Acquire) {
        return;
    }
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    for (_, rules) in opened.iter() {
        rules.find(text, found);
    }
}

/// Removes the values allowed by the only opened repository.
///
/// With several open, removes none, because a value allowed by one of them may be a secret in
/// another's texts.
pub(crate) fn remove_allowed(bytes: &[u8], found: &mut Vec<Found>) {
    if !HAS_RULES.load(Ordering::Acquire) {
        return;
    }
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    if let [(_, own)] = opened.as_slice() {
        let covers = |found: &Found| {
            own.allowed
                .iter()
                .any(|it| it.covers(bytes, &found.range, &found.range))
        };
        found.retain(|found| !covers(found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rules: &str, text: &str) -> Vec<String> {
        let rules = OwnRules::parse(rules.as_bytes()).unwrap();
        let mut found = Vec::new();
        rules.find(&Text::new(text.as_bytes()), &mut found);
        let shown = |it: &Found| format!("{}: {}", it.rule.name(), &text[it.range.clone()]);
        found.iter().map(shown).collect()
    }

    #[test]
    fn own_rule_with_allowlist_finds_the_rest() {
        let rules = "# ours\n\nticket: \\bACME-([0-9]{6})\\b\nhost: ^[a-z]+\\.corp$\n!ticket: ^000\n!: ^public\n";
        assert_eq!(
            found(
                rules,
                "see ACME-123456, ACME-000001\r\nbuild.corp\r\npublic.corp\nx build.corp"
            ),
            ["ticket: 123456", "host: build.corp"]
        );
        // A match may extend over the end of a line.
        assert_eq!(found("x: a\\s+b", "a\nb"), ["x: a\nb"]);
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
            ("ticket: x*", "1:9: it matches the empty text"),
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
    fn backtracking_pattern_takes_no_time() {
        let text = "a".repeat(200_000);
        assert!(found("slow: (a+)+b|(a|aa)+c", &text).is_empty());
    }

    #[test]
    fn gitleaks_rule_too_large_is_refused_with_its_place() {
        let refusal = |pattern: &str| {
            let config = format!("[[rules]]\nid = \"big\"\nregex = '{pattern}'\n");
            let added = OwnRules::default().add_gitleaks(config.as_bytes(), false);
            added.err().map(|error| error.to_string())
        };
        for large in [
            r"(\w{900}){900}",
            "((a{1000}){1000}){1000}",
            "(a|b.c){99999}",
        ] {
            let refused = refusal(large).unwrap_or_default();
            assert!(
                refused.starts_with("3:10: `big`: it takes too much memory"),
                "{large}: {refused}"
            );
        }
        assert!(refusal("(a").unwrap().starts_with("3:10: `big`: "));
        // The estimated size is large, but within the limit.
        assert_eq!(refusal(r"\w{3500}"), None);
        assert_eq!(refusal(r"pypi-[\w-]{50,1000}"), None);
    }

    #[test]
    fn gitleaks_allowlists_count_only_if_trusted() {
        let config = r#"
[[allowlists]]
stopwords = ["public"]
[[allowlists]]
targetRules = ["another"]
stopwords = ["123456"]
[[allowlists]]
targetRules = ["Acme ticket"]
stopwords = ["765432"]
[[rules]]
id = "Acme ticket"
regex = '\bACME-(\d{6}|public)\b'
keywords = ["ACME-"]
entropy = 1.0
[[rules.allowlists]]
regexes = ['^000']
[[rules]]
id = "paths alone"
path = '\.pem$'
"#;
        let text = "ACME-123456 ACME-000123 ACME-111111 ACME-public ACME-765432";
        let found = |is_trusted| {
            let mut rules = OwnRules::default();
            rules.add_gitleaks(config.as_bytes(), is_trusted).unwrap();
            assert!(rules.allowlists().is_some() && rules.digest().is_some());
            let mut found = Vec::new();
            rules.find(&Text::new(text.as_bytes()), &mut found);
            let values = found.iter().map(|it| &text[it.range.clone()]);
            values.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found(false), ["123456", "000123", "public", "765432"]);
        assert_eq!(found(true), ["123456", "public"]);
        let error = OwnRules::default().add_gitleaks(b"[[rules]]\nid = 1\n", false);
        assert!(error.unwrap_err().to_string().starts_with("2:6: "));
    }
}
