//! What stands for a text.

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

/// How many hexadecimal digits a mark has.
const DIGITS: usize = 32;

/// Stands for a text: two that are alike have the same mark.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Mark(String);

impl Mark {
    /// The mark of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut digits = Digest::of_bytes(text.as_bytes()).hex();
        digits.truncate(DIGITS);
        Self(digits)
    }

    /// The mark of the text of a runbook. How its lines end does not count: git may have changed that.
    #[must_use]
    pub(crate) fn of_runbook(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::of(&text.replace("\r\n", "\n"))
    }
}
