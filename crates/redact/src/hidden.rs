//! The filler that rules see in place of a replaced secret.

use std::borrow::Cow;

use memchr::memchr;

/// Filler byte in place of a replaced secret: neither part of a word nor a line end.
pub(crate) const HIDDEN: u8 = 1;

/// Returns true if nothing is left of these bytes but filler and whitespace.
pub(crate) fn is_hidden(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|b| *b == HIDDEN || b.is_ascii_whitespace())
}

/// Decodes bytes as UTF-8, leaving out the filler.
pub(crate) fn visible(bytes: &[u8]) -> Cow<'_, str> {
    if memchr(HIDDEN, bytes).is_none() {
        return String::from_utf8_lossy(bytes);
    }
    let left: Vec<u8> = bytes.iter().copied().filter(|b| *b != HIDDEN).collect();
    Cow::Owned(String::from_utf8_lossy(&left).into_owned())
}
