//! Rules: their patterns, their conditions for a match, and the search for matches in a text.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{BuildError, Builder, Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::gitleaks_config::{Allowlist, Entry, from_go};
use super::judge::Judge;
use super::lead::Lead;
use super::readers::{self, Reader};
use super::{Found, RuleId};
use crate::hidden::{is_hidden, visible};
use crate::scanned_text::Text;
use crate::value::random::entropy;

/// Maximum distance of a match from its keyword on either side, in bytes, for a pattern tried
/// around it.
const AROUND: usize = 1 << 10;
/// Maximum length of the text before a keyword to match against `before`, in bytes.
const STATEMENT: usize = 208;
/// Maximum memory of a compiled pattern from a repository, in bytes.
const MAX_COMPILED: usize = 1 << 20;
/// Upper bound on the memory taken by one state of a compiled pattern, in bytes.
const STATE: usize = 64;
/// Upper bound on the number of byte sequences in a compiled range of characters.
const BYTE_SEQUENCES: usize = 32;

/// A rule for one kind of secret, built in or from a repository.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: RuleId,
    /// Keywords, at least one of which occurs in every match. A keyword with a capital is
    /// case-sensitive.
    pub(crate) keywords: Vec<String>,
    pub(crate) is_anchored: bool,
    pattern: Pattern,
    before: Option<Pattern>,
    /// Lower-case word required near a match, or empty.
    near: String,
    /// Maximum length of a match, in bytes. Defaults to `usize::MAX`.
    within: usize,
    secret: Secret,
    group: usize,
    entropy: f64,
    allowed: Vec<Allowed>,
}

/// Location of the secret: in the match (its first group, or the whole match), or in the text after
/// the match, found by a reader.
#[derive(Debug)]
enum Secret {
    Matched(Judge),
    After(Reader),
}

/// A regular expression, compiled on first use because most are never used.
#[derive(Debug)]
struct Pattern {
    text: String,
    /// Maximum memory of the compiled pattern, in bytes.
    limit: Option<usize>,
    lead: OnceLock<Option<Lead>>,
    compiled: OnceLock<Option<Regex>>,
}

/// Flavors of regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Matches bytes, as in gitleaks.
    Bytes,
    /// Matches characters, with `^` and `$` for line ends, as in `.windlass/redactions`.
    Lines,
}

impl Rule {
    fn new(id: RuleId, pattern: Pattern) -> Self {
        Self {
            id,
            keywords: Vec::new(),
            is_anchored: false,
            pattern,
            before: None,
            near: String::new(),
            within: usize::MAX,
            secret: Secret::Matched(Judge::named("")),
            group: 0,
            entropy: 0.0,
            allowed: Vec::new(),
        }
    }

    pub(crate) fn built_in(id: RuleId, entry: Entry) -> Self {
        let secret = match Reader::named(&entry.after) {
            Some(reader) => Secret::After(reader),
            None => Secret::Matched(Judge::named(&entry.judge)),
        };
        Self {
            keywords: entry.keywords,
            is_anchored: entry.reach.is_empty(),
            near: entry.near,
            within: entry.within.unwrap_or(usize::MAX),
            before: (!entry.before.is_empty()).then(|| Pattern::lazy(entry.before)),
            secret,
            ..Self::new(id, Pattern::lazy(entry.regex))
        }
    }

    pub(crate) fn own(id: RuleId, regex: Regex) -> Self {
        let pattern = Pattern {
            compiled: Some(regex).into(),
            ..Pattern::lazy(String::new())
        };
        Self::new(id, pattern)
    }

    /// Creates a rule from a repository's gitleaks configuration.
    ///
    /// # Errors
    /// Returns a message if the pattern is invalid or takes too much memory.
    pub(crate) fn configured(id: RuleId, entry: &Entry) -> Result<Self, String> {
        let pattern = from_go(&entry.regex);
        let hir = parse(&pattern).map_err(|error| error.to_string())?;
        // A configuration may contain hundreds of rules, so a pattern is only compiled once its
        // keyword occurs. Thanks to the estimate, compiling it here just to check its size is only
        // necessary in close calls.
        let pattern = Pattern {
            limit: Some(MAX_COMPILED),
            ..Pattern::lazy(pattern)
        };
        if compiled_size(&hir) > MAX_COMPILED && pattern.regex().is_none() {
            return Err("it takes too much memory: make it shorter".to_owned());
        }
        let lower = entry.keywords.iter().map(|word| word.to_lowercase());
        Ok(Self {
            keywords: lower.collect(),
            group: entry.secret_group,
            entropy: entry.entropy,
            ..Self::new(id, pattern)
        })
    }

