//! Recognizes anchors that were saved from a suggestion. A later suggestion can update such an
//! anchor. Once the user has changed it, it is the user's, and suggestions leave it alone.

use super::{Mark, SharedAnchor};
use crate::Anchor;

impl Anchor {
    /// True if the anchor comes from a suggestion and nobody has changed it since.
    #[must_use]
    pub(crate) fn is_as_suggested(&self) -> bool {
        self.suggested.is_some() && self.suggested == self.mark_as_suggested()
    }

    /// Marks the anchor's current state as suggested. The mark is a hash of the whole anchor, so it
    /// no longer matches after any change.
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
