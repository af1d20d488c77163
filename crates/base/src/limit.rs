use serde::{Deserialize, Serialize};

/// A limit on the size of printed output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Number of characters, i.e. Unicode scalar values.
    Chars(usize),
    /// Number of tokens, as counted by the o200k tokenizer.
    Tokens(usize),
}

impl Limit {
    /// The number, whatever its unit.
    #[must_use]
    pub fn max(self) -> usize {
        match self {
            Self::Chars(max) | Self::Tokens(max) => max,
        }
    }

    /// Returns another limit with the same unit.
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
