use serde::{Deserialize, Serialize};

/// How much may be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Unicode scalar values of everything printed.
    Chars(usize),
    /// Tokens of everything printed (o200k).
    Tokens(usize),
}

impl Limit {
    /// The number, whatever it counts.
    #[must_use]
    pub fn max(self) -> usize {
        match self {
            Self::Chars(max) | Self::Tokens(max) => max,
        }
    }

    /// As many as `max` of the same.
    #[must_use]
    pub fn with_max(self, max: usize) -> Self {
        match self {
            Self::Chars(_) => Self::Chars(max),
            Self::Tokens(_) => Self::Tokens(max),
        }
    }
}

/// How much a pack says beside what it shows. Statuses, and what was cut, are always said.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ResponseMode {
    /// Facts, diagnostics and next actions.
    Full,
    /// Facts, and the next actions that something stale, failed or cut calls for.
    #[default]
    Facts,
    /// The smallest pack that still says what is true.
    Minimal,
}

impl ResponseMode {
    /// The word as it stands in documents and is typed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Facts => "facts",
            Self::Minimal => "minimal",
        }
    }
}