    pub(crate) fn allow(&mut self, allowed: Allowed) {
        self.allowed.push(allowed);
    }

    pub(crate) fn may_begin(&self, text: &Text<'_>, at: &Range<usize>) -> bool {
        let lead = self.pattern.lead();
        lead.is_some_and(|lead| lead.may_begin(&text.bytes[at.start..], at.len()))
    }

    /// Tries the pattern at the keyword at `at`, and adds the secret of a match. Returns the
    /// position to continue from, or `None` without a match.
    pub(crate) fn find_at(
        &self,
        text: &Text<'_>,
        at: &Range<usize>,
        found: &mut Vec<Found>,
    ) -> Option<usize> {
        let mut attempt = |start: usize| {
            let input = self.input(text, start);
            self.attempt(text, &input, Some(at.end), found)
        };
        let next = self.may_begin(text, at).then(|| attempt(at.start));
        let next = next.flatten();
        // In a string with `\nghp_…`, the letter of the escape seems to belong to the token, so try
        // again from the backslash.
        if next.is_none() && is_escaped(text, at) {
            return attempt(at.start - 2);
        }
        next
    }

    /// Limits a search to matches that begin exactly at `start`.
    fn input<'t>(&self, text: &Text<'t>, start: usize) -> Input<'t> {
        let end = start.saturating_add(self.within).min(text.bytes.len());
        let input = Input::new(text.bytes).range(start..end);
        input.anchored(Anchored::Yes)
    }

    pub(crate) fn find_in(&self, text: &Text<'_>, range: Range<usize>, found: &mut Vec<Found>) {
        let mut from = range.start;
        while from <= range.end {
            let input = Input::new(text.bytes).range(from..range.end);
            let Some(next) = self.attempt(text, &input, None, found) else {
                break;
            };
            from = next;
        }
    }

    /// Returns the range, not before `from`, for a match around the keyword at `at`. For an
    /// unbounded pattern, the range extends to whole lines.
    pub(crate) fn around(&self, bytes: &[u8], at: &Range<usize>, from: usize) -> Range<usize> {
        let longest = self.pattern.lead().and_then(Lead::longest);
        let reach = longest.unwrap_or(AROUND).min(AROUND);
        let start = at.start.saturating_sub(reach).max(from);
        let end = at.end.saturating_add(reach).min(bytes.len());
        if longest.is_some() {
            return start..end;
        }
        let line = memchr::memrchr(b'\n', &bytes[from.min(start)..start]);
        let next = memchr::memchr(b'\n', &bytes[end..]);
        line.map_or(from, |line| from + line)..next.map_or(bytes.len(), |line| end + line + 1)
    }

    /// Adds the secrets of one match.
    ///
    /// Returns the position to continue from, even after a rejected match, or `None` without a
    /// match.
    fn attempt(
        &self,
        text: &Text<'_>,
        input: &Input<'_>,
        keyword_end: Option<usize>,
        found: &mut Vec<Found>,
    ) -> Option<usize> {
        let bytes = text.bytes;
        let regex = self.pattern.regex()?;
        // Most searches find nothing, and this one is faster because it doesn't record groups.
        regex.search_half(input)?;
        let mut secrets = Vec::new();
        let next = match &self.secret {
            Secret::Matched(judge) => {
                let mut captures = regex.create_captures();
                regex.search_captures(input, &mut captures);
                let all = captures.get_group(0)?.range();
                let groups = (1..captures.group_len()).map(|group| captures.get_group(group));
                let group = match self.group {
                    0 => groups.flatten().find(|group| !group.range().is_empty()),
                    group => captures.get_group(group),
                };
                let secret = group.map_or(all.clone(), |group| group.range());
                let value = visible(&bytes[secret.clone()]);
                let is_secret = judge.accepts(&value)
                    && entropy(&value) >= self.entropy
                    && keyword_end.is_none_or(|end| self.is_behind(bytes, end))
                    && self.is_near(bytes, &all)
                    && !self
                        .allowed
                        .iter()
                        .any(|it| it.covers(bytes, &all, &secret));
                if is_secret {
                    secrets.push(secret.clone());
                }
                secret.end
            }
            Secret::After(reader) => reader.read(text, regex.search(input)?.range(), &mut secrets),
        };
        // An empty match must not keep us here forever.
        let mut next = next.max(input.start() + 1);
        for Range { start, end } in secrets {
            if start < end && !is_hidden(&bytes[start..end]) {
                // A token may be longer than the pattern expects. Hide the rest as well.
                let end = end + readers::rest_of_token(&bytes[start..end], &bytes[end..]);
                found.push(Found {
                    range: start..end,
                    rule: self.id,
                });
                next = next.max(end);
            }
        }
        Some(next)
    }

    /// Matches the rule's `before` pattern against the text up to the keyword's end.
    ///
    /// This returns true if there is no such pattern.
    fn is_behind(&self, bytes: &[u8], keyword_end: usize) -> bool {
        let Some(regex) = self.before.as_ref().and_then(Pattern::regex) else {
            return true;
        };
        regex.is_match(&bytes[keyword_end.saturating_sub(STATEMENT)..keyword_end])
    }

    /// Returns true if the required word occurs near the match at `all`, or if no word is required.
    fn is_near(&self, bytes: &[u8], all: &Range<usize>) -> bool {
        let end = all.end.saturating_add(AROUND).min(bytes.len());
        let around = &bytes[all.start.saturating_sub(AROUND)..end];
        self.near.is_empty() || visible(around).to_lowercase().contains(&self.near)
    }
}

