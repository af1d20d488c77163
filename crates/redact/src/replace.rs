//! Replaces the secret values in a text.

use serde::{Deserialize, Serialize};
use windlass_base::Redacted;

use crate::known::remember;
use crate::line_index::LineIndex;
use crate::mark::{mark, without_marks};
use crate::rules::{Found, RuleId};
use crate::scan::scan;
use crate::value;

/// A replaced secret value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the rule, e.g. `jwt`.
    pub rule: String,
    /// First line of the value, 1-based.
    pub line: u32,
}

/// Replaces the secrets in `text`, the value of a field called `name`.
///
/// If the name promises a secret, the whole text counts as one, unless it is clearly something
/// else.
#[must_use]
pub fn redact_field(name: &str, text: &str) -> Redacted {
    if value::is_secret_field(name, &without_marks(text)) {
        return vouch(mark(RuleId::ASSIGNED));
    }
    redact_text(text).0
}

/// Replaces the secrets in a text from outside the repository's files, such as the output of git or
/// of a command, or an old version of a file. Pass the whole text, because a secret may only be
/// recognized by its context.
///
/// The number of lines does not change: each line of a secret gets a mark of its own.
#[must_use]
pub fn redact_text(text: &str) -> (Redacted, Vec<Finding>) {
    let found = scan(text.as_bytes());
    remember(text.as_bytes(), &found);
    replaced(text, &found)
}

/// Redacts text that is only read on a cache miss.
///
/// Unlike with [`redact_text`], its values are not hidden in other texts, because the output would
/// then depend on the cache.
#[must_use]
pub fn redact_for_cache(text: &str) -> (Redacted, Vec<Finding>) {
    replaced(text, &scan(text.as_bytes()))
}

fn replaced(text: &str, found: &[Found]) -> (Redacted, Vec<Finding>) {
    if found.is_empty() {
        return (vouch(text.to_owned()), Vec::new());
    }
    let bytes = text.as_bytes();
    let lines = LineIndex::new(bytes);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut findings = Vec::with_capacity(found.len());
    for Found { range, rule } in found {
        let first = lines.number_at(range.start);
        findings.push(Finding {
            rule: rule.name().to_owned(),
            line: first,
        });
        for number in first..=lines.number_at(range.end.saturating_sub(1)) {
            let Some(line) = lines.line(bytes, number) else {
                continue;
            };
            // Rules work on bytes. If part of a character is secret, the whole character is.
            let start = text.floor_char_boundary(range.start.max(line.start));
            let end = text.ceil_char_boundary(range.end.min(line.end));
            let start = start.max(done);
            if start < end {
                out.push_str(&text[done..start]);
                out.push_str(&mark(*rule));
                done = end;
            }
        }
    }
    out.push_str(&text[done..]);
    (vouch(out), findings)
}

/// Vouches for `text`, part of a text already scanned as a whole.
pub(crate) fn vouch(text: String) -> Redacted {
    #[expect(clippy::disallowed_methods, reason = "this crate has scanned it")]
    Redacted::vouch(text)
}
