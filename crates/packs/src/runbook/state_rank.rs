//! The order of the states of evidence.

use windlass_base::Judgement;

use crate::{Style, state};

windlass_base::word_enum! {
    /// The states of evidence, from worst to best. The order matters: an anchor is only as good as its
    /// worst evidence.
    Rank, "state of evidence" {
        /// The file doesn't exist.
        Missing = "missing",
        /// The text is proven to be deleted.
        Gone = "gone",
        /// The location isn't valid, e.g. because the file has fewer lines.
        Invalid = "invalid",
        /// The file is secret, so we may not read it.
        Secret = "secret",
        /// The text has changed, and we don't know how.
        Stale = "stale",
        /// The text was edited, and we know its location.
        Edited = "edited",
        /// We can't verify the text.
        Unknown = "unknown",
        /// The text has not changed, but it's at another location.
        Moved = "moved",
        /// The text has not changed and is at its captured location.
        Fresh = "fresh",
    }
}

impl Rank {
    /// The state for a verdict.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        Self::from_word(state(judgement).0).unwrap_or(Self::Unknown)
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