/// Returns true if the keyword at `at` follows an escaped line end or tab. The escape's letter
/// is not part of the word.
pub(crate) fn is_escaped(text: &Text<'_>, at: &Range<usize>) -> bool {
    matches!(text.slice(0..at.start), [.., b'\\', b'n' | b'r' | b't'])
}

#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    /// Indexes into [`built_in`](super::built_in).
    pub(crate) rules: Vec<usize>,
    any: OnceLock<Option<Regex>>,
}

impl RuleSet {
    /// Returns true if one of `rules` may match at the keyword.
    ///
    /// Most searches find nothing, so one search for all patterns is faster than one for each.
    pub(crate) fn may_match(&self, rules: &[Rule], text: &Text<'_>, at: &Range<usize>) -> bool {
        let rules = || self.rules.iter().map(|number| &rules[*number]);
        let count = rules().filter(|rule| rule.may_begin(text, at)).count();
        // A combined search is only worth it for several rules, and it can't deal with escapes.
        if count < 2 || is_escaped(text, at) {
            return true;
        }
        let compile = || {
            let patterns: Vec<_> = rules().map(|rule| rule.pattern.text.as_str()).collect();
            builder(Dialect::Bytes, None).build_many(&patterns).ok()
        };
        let longest = rules().max_by_key(|rule| rule.within);
        let input = longest.map(|rule| rule.input(text, at.start));
        let any = self.any.get_or_init(compile).as_ref();
        any.zip(input)
            .is_none_or(|(any, input)| any.search_half(&input).is_some())
    }
}

impl Pattern {
    fn lazy(text: String) -> Self {
        Self {
            text,
            limit: None,
            lead: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    }

    /// The possible first bytes of a match. They rule out a text without compiling the pattern.
    fn lead(&self) -> Option<&Lead> {
        let read = || parse(&self.text).ok().map(|hir| Lead::of(&hir));
        self.lead.get_or_init(read).as_ref()
    }

    /// Compiles the pattern. Returns `None` for an invalid one. A test makes sure that the built-in
    /// ones are valid.
    fn regex(&self) -> Option<&Regex> {
        let compiled = || compile(&self.text, Dialect::Bytes, self.limit).ok();
        self.compiled.get_or_init(compiled).as_ref()
    }
}

fn parse(pattern: &str) -> Result<Hir, Box<regex_syntax::Error>> {
    let mut parser = regex_syntax::ParserBuilder::new();
    let parsed = parser.utf8(false).unicode(false).build().parse(pattern);
    parsed.map_err(Box::new)
}

/// Estimates the memory of a compiled pattern without compiling it. Returns an upper bound, in
/// bytes.
fn compiled_size(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| {
        let sizes = parts.iter().map(compiled_size);
        sizes.fold(STATE, usize::saturating_add)
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STATE),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len().saturating_mul(STATE),
        HirKind::Class(Class::Unicode(class)) => {
            // A range of characters becomes several sequences of bytes.
            class.ranges().len().saturating_mul(STATE * BYTE_SEQUENCES)
        }
        HirKind::Repetition(repetition) => {
            let count = repetition.max.unwrap_or(repetition.min.saturating_add(1));
            let each = compiled_size(&repetition.sub).saturating_add(2 * STATE);
            each.saturating_mul(count as usize).saturating_add(STATE)
        }
        HirKind::Capture(capture) => compiled_size(&capture.sub).saturating_add(2 * STATE),
        HirKind::Concat(parts) => sum(parts),
        HirKind::Alternation(parts) => sum(parts).saturating_add(parts.len() * STATE),
    }
}

