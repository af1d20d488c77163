//! Lines of a text that have no location, by reason.

use super::{Leave, Line};
use crate::old_text::OldText;

/// Shares of the text that have no location, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Lines that were removed while no equal line was added.
    pub(crate) clean: u32,
    /// Lines that were removed while an equal line was added, which may be unrelated.
    pub(crate) doubtful: u32,
    /// Lines next to which a copy was inserted, so that either one may be the original.
    pub(crate) copied: u32,
    /// Lines that were removed by a commit which could not be inspected completely.
    pub(crate) unseen: u32,
    /// Lines that were edited until no similar line was left.
    pub(crate) evolved: u32,
}

/// The same shares as weights instead of percent.
pub(super) type Weights = Rest;

impl Weights {
    pub(super) fn count(&mut self, line: &Line, weight: u32) {
        let left = match line.left {
            // The line at the tracked location is not this one, so its fate is unknown.
            _ if line.at.is_some() => &mut self.unseen,
            Leave::Unseen => &mut self.unseen,
            Leave::Doubtful => &mut self.doubtful,
            Leave::Copied => &mut self.copied,
            Leave::Clean => &mut self.clean,
        };
        *left += weight;
    }

    pub(super) fn shares(self, old: &OldText) -> Rest {
        // The share is rounded up, so that a small unknown part is not lost.
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
