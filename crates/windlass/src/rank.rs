use windlass_base::Judgement;
use windlass_pack::{Style, state};

/// States, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Missing,
    Gone,
    Invalid,
    Secret,
    Stale,
    Edited,
    Unknown,
    Moved,
    Fresh,
}

impl Rank {
    pub(crate) const ALL: [Self; 9] = [
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

    pub(crate) fn of(judgement: &Judgement) -> Self {
        let word = state(judgement).0;
        let rank = Self::ALL.into_iter().find(|rank| rank.word() == word);
        rank.unwrap_or(Self::Unknown)
    }

    pub(crate) fn word(self) -> &'static str {
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

    pub(crate) fn style(self) -> Style {
        match self {
            Self::Fresh => Style::Good,
            Self::Moved => Style::Warn,
            _ => Style::Bad,
        }
    }
}
