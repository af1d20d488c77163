//! Profiles: budgets for common purposes of a pack.

use std::fmt;
use std::str::FromStr;

/// The purpose of a pack, which determines its maximum size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// The next step of ongoing work.
    #[default]
    Routine,
    /// A first look at a subject.
    Investigation,
    /// A change in many places.
    Refactor,
    /// A failure of unknown cause.
    DeepFailure,
}

impl Profile {
    /// All profiles, from the smallest budget to the largest.
    pub const ALL: [Self; 4] = [
        Self::Routine,
        Self::Investigation,
        Self::Refactor,
        Self::DeepFailure,
    ];

    /// The name of the profile in a pack and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Routine => "routine",
            Self::Investigation => "investigation",
            Self::Refactor => "refactor",
            Self::DeepFailure => "deep-failure",
        }
    }

    /// The budget, in tokens of `o200k_base`.
    #[must_use]
    pub fn max_tokens(self) -> usize {
        match self {
            Self::Routine => 6_000,
            Self::Investigation => 12_000,
            Self::Refactor => 16_000,
            Self::DeepFailure => 20_000,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|one| one.as_str() == text);
        found.ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|one| one.as_str()).collect();
            format!(
                "unknown profile `{text}`: known profiles are {}",
                known.join(", ")
            )
        })
    }
}
