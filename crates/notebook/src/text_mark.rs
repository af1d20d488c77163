//! Short hashes of texts, which identify the states of an entry.

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

// 128 bits, which is plenty for texts that aren't made to collide. The anchors' marks are part of
// every notebook, so we keep them short.
const DIGITS: usize = 32;

/// A short hash of a text. Equal texts have equal marks.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Mark(String);

impl Mark {
    /// Hashes `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut digits = Digest::of_bytes(text.as_bytes()).hex();
        digits.truncate(DIGITS);
        Self(digits)
    }

    /// Hashes a runbook. Line endings don't count, because git may convert them.
    #[must_use]
    pub(crate) fn of_runbook(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::of(&text.replace("\r\n", "\n"))
    }
}
