//! Anchors saved from a suggestion.

use super::{Mark, SharedAnchor};
use crate::Anchor;

impl Anchor {
    /// True if the anchor was saved from a suggestion and is unchanged since.
    #[must_use]
    pub(crate) fn is_as_suggested(&self) -> bool {
        self.suggested.is_some() && self.suggested == self.mark_as_suggested()
    }

    /// Returns the anchor, marked as saved from a suggestion.
    pub(crate) fn into_suggested(self) -> Self {
        Self {
            suggested: self.mark_as_suggested(),
            ..self
        }
    }

    fn mark_as_suggested(&self) -> Option<Mark> {
        let plain = Self {
            suggested: None,
            ..self.clone()
        };
        Some(SharedAnchor::of(&plain).ok()?.mark())
    }
}
