//! Texts that we only scan when one of their lines is used.

use std::cell::OnceCell;

use crate::scan::scan;

/// A text that's scanned on first use.
pub struct Hints<'a> {
    bytes: &'a [u8],
    has_secrets: OnceCell<bool>,
}

impl<'a> Hints<'a> {
    /// Creates hints for the whole of a text, from its first line on.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            has_secrets: OnceCell::new(),
        }
    }

    /// Returns the text to search for secrets.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// True if the text has a secret value, so that one of its lines may have it.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        let has = || !scan(self.bytes).is_empty();
        *self.has_secrets.get_or_init(has)
    }
}
