//! Anchors that were saved because they were suggested.

use super::{Mark, SharedAnchor};
use crate::Anchor;

impl Anchor {
    /// Whether it was saved because it was suggested, and nobody has changed it since.
    #[must_use]
    pub(crate) fn is_as_suggested(&self) -> bool {
        self.suggested.is_some() && self.suggested == self.mark_as_suggested()
    }

    /// The same anchor, saved because it is suggested.
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
