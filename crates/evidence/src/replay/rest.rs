//! Fate of the lines of a text that are nowhere.

use super::{Leave, Line};
use crate::old_text::OldText;

/// Fate of the lines of a text that are nowhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// They left, and no equal line came in.
    pub(crate) clean: u32,
    /// They left, and an equal line came in, which may be another one.
    pub(crate) doubtful: u32,
    /// A copy was written beside them, and either may be it.
    pub(crate) copied: u32,
    /// They left with a commit that could not be inspected as a whole.
    pub(crate) unseen: u32,
    /// They were edited, until nothing like them was left.
    pub(crate) evolved: u32,
}

/// The same in weights of lines.
pub(super) type Weights = Rest;

impl Weights {
    pub(super) fn count(&mut self, line: &Line, weight: u32) {
        let left = match line.left {
            // It is not where it was followed to.
            _ if line.at.is_some() => &mut self.unseen,
            Leave::Unseen => &mut self.unseen,
            Leave::Doubtful => &mut self.doubtful,
            Leave::Copied => &mut self.copied,
            Leave::Clean => &mut self.clean,
        };
        *left += weight;
    }

    pub(super) fn shares(self, old: &OldText) -> Rest {
        // Not even a little of what was not seen may be lost to rounding.
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
