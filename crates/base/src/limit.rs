use serde::{Deserialize, Serialize};

/// Maximum size of printed output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Maximum number of Unicode scalar values.
    Chars(usize),
    /// Maximum number of tokens (o200k).
    Tokens(usize),
}

impl Limit {
    /// Returns the number without its unit.
    #[must_use]
    pub fn max(self) -> usize {
        match self {
            Self::Chars(max) | Self::Tokens(max) => max,
        }
    }

    /// Returns a limit of `max` in the same unit.
    #[must_use]
    pub fn with_max(self, max: usize) -> Self {
        match self {
            Self::Chars(_) => Self::Chars(max),
            Self::Tokens(_) => Self::Tokens(max),
        }
    }
}

/// Amount of information in a pack in addition to its entries. Statuses and omissions are always
/// included.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ResponseMode {
    /// Facts, diagnostics and next actions.
    Full,
    /// Facts, and next actions for stale, failed or omitted entries.
    #[default]
    Facts,
    /// The smallest pack that is still correct.
    Minimal,
}

impl ResponseMode {
    /// Returns the word used in documents and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Facts => "facts",
            Self::Minimal => "minimal",
        }
    }
}
