//! What must not be in a repository that others read. A finding says where and what sort, never what it says.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use windlass_base::{Diagnostic, Place, Source};
use windlass_repo::redact_text;

use crate::files::Contents;
use crate::memory::Memory;

/// How many findings of one sort are told of a file.
const MOST: usize = 20;

/// A rule, what it finds, what to do about it, and how it is known.
type Sort = (&'static str, &'static str, &'static str, Option<Regex>);

/// An address, a line of a conversation, the marks of an agent, and what a program printed when it failed.
static SORTS: LazyLock<[Sort; 5]> = LazyLock::new(|| {
    let regex = |text: &str| Regex::new(text).ok();
    [
        (
            "personal-data",
            "this looks like the e-mail address of a person",
            "name the role or the team; example.com and the like are left alone",
            regex(r"(?i)\b[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,24}\b"),
        ),
        (
            "personal-data",
            "this looks like a telephone number",
            "leave it out",
            regex(r"(?:^|[\s(])\+\d{1,3}[ ./-]?\(?\d{2,4}\)?(?:[ ./-]?\d{2,4}){2,4}\b"),
        ),
        (
            "transcript",
            "this looks like a line of a conversation",
            "keep what came of it, in your own words; transcripts belong into `memory/transcripts/`, which is not shared",
            regex(r"(?im)^\s*(?:\*\*)?(?:user|human|assistant|system|ai)(?:\*\*)?\s*:\s+\S"),
        ),
        (
            "transcript",
            "this looks like what an agent or a program passes on",
            "keep what came of it",
            regex(r"(?i)</?(?:function_calls?|tool_use|tool_result|subagent\w*|antml:\w+)\b"),
        ),
        (
            "raw-output",
            "this looks like what a program printed",
            "keep what it means; the output belongs into `memory/raw/`, which is not shared",
            regex(
                r"(?m)^(?:Traceback \(most recent call last\)|\s+at [\w.$<>]+\([\w./:-]+\)|thread '[^']*' panicked at|npm ERR!|error\[E\d{4}\])",
            ),
        ),
    ]
});

/// Addresses that are nobody's.
const NOBODY: [&str; 8] = [
    "@example.",
    "noreply@",
    "no-reply@",
    "@users.noreply.",
    "git@",
    ".example",
    "@localhost",
    "@test.",
];

/// The rules that something in `text` breaks which others should not read.
pub(crate) fn broken(text: &str) -> Vec<&'static str> {
    let mut rules: Vec<&'static str> = Vec::new();
    for (rule, .., regex) in SORTS.iter() {
        let breaks = regex.as_ref().is_some_and(|regex| {
            let mut hits = regex.find_iter(text);
            hits.any(|hit| is_somebody(rule, hit.as_str()))
        });
        if breaks && !rules.contains(rule) {
            rules.push(*rule);
        }
    }
    rules
}

/// Whether what `rule` found is of somebody: of addresses some are nobody's.
fn is_somebody(rule: &str, hit: &str) -> bool {
    rule != "personal-data" || !NOBODY.iter().any(|one| hit.to_lowercase().contains(one))
}

/// `text` without what looks like the address or number of a person.
pub(crate) fn without_personal(text: &str) -> String {
    let personal = SORTS.iter().filter(|(rule, ..)| *rule == "personal-data");
    let regexes = personal.filter_map(|(.., regex)| regex.as_ref());
    regexes.fold(text.to_owned(), |text, regex| {
        regex.replace_all(&text, " ").into_owned()
    })
}

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for contents in memory.files.files.values() {
        if let Contents::Text(source) = contents {
            secrets(source, found);
            sorts(source, found);
        }
    }
}

fn secrets(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    let (_, secrets) = redact_text(source.text());
    for secret in secrets.iter().take(MOST) {
        let range = source.line_range(secret.line as usize);
        let message = format!("a secret value (`{}`) begins on this line", secret.rule);
        found.push(Diagnostic::error("secret", message).at(Place::new(source, range.start..range.start)).help(
            "take it out, and make it worthless where it is used: it is in the history of the repository once it is committed",
        ));
    }
}

fn sorts(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    for (rule, what, help, regex) in SORTS.iter() {
        let Some(regex) = regex else {
            continue;
        };
        let hits = regex
            .find_iter(source.text())
            .filter(|hit| is_somebody(rule, hit.as_str()));
        for hit in hits.take(MOST) {
            let lead = hit.as_str().len() - hit.as_str().trim_start().len();
            let start = hit.start() + lead;
            found.push(
                Diagnostic::warning(rule, *what)
                    .at(Place::new(source, start..hit.end().max(start)))
                    .help(*help),
            );
        }
    }
}
