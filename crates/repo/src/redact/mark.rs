//! Marks: what stands in place of a secret, and how marks that a text already has are read.
//!
//! A mark is as good as the secret it stands for: the rules see neither. Only a whole mark counts, with the name of
//! a rule in it. Anybody can write the beginning of one.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::Found;
use super::engine::RuleId;

/// How every mark begins.
pub(super) const BEGIN: &str = "[redacted:";

/// The longest name of a rule, in bytes.
pub(super) const LONGEST_NAME: usize = 32;

/// What stands in place of a secret that `rule` knows.
pub(crate) fn mark(rule: RuleId) -> String {
    format!("{BEGIN}{}]", rule.name())
}

/// The marks that stand in `bytes`, in order.
pub(super) fn marks_in(bytes: &[u8]) -> Vec<Found> {
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

/// What the rules see where something is replaced: no part of a word, and no line end.
pub(super) const HIDDEN: u8 = 1;

/// Hides what was found, but for the ends of lines.
pub(super) fn hide(found: &[Found], bytes: &mut [u8]) {
    for Found { range, .. } in found {
        for byte in &mut bytes[range.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = HIDDEN;
            }
        }
    }
}

/// Whether nothing of these bytes is left to be found.
pub(super) fn is_hidden(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|b| *b == HIDDEN || b.is_ascii_whitespace())
}

/// The text of these bytes without what is hidden.
pub(super) fn visible(bytes: &[u8]) -> Cow<'_, str> {
    if memchr(HIDDEN, bytes).is_none() {
        return String::from_utf8_lossy(bytes);
    }
    let left: Vec<u8> = bytes.iter().copied().filter(|b| *b != HIDDEN).collect();
    Cow::Owned(String::from_utf8_lossy(&left).into_owned())
}

/// The text without the marks that stand in it.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    let marks = marks_in(text.as_bytes());
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    hide(&marks, &mut bytes);
    Cow::Owned(visible(&bytes).into_owned())
}
