//! Lines of a text that were followed to no location, by the way they were lost.

use super::{Leave, Line};
use crate::old_text::OldText;

/// Shares of the text that have no location, in percent of its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Removed by a commit that added no equal line.
    pub(crate) clean: u32,
    /// Removed by a commit that added an equal line, which may be unrelated.
    pub(crate) doubtful: u32,
    /// Lost because a copy was inserted next to them, so that either one may be the original.
    pub(crate) copied: u32,
    /// Removed by a commit that could not be inspected completely.
    pub(crate) unseen: u32,
    /// Edited until the line at their location was no longer similar.
    pub(crate) evolved: u32,
}

/// The same as absolute weights.
pub(super) type Weights = Rest;

impl Weights {
    pub(super) fn count(&mut self, line: &Line, weight: u32) {
        let left = match line.left {
            // Another line is at the tracked location, so we do not know what became of this one.
            _ if line.at.is_some() => &mut self.unseen,
            Leave::Unseen => &mut self.unseen,
            Leave::Doubtful => &mut self.doubtful,
            Leave::Copied => &mut self.copied,
            Leave::Clean => &mut self.clean,
        };
        *left += weight;
    }

    pub(super) fn shares(self, old: &OldText) -> Rest {
        // We round up, so that a small unknown part still counts as unknown.
        let unseen = old.percent(self.unseen).max(u32::from(self.unseen > 0));
        Rest {
            clean: old.percent(self.clean),
            doubtful: old.percent(self.doubtful),
            copied: old.percent(self.copied),
            evolved: old.percent(self.evolved),
            unseen,
        }
    }
}
