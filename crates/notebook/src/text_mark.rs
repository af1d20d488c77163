//! Short hashes of texts, for identifying an entry's state.

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

/// Number of hexadecimal digits in a mark.
const DIGITS: usize = 32;

/// A short hash of a text. Equal texts have equal marks.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Mark(String);

impl Mark {
    /// Returns the mark of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut digits = Digest::of_bytes(text.as_bytes()).hex();
        digits.truncate(DIGITS);
        Self(digits)
    }

    /// Returns the mark of a runbook. Line endings are normalized first, since git may convert
    /// them.
    #[must_use]
    pub(crate) fn of_runbook(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::of(&text.replace("\r\n", "\n"))
    }
}
