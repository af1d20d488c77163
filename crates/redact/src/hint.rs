//! Texts scanned only on use of one of their lines.

use std::cell::OnceCell;

use crate::scan::scan;

/// A text scanned on first use. If none of its lines is shown, the scan is saved.
pub struct Hints<'a> {
    bytes: &'a [u8],
    has_secrets: OnceCell<bool>,
}

impl<'a> Hints<'a> {
    /// `bytes` must be the whole text, because a secret may only be recognized by its context.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            has_secrets: OnceCell::new(),
        }
    }

    /// The whole text, including any secrets.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns true if the text contains a secret anywhere. Any of its lines may then be part of
    /// the secret.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        let has = || !scan(self.bytes).is_empty();
        *self.has_secrets.get_or_init(has)
    }
}
