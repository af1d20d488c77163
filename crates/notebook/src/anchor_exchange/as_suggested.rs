//! Recognizes anchors saved from a suggestion, so that later suggestions can update them. Once a
//! user changes such an anchor, it's theirs, and suggestions leave it alone.

use super::{Mark, SharedAnchor};
use crate::Anchor;

impl Anchor {
    /// Returns true if the anchor was saved from a suggestion and hasn't been changed since.
    #[must_use]
    pub(crate) fn is_as_suggested(&self) -> bool {
        self.suggested.is_some() && self.suggested == self.mark_as_suggested()
    }

    /// Marks the anchor as saved from a suggestion.
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
