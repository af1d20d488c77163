//! What the rules see where something is replaced.

use std::borrow::Cow;

use memchr::memchr;

/// What the rules see where something is replaced: no part of a word, and no line end.
pub(crate) const HIDDEN: u8 = 1;

/// Whether nothing of these bytes is left to be found.
pub(crate) fn is_hidden(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|b| *b == HIDDEN || b.is_ascii_whitespace())
}

/// The text of these bytes without what is hidden.
pub(crate) fn visible(bytes: &[u8]) -> Cow<'_, str> {
    if memchr(HIDDEN, bytes).is_none() {
        return String::from_utf8_lossy(bytes);
    }
    let left: Vec<u8> = bytes.iter().copied().filter(|b| *b != HIDDEN).collect();
    Cow::Owned(String::from_utf8_lossy(&left).into_owned())
}
