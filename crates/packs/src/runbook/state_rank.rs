use windlass_base::Judgement;

use crate::{Style, state};

/// States, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The file is not there.
    Missing,
    /// The text is not there.
    Gone,
    /// It cannot be judged.
    Invalid,
    /// The file is secret.
    Secret,
    /// The text changed.
    Stale,
    /// The text was edited in place.
    Edited,
    /// Cannot be verified.
    Unknown,
    /// The text is at another location.
    Moved,
    /// The text is unchanged at its location.
    Fresh,
}

impl Rank {
    /// All ranks, from the worst.
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

    /// Returns the rank of `judgement`.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let word = state(judgement).0;
        let rank = Self::ALL.into_iter().find(|rank| rank.word() == word);
        rank.unwrap_or(Self::Unknown)
    }

    /// The word for it.
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

    /// Returns the style of the rank.
    #[must_use]
    pub fn style(self) -> Style {
        match self {
            Self::Fresh => Style::Good,
            Self::Moved => Style::Warn,
            _ => Style::Bad,
        }
    }
}
