//! The marks that replace secrets, and the parser for marks already in a text.
//!
//! A mark is not a secret, so the rules skip it. Anyone can write `[redacted:` in front of a
//! secret, so a mark only counts if it is complete and names an existing rule.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::hidden::{HIDDEN, visible};
use crate::rules::{Found, RuleId};

/// Prefix of every mark.
pub(crate) const BEGIN: &str = "[redacted:";

/// Maximum length of a rule's name, in bytes.
pub(crate) const LONGEST_NAME: usize = 64;

/// Formats the mark for a secret found by `rule`, e.g. `[redacted:jwt]`.
pub(crate) fn mark(rule: RuleId) -> String {
    format!("{BEGIN}{}]", rule.name())
}

/// Finds the marks in `bytes`, in order. A mark without a known rule is skipped.
pub(crate) fn marks_in(bytes: &[u8]) -> Vec<Found> {
    memmem::find_iter(bytes, BEGIN)
        .filter_map(|start| {
            let name = start + BEGIN.len();
            let rest = &bytes[name..bytes.len().min(name + LONGEST_NAME + 1)];
            let length = memchr(b']', rest)?;
            Some(Found {
                range: start..name + length + 1,
                rule: RuleId::named(&rest[..length])?,
            })
        })
        .collect()
}

/// Overwrites the findings with filler, except for line ends.
pub(crate) fn hide(found: &[Found], bytes: &mut [u8]) {
    for Found { range, .. } in found {
        for byte in &mut bytes[range.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = HIDDEN;
            }
        }
    }
}

pub(crate) fn without_marks(text: &str) -> Cow<'_, str> {
    let marks = marks_in(text.as_bytes());
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    hide(&marks, &mut bytes);
    Cow::Owned(visible(&bytes).into_owned())
}
