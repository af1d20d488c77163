//! Short hashes of texts, which identify the state of an entry.

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

/// Number of hexadecimal digits of a mark.
const DIGITS: usize = 32;

/// Short hash of a text; equal texts have equal marks.
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

    /// Returns the mark of a runbook. Line endings are normalized, since git may convert them.
    #[must_use]
    pub(crate) fn of_runbook(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::of(&text.replace("\r\n", "\n"))
    }
}
