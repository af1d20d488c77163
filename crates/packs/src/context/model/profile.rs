use std::fmt;
use std::str::FromStr;

/// Purpose of a pack, which decides how large it may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// The next turn of ongoing work.
    #[default]
    Routine,
    /// The first exploration of a subject.
    Investigation,
    /// A change in many locations.
    Refactor,
    /// A failure whose cause is unknown.
    DeepFailure,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 4] = [
        Self::Routine,
        Self::Investigation,
        Self::Refactor,
        Self::DeepFailure,
    ];

    /// Returns the profile's name as written in a pack.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Routine => "routine",
            Self::Investigation => "investigation",
            Self::Refactor => "refactor",
            Self::DeepFailure => "deep-failure",
        }
    }

    /// Returns the profile's budget, in tokens of `o200k_base`.
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
