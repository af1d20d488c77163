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
    /// The name of the rule that found it.
    pub rule: String,
    /// The line it begins on, from 1.
    pub line: u32,
}

/// Replaces the secret values in `text`, the value of a field called `name`. If the name promises a
/// secret, the whole text is one unless it's clearly not secret.
#[must_use]
pub fn redact_field(name: &str, text: &str) -> Redacted {
    if value::is_secret_field(name, &without_marks(text)) {
        return vouch(mark(RuleId::ASSIGNED));
    }
    redact_text(text).0
}

/// Replaces the secret values in a text that isn't a file of the repository. It may be the output
/// of git or of a command, or an old version of a file. `text` must be the whole text.
///
/// The number of lines stays the same, because each line of a secret gets a mark of its own.
#[must_use]
pub fn redact_text(text: &str) -> (Redacted, Vec<Finding>) {
    let found = scan(text.as_bytes());
    remember(text.as_bytes(), &found);
    replaced(text, &found)
}

/// Redacts text that's only read on a cache miss, like [`redact_text`]. Its values aren't hidden in
/// other texts, since the output must not depend on the cache.
#[must_use]
pub fn redact_for_cache(text: &str) -> (Redacted, Vec<Finding>) {
    replaced(text, &scan(text.as_bytes()))
}

/// Returns `text` with a mark in place of each of `found`.
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
            // Rules work on bytes. If part of a character is secret, all of it is.
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

/// Marks `text` as redacted. It must be part of a text that was scanned as a whole.
pub(crate) fn vouch(text: String) -> Redacted {
    #[expect(clippy::disallowed_methods, reason = "this crate has scanned it")]
    Redacted::vouch(text)
}
