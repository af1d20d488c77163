//! What must not be in a repository that others read. A finding says where and what sort, never what it says.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use windlass_base::{Diagnostic, Place, Source};
use windlass_repo::redact_text;

use super::personal;
use crate::files::Contents;
use crate::memory::Memory;

/// How many findings of one sort are told of a file.
const MOST: usize = 20;

/// A rule, what it finds, what to do about it, how it is known, and whether what looks so is meant.
type Sort = (
    &'static str,
    &'static str,
    &'static str,
    Option<Regex>,
    fn(&str) -> bool,
);

/// What is of a person, a line of a conversation, the marks of an agent, and what a program printed when it failed.
/// Digits are written as `[0-9]`: `\d` is any digit of Unicode, and what judges a hit counts bytes.
static SORTS: LazyLock<[Sort; 8]> = LazyLock::new(|| {
    let regex = |text: &str| Regex::new(text).ok();
    let any: fn(&str) -> bool = |_| true;
    [
        (
            "personal-data",
            "this looks like the e-mail address of a person",
            "name the role or the team; example.com and the like are left alone",
            regex(r"(?i)\b[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,24}\b"),
            personal::is_address_of_somebody,
        ),
        (
            "personal-data",
            "this looks like a telephone number",
            "leave it out",
            regex(r"(?:^|[\s(])\+[0-9]{1,3}[ ./-]?\(?[0-9]{2,4}\)?(?:[ ./-]?[0-9]{2,4}){2,4}\b"),
            any,
        ),
        (
            "personal-data",
            "this looks like a telephone number",
            "leave it out",
            regex(
                r"(?i)(?:\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}\b|\b[0-9]{3}[.-][0-9]{3}[.-][0-9]{4}\b|\b(?:phone|tel|telephone|mobile|cell|fax)\b[.:]? *\(?0?[0-9](?:[ ()./-]{0,2}[0-9]){6,13}\b)",
            ),
            any,
        ),
        (
            "personal-data",
            "this looks like the number of an account or of a payment card",
            "leave it out",
            regex(
                r"\b(?:[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?|[0-9](?:[ -]?[0-9]){12,18})\b",
            ),
            personal::is_account,
        ),
        (
            "personal-data",
            "this looks like a number by which a state knows a person",
            "leave it out",
            regex(r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b"),
            personal::is_social_security,
        ),
        (
            "transcript",
            "this looks like a line of a conversation",
            "keep what came of it, in your own words; transcripts belong into `memory/transcripts/`, which is not shared",
            regex(r"(?im)^\s*(?:\*\*)?(?:user|human|assistant|system|ai)(?:\*\*)?\s*:\s+\S"),
            any,
        ),
        (
            "transcript",
            "this looks like what an agent or a program passes on",
            "keep what came of it",
            regex(r"(?i)</?(?:function_calls?|tool_use|tool_result|subagent\w*|antml:\w+)\b"),
            any,
        ),
        (
            "raw-output",
            "this looks like what a program printed",
            "keep what it means; the output belongs into `memory/raw/`, which is not shared",
            regex(
                r"(?m)^(?:Traceback \(most recent call last\)|\s+at [\w.$<>]+\([\w./:-]+\)|thread '[^']*' panicked at|npm ERR!|error\[E[0-9]{4}\])",
            ),
            any,
        ),
    ]
});

/// The rules that something in `text` breaks which others should not read.
pub(crate) fn broken(text: &str) -> Vec<&'static str> {
    let mut rules: Vec<&'static str> = Vec::new();
    for (rule, _, _, regex, is_meant) in SORTS.iter() {
        let breaks = regex.as_ref().is_some_and(|regex| {
            let mut hits = regex.find_iter(text);
            hits.any(|hit| is_meant(hit.as_str()))
        });
        if breaks && !rules.contains(rule) {
            rules.push(*rule);
        }
    }
    rules
}

/// `text` without what looks like the address or number of a person.
pub(crate) fn without_personal(text: &str) -> String {
    let personal = SORTS.iter().filter(|(rule, ..)| *rule == "personal-data");
    let regexes = personal.filter_map(|(.., regex, _)| regex.as_ref());
    regexes.fold(text.to_owned(), |text, regex| {
        regex.replace_all(&text, " ").into_owned()
    })
}

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for contents in memory.files.files.values() {
        if let Contents::Text(text) = contents {
            let source = text.source();
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
    for (rule, what, help, regex, is_meant) in SORTS.iter() {
        let Some(regex) = regex else {
            continue;
        };
        let hits = regex
            .find_iter(source.text())
            .filter(|hit| is_meant(hit.as_str()));
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
