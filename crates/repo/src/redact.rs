//! Secret values in text: found by a table of rules, and replaced by a mark that names the rule.
//!
//! A text is scanned as a whole, since a secret can begin outside of what is shown. One pass looks for the `keywords` of
//! all rules at once; a rule's regular expression is compiled when one of its keywords is there that is `likely` one of
//! a secret, and is an `attempt` around that alone, so that ordinary text costs one fast pass. `scan` looks at what is in colours
//! without its `escapes` as well, at a `diff` with blanks in place of its signs, and at what stands around a name that has no value
//! without the `prefix` of its lines, and as it is meant where it is `written` in one line; most of these are `pieces` of the text.
//!
//! A secret is known by itself (`issuers`, `rules`), or by the name it is given to: `name` says which names
//! promise one, `named` finds one in a text, `assign` tells which form stands between it and its value (`signs` of all kinds,
//! `label` where it is marked as one, `spaced` where only blanks do, `call` where a function is given both, `element` in XML, `entry` where they have a line for themselves,
//! `pair` where they are two fields, `operand` where an expression gives one of several, as `code_words` tell, `list` where
//! all of a list are secret, `table` where the head of a column names them, `insert` where SQL does, `prose` where they are words of a sentence),
//! `place` whether code could stand there, `literal` where a value ends, and `value` whether it is a secret or only looks
//! like one: by its signs (`shape`), its words (`language`, `vocabulary`, what is `about` secrets, and `chosen` of those that people make of words),
//! how `random` it is, whether it is as it is `generated`, and what is `dotted`. What was replaced before is known by its `mark`,
//! and what shows once it is replaced is found as well (`settle`). A value that was found once is found wherever else it occurs in
//! the text (`repeated`), and replaced in all that the process prints (`known`).

mod about;
mod address;
mod assign;
mod attempt;
mod call;
mod chosen;
mod code_words;
mod crypt;
mod curl;
mod diff;
mod dotted;
mod element;
mod engine;
mod entry;
mod escapes;
mod follow;
mod generated;
mod hint;
mod insert;
mod issuers;
mod keywords;
mod known;
mod label;
mod language;
mod likely;
mod list;
mod literal;
mod made_up;
mod mark;
mod name;
mod named;
mod operand;
mod own;
mod pair;
mod pieces;
mod place;
mod prefix;
mod prose;
mod published;
mod random;
mod repeated;
mod rules;
mod scan;
mod settle;
mod shape;
mod signs;
mod spaced;
mod sql;
mod table;
mod text;
mod value;
mod vocabulary;
mod written;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use windlass_base::Redacted;

use crate::lines::LineIndex;
use crate::source_file::vouch;

pub(crate) use engine::RuleId;
pub(crate) use hint::Hints;
pub(crate) use known::remember;
pub use known::{SecretScope, hide_known};
pub(crate) use mark::mark;
pub(crate) use own::install;
pub use own::{OwnRules, OwnRulesError};
pub(crate) use scan::scan;

/// A secret value in some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) rule: RuleId,
}

/// A secret value that was replaced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the rule that knows it.
    pub rule: String,
    /// The line it begins on, from 1.
    pub line: u32,
}

/// How far, in bytes, a secret can reach over the ends of lines, together with what it is known by. Of a text
/// that is too large to be scanned as a whole, so much more is to be scanned than is shown, and only whole lines
/// are to be shown: within a line a secret has no bound, and a private key, a list, a table and rows of SQL have none as long as their beginning
/// is there.
pub const SECRET_REACH: usize = {
    let longest = if follow::MAX_KEY > literal::MAX_LINES {
        follow::MAX_KEY
    } else {
        literal::MAX_LINES
    };
    longest + (2 << 10)
};

/// Replaces the secret values in `text`, which stands under `name` in some record. A name that promises a
/// secret makes all of it one, unless it only looks like that.
#[must_use]
pub fn redact_field(name: &str, text: &str) -> Redacted {
    if value::is_secret_field(name, &mark::without_marks(text)) {
        return vouch(mark(RuleId::ASSIGNED));
    }
    redact_text(text).0
}

/// Whether a value holds a secret value: in its JSON text `json`, or in one of its texts by itself. Much faster
/// than to look at each of these.
#[must_use]
pub fn json_has_secrets(json: &str) -> bool {
    if !scan(json.as_bytes()).is_empty() {
        return true;
    }
    // Some secrets are known by the line they stand on, which may be escaped here, or by the word that begins it.
    if !["\\", "machine", "default", ": ", "="]
        .iter()
        .any(|hint| json.contains(hint))
    {
        return false;
    }
    // Each text has lines of its own here, with something between them that no rule passes over.
    let lines = json.replace("\\n", "\n").replace("\\t", "\t");
    let lines = lines
        .replace("\\u001b", "\u{1b}")
        .replace("\\u001B", "\u{1b}");
    let lines = lines.replace('"', "\n\0\n");
    !scan(lines.as_bytes()).is_empty()
}

/// Replaces the secret values in a text that is no file of the repository: what git or a command printed,
/// an old version of a file. `text` is the whole of it.
///
/// The number of lines stays the same: each line a secret covers gets a mark of its own.
#[must_use]
pub fn redact_text(text: &str) -> (Redacted, Vec<Finding>) {
    let found = scan(text.as_bytes());
    remember(text.as_bytes(), &found);
    replaced(text, &found)
}

/// As [`redact_text`], for text that is read only where a cache does not know it: its values are hidden in no other text, so
/// that nothing depends on the cache.
#[must_use]
pub fn redact_for_cache(text: &str) -> (Redacted, Vec<Finding>) {
    replaced(text, &scan(text.as_bytes()))
}

/// `text` with a mark in place of each of `found`.
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
            // Rules work on bytes; a character that is partly secret is secret.
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
