//! The rules of gitleaks, read from its own file and applied like in gitleaks: with keywords,
//! pattern, entropy and allowlists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::Error;

/// Maximum size of a compiled pattern, in bytes.
const SIZE: usize = 256 << 20;

#[derive(Deserialize)]
struct File {
    allowlist: Option<Allowed>,
    #[serde(default)]
    allowlists: Vec<Allowed>,
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    regex: Option<String>,
    path: Option<String>,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    allowlists: Vec<Allowed>,
    #[serde(skip)]
    pattern: OnceLock<Option<Regex>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Allowed {
    condition: String,
    regex_target: String,
    regexes: Vec<String>,
    paths: Vec<String>,
    stopwords: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<(Vec<Regex>, Vec<Regex>)>,
}

pub(super) struct Peer {
    rules: Vec<Rule>,
    allowed: Vec<Allowed>,
    /// Rules with a pattern that doesn't compile here, and the reason.
    pub(super) unusable: BTreeMap<String, String>,
}

impl Peer {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let file: File = toml::from_str(&std::fs::read_to_string(path)?)?;
        let mut unusable = BTreeMap::new();
        for rule in &file.rules {
            if let Some(Err(error)) = rule.regex.as_deref().map(compiled) {
                unusable.insert(rule.id.clone(), error.to_string());
            }
        }
        Ok(Self {
            rules: file.rules,
            allowed: file.allowlist.into_iter().chain(file.allowlists).collect(),
            unusable,
        })
    }

    /// Finds the lines of `text` with a secret, and the rule for each. Pass an empty `name` for an
    /// example, to skip the allowlists for paths.
    pub(super) fn lines(&self, name: &str, text: &str) -> BTreeSet<(u32, String)> {
        if !name.is_empty() && self.allowed.iter().any(|it| any(&it.compiled().1, name)) {
            return BTreeSet::new();
        }
        let lower = text.to_lowercase();
        let mut found: Vec<(u32, &Rule, String)> = Vec::new();
        for rule in &self.rules {
            let is_likely = rule.keywords.is_empty()
                || rule
                    .keywords
                    .iter()
                    .any(|word| lower.contains(&word.to_lowercase()));
            if is_likely && rule.is_for(name) {
                self.apply(rule, name, text, &mut found);
            }
        }
        let is_better = |line: u32, secret: &str| {
            found.iter().any(|(at, rule, other)| {
                *at == line && !rule.id.contains("generic") && other.contains(secret)
            })
        };
        let kept = found.iter().filter(|(line, rule, secret)| {
            !rule.id.contains("generic") || !is_better(*line, secret)
        });
        kept.map(|(line, rule, _)| (*line, rule.id.clone()))
            .collect()
    }

    fn apply<'p>(
        &self,
        rule: &'p Rule,
        name: &str,
        text: &str,
        found: &mut Vec<(u32, &'p Rule, String)>,
    ) {
        let Some(pattern) = rule.pattern() else {
            return;
        };
        for groups in pattern.captures_iter(text.as_bytes()) {
            let Some(all) = groups.get(0) else { continue };
            let group = match rule.secret_group {
                0 => (1..groups.len())
                    .filter_map(|at| groups.get(at))
                    .find(|it| !it.is_empty()),
                at => groups.get(at),
            };
            let as_text =
                |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_matches('\n').to_owned();
            let whole = as_text(all.as_bytes());
            let secret = group.map_or_else(|| whole.clone(), |it| as_text(it.as_bytes()));
            if rule.entropy > 0.0 && entropy(&secret) <= rule.entropy {
                continue;
            }
            let start = text[..all.start()].rfind('\n').map_or(0, |at| at + 1);
            let end = text[all.end()..]
                .find('\n')
                .map_or(text.len(), |at| all.end() + at);
            let line = &text[start..end];
            let lists = self.allowed.iter().chain(&rule.allowlists);
            if line.contains("gitleaks:allow")
                || lists
                    .into_iter()
                    .any(|it| it.allows(name, &secret, &whole, line))
            {
                continue;
            }
            let number = text[..all.start()].matches('\n').count() + 1;
            found.push((u32::try_from(number).unwrap_or(u32::MAX), rule, secret));
        }
    }
}

impl Rule {
    fn is_for(&self, name: &str) -> bool {
        let Some(path) = self.path.as_deref().filter(|_| !name.is_empty()) else {
            return true;
        };
        compiled(path).is_ok_and(|path| path.is_match(name.as_bytes()))
    }

    fn pattern(&self) -> Option<&Regex> {
        let made = || self.regex.as_deref().and_then(|it| compiled(it).ok());
        self.pattern.get_or_init(made).as_ref()
    }
}

impl Allowed {
    /// The patterns for values and those for paths.
    fn compiled(&self) -> &(Vec<Regex>, Vec<Regex>) {
        let all =
            |patterns: &[String]| patterns.iter().filter_map(|it| compiled(it).ok()).collect();
        self.compiled
            .get_or_init(|| (all(&self.regexes), all(&self.paths)))
    }

    fn allows(&self, name: &str, secret: &str, whole: &str, line: &str) -> bool {
        let target = match self.regex_target.as_str() {
            "match" => whole,
            "line" => line,
            _ => secret,
        };
        let (regexes, paths) = self.compiled();
        let by_regex = any(regexes, target);
        let lower = secret.to_lowercase();
        let by_word = self
            .stopwords
            .iter()
            .any(|word| lower.contains(&word.to_lowercase()));
        let by_path = !name.is_empty() && any(paths, name);
        if self.condition != "AND" {
            return by_regex || by_word || by_path;
        }
        (self.regexes.is_empty() || by_regex)
            && (self.stopwords.is_empty() || by_word)
            && (self.paths.is_empty() || by_path)
    }
}

fn any(patterns: &[Regex], text: &str) -> bool {
    patterns.iter().any(|it| it.is_match(text.as_bytes()))
}

/// Compiles a pattern in Go's syntax.
///
/// Classes are limited to ASCII, and a brace is literal unless it begins a repetition.
fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    let mut escaped = String::new();
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                escaped.push(c);
                escaped.extend(chars.next());
                continue;
            }
            // Inside a class, Go takes a bracket literally.
            '[' if in_class && chars.peek() != Some(&':') => escaped.push('\\'),
            '[' => in_class = true,
            ']' => in_class = false,
            '{' if !in_class && !chars.peek().is_some_and(char::is_ascii_digit) => {
                escaped.push('\\');
            }
            _ => {}
        }
        escaped.push(c);
        if c == '[' && in_class && chars.peek() == Some(&':') {
            // `[:alnum:]` ends with its own bracket.
            for c in chars.by_ref() {
                escaped.push(c);
                if c == ']' {
                    break;
                }
            }
        }
    }
    RegexBuilder::new(&escaped)
        .unicode(false)
        .size_limit(SIZE)
        .dfa_size_limit(SIZE)
        .build()
}

/// Shannon entropy of `text`, in bits per character.
#[expect(clippy::cast_precision_loss, reason = "a text is short")]
fn entropy(text: &str) -> f64 {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    text.chars()
        .for_each(|c| *counts.entry(c).or_default() += 1);
    let all = text.chars().count() as f64;
    let bits = counts.values().map(|count| {
        let share = *count as f64 / all;
        -share * share.log2()
    });
    bits.sum()
}
