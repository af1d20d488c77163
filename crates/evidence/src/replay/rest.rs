//! Fate of the lines of a text that have no location.

use super::{Leave, Line};
use crate::old_text::OldText;

/// Shares of the text without a location, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Removed, and no equal line was added.
    pub(crate) clean: u32,
    /// Removed, and an equal line was added, which may be an unrelated one.
    pub(crate) doubtful: u32,
    /// A copy was inserted next to them, and either may be the original.
    pub(crate) copied: u32,
    /// Removed by a commit that could not be inspected completely.
    pub(crate) unseen: u32,
    /// Edited until no similar line was left.
    pub(crate) evolved: u32,
}

/// The same shares as weights of lines.
pub(super) type Weights = Rest;

impl Weights {
    pub(super) fn count(&mut self, line: &Line, weight: u32) {
        let left = match line.left {
            // The line differs from the one at its tracked location.
            _ if line.at.is_some() => &mut self.unseen,
            Leave::Unseen => &mut self.unseen,
            Leave::Doubtful => &mut self.doubtful,
            Leave::Copied => &mut self.copied,
            Leave::Clean => &mut self.clean,
        };
        *left += weight;
    }

    pub(super) fn shares(self, old: &OldText) -> Rest {
        // Rounded up, so that a small unseen share does not vanish.
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
