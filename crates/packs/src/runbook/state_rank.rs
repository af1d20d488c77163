use windlass_base::Judgement;

use crate::{Style, state};

/// States of evidence, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The file does not exist.
    Missing,
    /// The text was deleted.
    Gone,
    /// The location is not valid in the file.
    Invalid,
    /// The file is secret, so it cannot be read.
    Secret,
    /// The text changed.
    Stale,
    /// The text was edited.
    Edited,
    /// The evidence can't be verified.
    Unknown,
    /// The text is at another location.
    Moved,
    /// The text is unchanged at its captured location.
    Fresh,
}

impl Rank {
    /// All states, from the worst to the best.
    pub const ALL: [Self; 9] = [
        Self::Missing,
        Self::Gone,
        Self::Invalid,
        Self::Secret,
        Self::Stale,
        Self::Edited,
        Self::Unknown,
        Self::Moved,
        Self::Fresh,
    ];

    /// Returns the state expressed by `judgement`.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let word = state(judgement).0;
        let rank = Self::ALL.into_iter().find(|rank| rank.word() == word);
        rank.unwrap_or(Self::Unknown)
    }

    /// Returns the word for the state.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Gone => "gone",
            Self::Invalid => "invalid",
            Self::Secret => "secret",
            Self::Stale => "stale",
            Self::Edited => "edited",
            Self::Unknown => "unknown",
            Self::Moved => "moved",
            Self::Fresh => "fresh",
        }
    }

    /// Returns the style of the state.
    #[must_use]
    pub fn style(self) -> Style {
        match self {
            Self::Fresh => Style::Good,
            Self::Moved => Style::Warn,
            _ => Style::Bad,
        }
    }
}