/// Compiles a repository's pattern. Anyone can commit one, so its memory is limited.
pub(crate) fn compile_own(pattern: &str, dialect: Dialect) -> Result<Regex, Box<BuildError>> {
    compile(pattern, dialect, Some(MAX_COMPILED))
}

fn compile(
    pattern: &str,
    dialect: Dialect,
    limit: Option<usize>,
) -> Result<Regex, Box<BuildError>> {
    builder(dialect, limit).build(pattern).map_err(Box::new)
}

fn builder(dialect: Dialect, limit: Option<usize>) -> Builder {
    let is_lines = dialect == Dialect::Lines;
    let syntax = syntax::Config::new().utf8(false).unicode(is_lines);
    let mut builder = Regex::builder();
    builder
        .configure(Config::new().utf8_empty(false).nfa_size_limit(limit))
        .syntax(syntax.multi_line(is_lines).crlf(is_lines));
    builder
}

/// Exceptions for matches that are not secrets, compiled from an [`Allowlist`].
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    regexes: Vec<Regex>,
    stopwords: Vec<String>,
    target: String,
    needs_all: bool,
    is_of_paths: bool,
}

impl Allowed {
    pub(crate) fn matching(regex: Regex) -> Self {
        Self {
            regexes: vec![regex],
            ..Self::default()
        }
    }

    pub(crate) fn compile(list: Allowlist) -> Result<Self, Box<BuildError>> {
        let patterns = list.regexes.iter();
        let regexes = patterns.map(|it| compile_own(&from_go(it), Dialect::Bytes));
        let lower = list.stopwords.iter().map(|word| word.to_lowercase());
        Ok(Self {
            regexes: regexes.collect::<Result<_, _>>()?,
            stopwords: lower.collect(),
            target: list.regex_target,
            needs_all: list.condition.eq_ignore_ascii_case("and"),
            is_of_paths: !list.paths.is_empty(),
        })
    }

    /// Returns true if the `secret` of a match at `all` is allowed. Texts lack a path here, so a
    /// condition on paths never holds.
    pub(crate) fn covers(&self, bytes: &[u8], all: &Range<usize>, secret: &Range<usize>) -> bool {
        let target = match self.target.as_str() {
            "match" => all.clone(),
            "line" => {
                let start = memchr::memrchr(b'\n', &bytes[..all.start]).map_or(0, |at| at + 1);
                let end = memchr::memchr(b'\n', &bytes[all.end..]);
                start..end.map_or(bytes.len(), |at| all.end + at)
            }
            _ => secret.clone(),
        };
        let by_regex = self
            .regexes
            .iter()
            .any(|it| it.is_match(&bytes[target.clone()]));
        let value = visible(&bytes[secret.clone()]).to_lowercase();
        let by_word = self.stopwords.iter().any(|word| value.contains(word));
        if !self.needs_all {
            return by_regex || by_word;
        }
        !self.is_of_paths
            && (by_regex || self.regexes.is_empty())
            && (by_word || self.stopwords.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::built_in;

    #[test]
    fn built_in_rules_compile_and_match_something() {
        for rule in built_in() {
            let name = rule.id.name();
            assert!(!rule.keywords.is_empty(), "{name}");
            assert!(name.len() <= crate::mark::LONGEST_NAME, "{name}");
            let regex = rule.pattern.regex().expect(name);
            assert!(!regex.is_match(""), "{name}");
            if let Some(before) = &rule.before {
                assert!(before.regex().is_some(), "{name}");
            }
        }
    }
}
