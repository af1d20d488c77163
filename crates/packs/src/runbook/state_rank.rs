//! The order of the states of evidence.

use windlass_base::Judgement;

use crate::{Style, state};

/// The states of evidence, from worst to best. The order matters: an anchor is only as good as its
/// worst evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The file doesn't exist.
    Missing,
    /// The text is proven to be deleted.
    Gone,
    /// The location isn't valid, e.g. because the file has fewer lines.
    Invalid,
    /// The file is secret, so we may not read it.
    Secret,
    /// The text has changed, and we don't know how.
    Stale,
    /// The text was edited, and we know its location.
    Edited,
    /// We can't verify the text.
    Unknown,
    /// The text has not changed, but it's at another location.
    Moved,
    /// The text has not changed and is at its captured location.
    Fresh,
}

impl Rank {
    /// All states, from worst to best.
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

    /// The state for a verdict.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let word = state(judgement).0;
        let rank = Self::ALL.into_iter().find(|rank| rank.word() == word);
        rank.unwrap_or(Self::Unknown)
    }

    /// The state in one word.
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

    /// The color that suits the state.
    #[must_use]
    pub fn style(self) -> Style {
        match self {
            Self::Fresh => Style::Good,
            Self::Moved => Style::Warn,
            _ => Style::Bad,
        }
    }
}
