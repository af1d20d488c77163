//! Adds the lines around evidence. A part of the budget is reserved for them, the noise budget.

use super::Planner;
use crate::Measure;
use crate::runbook::entry_drafts::{Draft, pieces};
use crate::runbook::runbook_view::Fitting;
use crate::runbook::weights::Filled;

impl<'a> Planner<'_, 'a> {
    /// Adds the lines around those pieces of evidence that are shown completely, as far as the
    /// noise budget and the limit allow. Within a section, earlier evidence goes first.
    ///
    /// On pages, these lines have their own turn, so we do not add any.
    pub(super) fn with_context(
        &self,
        mut filled: Vec<Filled>,
        plain: Fitting<'a>,
        taken: usize,
    ) -> Fitting<'a> {
        if self.options.from.is_some() || !self.says.text {
            return plain;
        }
        // Divide first, so that a huge limit can't overflow.
        let allowed = self.max() / 1000 * self.options.noise_permille as usize
            + self.max() % 1000 * self.options.noise_permille as usize / 1000;
        let mut room = allowed.min(self.max() - taken);
        for (filled, draft) in filled.iter_mut().zip(self.drafts) {
            filled.around = self.around_within(&mut room, filled, draft);
        }
        if filled.iter().all(|filled| filled.around == 0) {
            return plain;
        }
        let richer = self.assemble(&filled);
        let (taken, printed) = self.weigh(&richer);
        if taken <= self.max() {
            (richer, printed)
        } else {
            plain
        }
    }

    /// Counts the first pieces of evidence in a section whose surrounding lines fit into `room`,
    /// and subtracts the size of these lines from it.
    fn around_within(&self, room: &mut usize, filled: &Filled, draft: &Draft<'a>) -> usize {
        let measure = Measure::of(self.options.limit);
        let mut count = 0;
        for (candidate, lines) in draft.entries.iter().zip(&filled.entries) {
            for (block, lines) in candidate.blocks.iter().zip(lines) {
                if block.beyond == 0 && *lines == block.lines.len() {
                    let weigh = |line| measure.weigh(&self.options.format.line(line));
                    let Some(left) = room.checked_sub(block.around().map(weigh).sum()) else {
                        return count;
                    };
                    *room = left;
                }
                count += 1;
            }
            // An observation has no blocks, but counts as one piece of evidence.
            count += pieces(candidate.entry) - candidate.blocks.len();
        }
        count
    }
}
